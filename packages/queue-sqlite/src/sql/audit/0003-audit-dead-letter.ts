/** AUD-1: terminal delivery failures. Only status, note and operator ever change (AUD-16). */
export const sql = `
CREATE TABLE audit_dead_letter (
  id TEXT PRIMARY KEY NOT NULL,
  outbox_id TEXT NOT NULL UNIQUE REFERENCES audit_outbox (id) ON DELETE CASCADE,
  audit_event_id TEXT NOT NULL REFERENCES audit_events (id) ON DELETE CASCADE,
  destination TEXT NOT NULL,
  final_attempt_count INTEGER NOT NULL,
  first_failed_at_utc INTEGER NOT NULL,
  dead_lettered_at_utc INTEGER NOT NULL,
  error_summary TEXT NOT NULL,
  error_details TEXT,
  operator_status TEXT NOT NULL DEFAULT 'open' CHECK (operator_status IN ('open', 'requeued', 'ignored', 'resolved')),
  operator_note TEXT,
  operator_id TEXT,
  updated_at_utc INTEGER NOT NULL
);
CREATE INDEX idx_audit_dead_letter_status_time ON audit_dead_letter (operator_status, dead_lettered_at_utc DESC);
CREATE INDEX idx_audit_dead_letter_destination ON audit_dead_letter (destination, dead_lettered_at_utc DESC);
CREATE TRIGGER audit_dead_letter_immutable BEFORE UPDATE OF id, outbox_id, audit_event_id, destination, final_attempt_count, first_failed_at_utc,
  dead_lettered_at_utc, error_summary, error_details ON audit_dead_letter
BEGIN SELECT RAISE(ABORT, 'only status, note and operator change'); END;
`;
