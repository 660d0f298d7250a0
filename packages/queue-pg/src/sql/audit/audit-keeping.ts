/**
 * What was recorded stays as it is. Three things may change it, and each is named here: the worker
 * moves deliveries, an operator ends dead letters, and the functions below erase a person and prune
 * what is old. A function says which verb it is in a setting of its transaction; the triggers
 * believe the setting only of the table's owner, as whom the functions run.
 */
export const keeping = `
-- What was recorded stays. No client deletes or changes it; the functions at the end do, as the owner of the tables.
CREATE FUNCTION {schema}.has_audit_verb(verb text, relation oid) RETURNS boolean LANGUAGE sql STABLE
  SET search_path = pg_catalog, pg_temp AS $$
  SELECT current_setting('criticizer.audit_verb', true) IS NOT DISTINCT FROM verb
    AND current_user = (SELECT pg_get_userbyid(relowner) FROM pg_class WHERE oid = relation) $$;
CREATE FUNCTION {schema}.refuse_audit_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'rows of % never change', TG_TABLE_NAME USING ERRCODE = 'integrity_constraint_violation';
END $$;
CREATE FUNCTION {schema}.refuse_audit_loss() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'rows of % are kept', TG_TABLE_NAME USING ERRCODE = 'integrity_constraint_violation';
END $$;

-- An erasure blanks these columns, and may not write anything else into them.
CREATE FUNCTION {schema}.refuse_audit_event_change() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  erasable CONSTANT text[] := ARRAY['actor_id', 'target_id', 'source_ip', 'user_agent', 'payload_redacted', 'payload_hash_sha256'];
BEGIN
  IF {schema}.has_audit_verb('erase', TG_RELID) AND jsonb_exists(NEW.payload_redacted, '_erasure_meta')
    AND (NEW.actor_id IS NULL OR NEW.actor_id IS NOT DISTINCT FROM OLD.actor_id)
    AND (NEW.target_id IS NULL OR NEW.target_id IS NOT DISTINCT FROM OLD.target_id)
    AND (NEW.source_ip IS NULL OR NEW.source_ip IS NOT DISTINCT FROM OLD.source_ip)
    AND (NEW.user_agent IS NULL OR NEW.user_agent IS NOT DISTINCT FROM OLD.user_agent)
    AND to_jsonb(NEW) - erasable = to_jsonb(OLD) - erasable
  THEN RETURN NEW; END IF;
  RAISE EXCEPTION 'rows of % never change', TG_TABLE_NAME USING ERRCODE = 'integrity_constraint_violation';
END $$;
CREATE TRIGGER audit_events_immutable BEFORE UPDATE ON {schema}.audit_events
  FOR EACH ROW EXECUTE FUNCTION {schema}.refuse_audit_event_change();
CREATE TRIGGER audit_outbox_immutable BEFORE UPDATE OF id, audit_event_id, destination, idempotency_key, created_at_utc
  ON {schema}.audit_outbox FOR EACH ROW EXECUTE FUNCTION {schema}.refuse_audit_change();
CREATE TRIGGER audit_dead_letter_immutable BEFORE UPDATE OF id, outbox_id, audit_event_id, destination, final_attempt_count,
  first_failed_at_utc, dead_lettered_at_utc, error_summary, error_details ON {schema}.audit_dead_letter
  FOR EACH ROW EXECUTE FUNCTION {schema}.refuse_audit_change();
CREATE TRIGGER audit_events_kept BEFORE DELETE ON {schema}.audit_events
  FOR EACH ROW WHEN (NOT {schema}.has_audit_verb('prune', '{schema}.audit_events'::regclass)) EXECUTE FUNCTION {schema}.refuse_audit_loss();
CREATE TRIGGER audit_events_not_emptied BEFORE TRUNCATE ON {schema}.audit_events
  FOR EACH STATEMENT EXECUTE FUNCTION {schema}.refuse_audit_loss();
CREATE TRIGGER audit_outbox_kept BEFORE DELETE ON {schema}.audit_outbox
  FOR EACH ROW WHEN (OLD.delivery_state NOT IN ('delivered', 'dead_lettered')
    OR NOT {schema}.has_audit_verb('prune', '{schema}.audit_outbox'::regclass)) EXECUTE FUNCTION {schema}.refuse_audit_loss();
CREATE TRIGGER audit_outbox_not_emptied BEFORE TRUNCATE ON {schema}.audit_outbox
  FOR EACH STATEMENT EXECUTE FUNCTION {schema}.refuse_audit_loss();
CREATE TRIGGER audit_dead_letter_kept BEFORE DELETE ON {schema}.audit_dead_letter
  FOR EACH ROW WHEN (OLD.operator_status = 'open'
    OR NOT {schema}.has_audit_verb('prune', '{schema}.audit_dead_letter'::regclass)) EXECUTE FUNCTION {schema}.refuse_audit_loss();
CREATE TRIGGER audit_dead_letter_not_emptied BEFORE TRUNCATE ON {schema}.audit_dead_letter
  FOR EACH STATEMENT EXECUTE FUNCTION {schema}.refuse_audit_loss();

-- Blanks a person in the events of wanted that still name the person, and gives their ids. The only UPDATE of audit_events.
CREATE FUNCTION {schema}.erase_audit_events(subject text, types text[], wanted uuid[], blank_payload jsonb, blank_hash text)
  RETURNS SETOF uuid LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  -- In turn with the sealer, which may be reading these events.
  PERFORM pg_advisory_xact_lock(hashtextextended('{schema}.audit_seals', 0));
  PERFORM 1 FROM {schema}.audit_events AS e WHERE e.id = ANY (wanted) ORDER BY e.id FOR NO KEY UPDATE;
  PERFORM set_config('criticizer.audit_verb', 'erase', true);
  RETURN QUERY UPDATE {schema}.audit_events AS e SET
      source_ip = CASE WHEN e.actor_id = subject THEN NULL ELSE e.source_ip END,
      user_agent = CASE WHEN e.actor_id = subject THEN NULL ELSE e.user_agent END,
      actor_id = nullif(e.actor_id, subject),
      target_id = CASE WHEN types IS NULL OR e.target_type = ANY (types) THEN nullif(e.target_id, subject) ELSE e.target_id END,
      payload_redacted = blank_payload, payload_hash_sha256 = blank_hash
    WHERE e.id = ANY (wanted)
      AND (e.actor_id = subject OR (e.target_id = subject AND (types IS NULL OR e.target_type = ANY (types))))
    RETURNING e.id;
  -- Without its salt a digest says nothing of what is blank now; what is not blank stays proven by its own.
  UPDATE {schema}.audit_seal_leaves AS l SET payload_salt = NULL,
      actor_salt = CASE WHEN e.actor_id IS NULL AND e.source_ip IS NULL AND e.user_agent IS NULL THEN NULL ELSE l.actor_salt END,
      target_salt = CASE WHEN e.target_id IS NULL THEN NULL ELSE l.target_salt END
    FROM {schema}.audit_events AS e
    WHERE l.event_id = ANY (wanted) AND e.id = l.event_id AND jsonb_exists(e.payload_redacted, '_erasure_meta');
  PERFORM set_config('criticizer.audit_verb', '', true);
END $$;
REVOKE ALL ON FUNCTION {schema}.erase_audit_events(text, text[], uuid[], jsonb, text) FROM PUBLIC;

-- Deletes those of wanted that may go, with their deliveries and ended dead letters. The only DELETE of the three tables.
-- The rows are locked first: what a delivery or an operator does to one of them meanwhile is seen by the statement after.
CREATE FUNCTION {schema}.prune_audit_events(wanted uuid[], older_than timestamptz, with_letters boolean,
    OUT events integer, OUT deliveries integer, OUT letters integer, OUT occurred_from timestamptz, OUT occurred_until timestamptz)
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  gone uuid[];
BEGIN
  -- In turn with the sealer, as an erasure: no leaf with salts appears over an event that goes here.
  PERFORM pg_advisory_xact_lock(hashtextextended('{schema}.audit_seals', 0));
  PERFORM 1 FROM {schema}.audit_events AS e WHERE e.id = ANY (wanted) ORDER BY e.id FOR UPDATE;
  SELECT array_agg(e.id), min(e.occurred_at_utc), max(e.occurred_at_utc) INTO gone, occurred_from, occurred_until
    FROM {schema}.audit_events AS e WHERE e.id = ANY (wanted) AND e.occurred_at_utc < older_than
      AND NOT EXISTS (SELECT 1 FROM {schema}.audit_outbox AS o
        WHERE o.audit_event_id = e.id AND o.delivery_state NOT IN ('delivered', 'dead_lettered'))
      AND NOT EXISTS (SELECT 1 FROM {schema}.audit_dead_letter AS d
        WHERE d.audit_event_id = e.id AND (NOT with_letters OR d.operator_status = 'open'));
  PERFORM set_config('criticizer.audit_verb', 'prune', true);
  DELETE FROM {schema}.audit_dead_letter AS d WHERE d.audit_event_id = ANY (gone);
  GET DIAGNOSTICS letters = ROW_COUNT;
  DELETE FROM {schema}.audit_outbox AS o WHERE o.audit_event_id = ANY (gone);
  GET DIAGNOSTICS deliveries = ROW_COUNT;
  DELETE FROM {schema}.audit_events AS e WHERE e.id = ANY (gone);
  GET DIAGNOSTICS events = ROW_COUNT;
  -- A digest without its salt tells nobody what a guess of the event hashes to.
  UPDATE {schema}.audit_seal_leaves AS l SET actor_salt = NULL, target_salt = NULL, payload_salt = NULL
    WHERE l.event_id = ANY (gone);
  PERFORM set_config('criticizer.audit_verb', '', true);
END $$;
REVOKE ALL ON FUNCTION {schema}.prune_audit_events(uuid[], timestamptz, boolean) FROM PUBLIC;
`;
