/** AUD-1: terminal delivery failures. Only status, note and operator ever change (AUD-16). */
export const sql = `
CREATE TABLE {schema}.audit_dead_letter (
  id uuid PRIMARY KEY,
  outbox_id uuid NOT NULL UNIQUE REFERENCES {schema}.audit_outbox (id) ON DELETE CASCADE,
  audit_event_id uuid NOT NULL REFERENCES {schema}.audit_events (id) ON DELETE CASCADE,
  destination text NOT NULL,
  final_attempt_count integer NOT NULL,
  first_failed_at_utc timestamptz NOT NULL,
  dead_lettered_at_utc timestamptz NOT NULL DEFAULT now(),
  error_summary text NOT NULL,
  error_details jsonb,
  operator_status text NOT NULL DEFAULT 'open',
  operator_note text,
  operator_id text,
  updated_at_utc timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX idx_audit_dead_letter_status_time ON {schema}.audit_dead_letter (operator_status, dead_lettered_at_utc DESC);
CREATE INDEX idx_audit_dead_letter_destination ON {schema}.audit_dead_letter (destination, dead_lettered_at_utc DESC);
CREATE TRIGGER audit_dead_letter_immutable BEFORE UPDATE OF id, outbox_id, audit_event_id, destination, final_attempt_count,
  first_failed_at_utc, dead_lettered_at_utc, error_summary, error_details ON {schema}.audit_dead_letter
  FOR EACH ROW EXECUTE FUNCTION {schema}.refuse_audit_change();
`;
