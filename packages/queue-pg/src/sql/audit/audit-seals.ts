/**
 * Seals over the trail (decision 127): signed roots of batches, and what each says about its events.
 * A sealer writes them off the host's path. Nothing of them ever changes, except that the verbs that
 * erase a person or prune an event delete the salts of its leaf.
 */
export const seals = `
-- A sealer reads events in the order in which they were recorded.
CREATE INDEX idx_audit_events_created ON {schema}.audit_events (created_at_utc, id);
CREATE TABLE {schema}.audit_seals (
  seq integer PRIMARY KEY,
  leaf_count integer NOT NULL,
  merkle_root text NOT NULL,
  previous_root text NOT NULL,
  sealed_at_utc timestamptz NOT NULL,
  key_id text NOT NULL,
  signature text NOT NULL
);
-- No reference to audit_events: a pruned event leaves its leaf behind.
CREATE TABLE {schema}.audit_seal_leaves (
  seal_seq integer NOT NULL REFERENCES {schema}.audit_seals (seq),
  leaf_index integer NOT NULL,
  event_id uuid NOT NULL,
  event_occurred_at_utc timestamptz NOT NULL,
  actor_salt text,
  target_salt text,
  payload_salt text,
  actor_digest text NOT NULL,
  target_digest text NOT NULL,
  payload_digest text NOT NULL,
  clear_digest text NOT NULL,
  leaf_hash text NOT NULL,
  PRIMARY KEY (seal_seq, leaf_index)
);
CREATE UNIQUE INDEX ux_audit_seal_leaves_event ON {schema}.audit_seal_leaves (event_id);
CREATE FUNCTION {schema}.refuse_audit_leaf_change() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  salts CONSTANT text[] := ARRAY['actor_salt', 'target_salt', 'payload_salt'];
BEGIN
  IF ({schema}.has_audit_verb('erase', TG_RELID) OR {schema}.has_audit_verb('prune', TG_RELID))
    AND (NEW.actor_salt IS NULL OR NEW.actor_salt IS NOT DISTINCT FROM OLD.actor_salt)
    AND (NEW.target_salt IS NULL OR NEW.target_salt IS NOT DISTINCT FROM OLD.target_salt)
    AND (NEW.payload_salt IS NULL OR NEW.payload_salt IS NOT DISTINCT FROM OLD.payload_salt)
    AND to_jsonb(NEW) - salts = to_jsonb(OLD) - salts
  THEN RETURN NEW; END IF;
  RAISE EXCEPTION 'rows of % never change', TG_TABLE_NAME USING ERRCODE = 'integrity_constraint_violation';
END $$;
CREATE TRIGGER audit_seals_immutable BEFORE UPDATE ON {schema}.audit_seals
  FOR EACH ROW EXECUTE FUNCTION {schema}.refuse_audit_change();
CREATE TRIGGER audit_seal_leaves_immutable BEFORE UPDATE ON {schema}.audit_seal_leaves
  FOR EACH ROW EXECUTE FUNCTION {schema}.refuse_audit_leaf_change();
CREATE TRIGGER audit_seals_kept BEFORE DELETE ON {schema}.audit_seals
  FOR EACH ROW EXECUTE FUNCTION {schema}.refuse_audit_loss();
CREATE TRIGGER audit_seals_not_emptied BEFORE TRUNCATE ON {schema}.audit_seals
  FOR EACH STATEMENT EXECUTE FUNCTION {schema}.refuse_audit_loss();
CREATE TRIGGER audit_seal_leaves_kept BEFORE DELETE ON {schema}.audit_seal_leaves
  FOR EACH ROW EXECUTE FUNCTION {schema}.refuse_audit_loss();
CREATE TRIGGER audit_seal_leaves_not_emptied BEFORE TRUNCATE ON {schema}.audit_seal_leaves
  FOR EACH STATEMENT EXECUTE FUNCTION {schema}.refuse_audit_loss();
`;
