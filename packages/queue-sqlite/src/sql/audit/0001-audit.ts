import { keeping } from './audit-keeping.js';
import { seals } from './audit-seals.js';

/**
 * AUD-1: events, deliveries, dead letters, in the order of the specification, then what keeps them.
 * SQLite adds no checks later, so they stand in the tables.
 */
export const sql = `
-- The forensic record: immutable.
CREATE TABLE audit_events (
  id TEXT PRIMARY KEY NOT NULL,
  occurred_at_utc INTEGER NOT NULL,
  actor_type TEXT NOT NULL CHECK (actor_type IN ('admin_user', 'service_account', 'system')),
  actor_id TEXT,
  tenant_id TEXT,
  trace_id TEXT,
  request_id TEXT,
  action TEXT NOT NULL,
  target_type TEXT,
  target_id TEXT,
  result_status TEXT NOT NULL CHECK (result_status IN ('success', 'failure', 'partial')),
  http_status INTEGER,
  source_ip TEXT,
  user_agent TEXT,
  payload_redacted TEXT NOT NULL,
  payload_hash_sha256 TEXT NOT NULL,
  schema_version INTEGER NOT NULL DEFAULT 1,
  created_at_utc INTEGER NOT NULL
);
CREATE INDEX idx_audit_events_occurred_at ON audit_events (occurred_at_utc DESC, created_at_utc DESC, id DESC);
CREATE INDEX idx_audit_events_actor ON audit_events (actor_type, actor_id, occurred_at_utc DESC);
CREATE INDEX idx_audit_events_action ON audit_events (action, occurred_at_utc DESC, created_at_utc DESC, id DESC);
CREATE INDEX idx_audit_events_actor_id ON audit_events (actor_id, occurred_at_utc DESC, created_at_utc DESC, id DESC);
CREATE INDEX idx_audit_events_tenant ON audit_events (tenant_id, occurred_at_utc DESC, created_at_utc DESC, id DESC)
  WHERE tenant_id IS NOT NULL;
CREATE INDEX idx_audit_events_trace ON audit_events (trace_id) WHERE trace_id IS NOT NULL;
CREATE INDEX idx_audit_events_target ON audit_events (target_id, target_type) WHERE target_id IS NOT NULL;

-- Deliveries to outside sinks. lease_owner holds the worker's id and its claim's token: both fence.
-- sink_receipt: what a sink that confirms later gave when it took the event.
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
  sink_receipt TEXT,
  lease_owner TEXT,
  lease_expires_at_utc INTEGER,
  created_at_utc INTEGER NOT NULL,
  updated_at_utc INTEGER NOT NULL
);
-- Partial, so that a requeue can add a fresh row beside the dead-lettered one (ruling R2).
CREATE UNIQUE INDEX ux_audit_outbox_destination_event ON audit_outbox (destination, audit_event_id) WHERE delivery_state <> 'dead_lettered';
CREATE UNIQUE INDEX ux_audit_outbox_idempotency_key ON audit_outbox (idempotency_key);
CREATE INDEX idx_audit_outbox_destination ON audit_outbox (destination, id);
CREATE INDEX idx_audit_outbox_event ON audit_outbox (audit_event_id, id);
CREATE INDEX idx_audit_outbox_state ON audit_outbox (delivery_state, id) WHERE delivery_state <> 'delivered';
-- A claim names its destination: the backlog of one that is out must not slow the others.
CREATE INDEX idx_audit_outbox_due ON audit_outbox (destination, delivery_state, next_attempt_at_utc, id)
  WHERE delivery_state IN ('pending', 'retry_wait');
CREATE INDEX idx_audit_outbox_sched ON audit_outbox (delivery_state, next_attempt_at_utc);
CREATE INDEX idx_audit_outbox_lease ON audit_outbox (lease_expires_at_utc) WHERE delivery_state = 'in_progress';

-- Terminal delivery failures. Only status, note and operator ever change (AUD-16).
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
CREATE INDEX idx_audit_dead_letter_status_time ON audit_dead_letter (operator_status, dead_lettered_at_utc DESC, id DESC);
CREATE INDEX idx_audit_dead_letter_time ON audit_dead_letter (dead_lettered_at_utc DESC, id DESC);
CREATE INDEX idx_audit_dead_letter_destination ON audit_dead_letter (destination, dead_lettered_at_utc DESC, id DESC);
CREATE INDEX idx_audit_dead_letter_operator ON audit_dead_letter (operator_id) WHERE operator_id IS NOT NULL;
CREATE INDEX idx_audit_dead_letter_event ON audit_dead_letter (audit_event_id);
${keeping}${seals}`;
