/** AUD-1: deliveries to outside sinks. `lease_owner` holds the worker's id and its claim's token: both fence. */
export const sql = `
CREATE TABLE audit_outbox (
  id TEXT PRIMARY KEY NOT NULL,
  audit_event_id TEXT NOT NULL REFERENCES audit_events (id) ON DELETE CASCADE,
  destination TEXT NOT NULL,
  idempotency_key TEXT NOT NULL,
  delivery_state TEXT NOT NULL CHECK (delivery_state IN ('pending', 'in_progress', 'retry_wait', 'delivered', 'dead_lettered')),
  attempt_count INTEGER NOT NULL DEFAULT 0,
  next_attempt_at_utc INTEGER NOT NULL,
  last_error_code TEXT,
  last_error_message TEXT,
  first_failed_at_utc INTEGER,
  last_attempt_at_utc INTEGER,
  delivered_at_utc INTEGER,
  lease_owner TEXT,
  lease_expires_at_utc INTEGER,
  created_at_utc INTEGER NOT NULL,
  updated_at_utc INTEGER NOT NULL
);
-- Partial, so that a requeue can add a fresh row beside the dead-lettered one (ruling R2).
CREATE UNIQUE INDEX ux_audit_outbox_destination_event ON audit_outbox (destination, audit_event_id) WHERE delivery_state <> 'dead_lettered';
CREATE UNIQUE INDEX ux_audit_outbox_idempotency_key ON audit_outbox (idempotency_key);
CREATE INDEX idx_audit_outbox_sched ON audit_outbox (delivery_state, next_attempt_at_utc);
CREATE INDEX idx_audit_outbox_lease ON audit_outbox (lease_expires_at_utc) WHERE delivery_state = 'in_progress';
`;
