/**
 * AUD-1: what was recorded stays. A delivery may go once it is delivered; pruning more is a step of
 * its own, with a verb that is audited itself. REPLACE removes a row without a delete trigger, so
 * that an id that is there already is refused before (PostgreSQL has no REPLACE).
 */
export const sql = `
CREATE TRIGGER audit_events_kept BEFORE DELETE ON audit_events BEGIN SELECT RAISE(ABORT, 'rows of audit_events are kept'); END;
CREATE TRIGGER audit_events_not_replaced BEFORE INSERT ON audit_events WHEN EXISTS (SELECT 1 FROM audit_events WHERE id = NEW.id)
BEGIN SELECT RAISE(ABORT, 'rows of audit_events are kept'); END;
CREATE TRIGGER audit_outbox_kept BEFORE DELETE ON audit_outbox WHEN OLD.delivery_state <> 'delivered'
BEGIN SELECT RAISE(ABORT, 'rows of audit_outbox are kept'); END;
CREATE TRIGGER audit_outbox_not_replaced BEFORE INSERT ON audit_outbox
WHEN EXISTS (SELECT 1 FROM audit_outbox WHERE id = NEW.id OR idempotency_key = NEW.idempotency_key
  OR (destination = NEW.destination AND audit_event_id = NEW.audit_event_id AND delivery_state <> 'dead_lettered'))
BEGIN SELECT RAISE(ABORT, 'rows of audit_outbox are kept'); END;
CREATE TRIGGER audit_dead_letter_kept BEFORE DELETE ON audit_dead_letter BEGIN SELECT RAISE(ABORT, 'rows of audit_dead_letter are kept'); END;
CREATE TRIGGER audit_dead_letter_not_replaced BEFORE INSERT ON audit_dead_letter
WHEN EXISTS (SELECT 1 FROM audit_dead_letter WHERE id = NEW.id OR outbox_id = NEW.outbox_id)
BEGIN SELECT RAISE(ABORT, 'rows of audit_dead_letter are kept'); END;
`;
