/** AUD-1: deliveries to outside sinks. `lease_owner` holds the worker's id and its claim's token: both fence. */
export const sql = `
CREATE TABLE {schema}.audit_outbox (
  id uuid PRIMARY KEY,
  audit_event_id uuid NOT NULL REFERENCES {schema}.audit_events (id) ON DELETE CASCADE,
  destination text NOT NULL,
  idempotency_key text NOT NULL,
  delivery_state text NOT NULL,
  attempt_count integer NOT NULL DEFAULT 0,
  next_attempt_at_utc timestamptz NOT NULL DEFAULT now(),
  last_error_code text,
  last_error_message text,
  first_failed_at_utc timestamptz,
  last_attempt_at_utc timestamptz,
  delivered_at_utc timestamptz,
  lease_owner text,
  lease_expires_at_utc timestamptz,
  created_at_utc timestamptz NOT NULL DEFAULT now(),
  updated_at_utc timestamptz NOT NULL DEFAULT now()
);
-- Partial, so that a requeue can add a fresh row beside the dead-lettered one (ruling R2).
CREATE UNIQUE INDEX ux_audit_outbox_destination_event ON {schema}.audit_outbox (destination, audit_event_id)
  WHERE delivery_state <> 'dead_lettered';
CREATE UNIQUE INDEX ux_audit_outbox_idempotency_key ON {schema}.audit_outbox (idempotency_key);
CREATE INDEX idx_audit_outbox_sched ON {schema}.audit_outbox (delivery_state, next_attempt_at_utc);
CREATE INDEX idx_audit_outbox_lease ON {schema}.audit_outbox (lease_expires_at_utc) WHERE delivery_state = 'in_progress';
`;
