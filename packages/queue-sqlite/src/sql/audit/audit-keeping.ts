/**
 * What was recorded stays as it is. A verb that may change it puts its name into `audit_verb` for the
 * rest of its transaction, and the triggers look there: no other connection ever sees the row, and a
 * statement by hand finds the table empty. REPLACE removes a row without a delete trigger, so an id
 * that is there already is refused before (PostgreSQL has no REPLACE).
 */
export const keeping = `
-- What was recorded stays. The verb that may change it stands here while its transaction runs.
CREATE TABLE audit_verb (verb TEXT PRIMARY KEY NOT NULL CHECK (verb IN ('erase', 'prune'))) WITHOUT ROWID;

-- An erasure blanks some columns, and may not write anything else into them.
CREATE TRIGGER audit_events_immutable BEFORE UPDATE ON audit_events WHEN NOT (
  EXISTS (SELECT 1 FROM audit_verb WHERE verb = 'erase') AND json_type(NEW.payload_redacted, '$._erasure_meta') IS NOT NULL
  AND (NEW.actor_id IS NULL OR NEW.actor_id IS OLD.actor_id) AND (NEW.target_id IS NULL OR NEW.target_id IS OLD.target_id)
  AND (NEW.source_ip IS NULL OR NEW.source_ip IS OLD.source_ip) AND (NEW.user_agent IS NULL OR NEW.user_agent IS OLD.user_agent)
  AND (NEW.id, NEW.occurred_at_utc, NEW.actor_type, NEW.action, NEW.result_status, NEW.schema_version, NEW.created_at_utc)
    = (OLD.id, OLD.occurred_at_utc, OLD.actor_type, OLD.action, OLD.result_status, OLD.schema_version, OLD.created_at_utc)
  AND NEW.tenant_id IS OLD.tenant_id AND NEW.trace_id IS OLD.trace_id AND NEW.request_id IS OLD.request_id
  AND NEW.target_type IS OLD.target_type AND NEW.http_status IS OLD.http_status)
BEGIN SELECT RAISE(ABORT, 'rows of audit_events never change'); END;
CREATE TRIGGER audit_outbox_immutable BEFORE UPDATE OF id, audit_event_id, destination, idempotency_key, created_at_utc ON audit_outbox
BEGIN SELECT RAISE(ABORT, 'rows of audit_outbox never change but for their delivery'); END;
CREATE TRIGGER audit_dead_letter_immutable BEFORE UPDATE OF id, outbox_id, audit_event_id, destination, final_attempt_count, first_failed_at_utc,
  dead_lettered_at_utc, error_summary, error_details ON audit_dead_letter
BEGIN SELECT RAISE(ABORT, 'only status, note and operator change'); END;

CREATE TRIGGER audit_events_kept BEFORE DELETE ON audit_events WHEN NOT EXISTS (SELECT 1 FROM audit_verb WHERE verb = 'prune')
BEGIN SELECT RAISE(ABORT, 'rows of audit_events are kept'); END;
CREATE TRIGGER audit_events_not_replaced BEFORE INSERT ON audit_events WHEN EXISTS (SELECT 1 FROM audit_events WHERE id = NEW.id)
BEGIN SELECT RAISE(ABORT, 'rows of audit_events are kept'); END;
CREATE TRIGGER audit_outbox_kept BEFORE DELETE ON audit_outbox
WHEN OLD.delivery_state NOT IN ('delivered', 'dead_lettered') OR NOT EXISTS (SELECT 1 FROM audit_verb WHERE verb = 'prune')
BEGIN SELECT RAISE(ABORT, 'rows of audit_outbox are kept'); END;
CREATE TRIGGER audit_outbox_not_replaced BEFORE INSERT ON audit_outbox
WHEN EXISTS (SELECT 1 FROM audit_outbox WHERE id = NEW.id OR idempotency_key = NEW.idempotency_key
  OR (destination = NEW.destination AND audit_event_id = NEW.audit_event_id AND delivery_state <> 'dead_lettered'))
BEGIN SELECT RAISE(ABORT, 'rows of audit_outbox are kept'); END;
CREATE TRIGGER audit_dead_letter_kept BEFORE DELETE ON audit_dead_letter WHEN OLD.operator_status = 'open'
  OR NOT EXISTS (SELECT 1 FROM audit_verb WHERE verb = 'prune')
BEGIN SELECT RAISE(ABORT, 'rows of audit_dead_letter are kept'); END;
CREATE TRIGGER audit_dead_letter_not_replaced BEFORE INSERT ON audit_dead_letter
WHEN EXISTS (SELECT 1 FROM audit_dead_letter WHERE id = NEW.id OR outbox_id = NEW.outbox_id)
BEGIN SELECT RAISE(ABORT, 'rows of audit_dead_letter are kept'); END;
`;
