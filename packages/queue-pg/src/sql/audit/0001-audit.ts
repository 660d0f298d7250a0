import { keeping } from './audit-keeping.js';
import { seals } from './audit-seals.js';

/** AUD-1: events, deliveries, dead letters, the checks, in the order of the specification; then what keeps them. */
export const sql = `
-- The forensic record: immutable.
CREATE TABLE {schema}.audit_events (
  id uuid PRIMARY KEY,
  occurred_at_utc timestamptz NOT NULL,
  actor_type text NOT NULL,
  actor_id text,
  tenant_id text,
  trace_id text,
  request_id text,
  action text NOT NULL,
  target_type text,
  target_id text,
  result_status text NOT NULL,
  http_status integer,
  source_ip inet,
  user_agent text,
  payload_redacted jsonb NOT NULL,
  payload_hash_sha256 text NOT NULL,
  schema_version integer NOT NULL DEFAULT 1,
  created_at_utc timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX idx_audit_events_occurred_at ON {schema}.audit_events (occurred_at_utc DESC, created_at_utc DESC, id DESC);
CREATE INDEX idx_audit_events_actor ON {schema}.audit_events (actor_type, actor_id, occurred_at_utc DESC);
CREATE INDEX idx_audit_events_action ON {schema}.audit_events (action, occurred_at_utc DESC, created_at_utc DESC, id DESC);
CREATE INDEX idx_audit_events_actor_id ON {schema}.audit_events (actor_id, occurred_at_utc DESC, created_at_utc DESC, id DESC);
CREATE INDEX idx_audit_events_tenant ON {schema}.audit_events (tenant_id, occurred_at_utc DESC, created_at_utc DESC, id DESC)
  WHERE tenant_id IS NOT NULL;
CREATE INDEX idx_audit_events_trace ON {schema}.audit_events (trace_id) WHERE trace_id IS NOT NULL;
CREATE INDEX idx_audit_events_target ON {schema}.audit_events (target_id, target_type) WHERE target_id IS NOT NULL;

-- Deliveries to outside sinks. lease_owner holds the worker's id and its claim's token: both fence.
-- sink_receipt: what a sink that confirms later gave when it took the event.
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
  sink_receipt jsonb,
  lease_owner text,
  lease_expires_at_utc timestamptz,
  created_at_utc timestamptz NOT NULL DEFAULT now(),
  updated_at_utc timestamptz NOT NULL DEFAULT now()
);
-- Partial, so that a requeue can add a fresh row beside the dead-lettered one (ruling R2).
CREATE UNIQUE INDEX ux_audit_outbox_destination_event ON {schema}.audit_outbox (destination, audit_event_id)
  WHERE delivery_state <> 'dead_lettered';
CREATE UNIQUE INDEX ux_audit_outbox_idempotency_key ON {schema}.audit_outbox (idempotency_key);
CREATE INDEX idx_audit_outbox_destination ON {schema}.audit_outbox (destination, id);
CREATE INDEX idx_audit_outbox_event ON {schema}.audit_outbox (audit_event_id, id);
CREATE INDEX idx_audit_outbox_state ON {schema}.audit_outbox (delivery_state, id) WHERE delivery_state <> 'delivered';
-- A claim names its destination: the backlog of one that is out must not slow the others.
CREATE INDEX idx_audit_outbox_due ON {schema}.audit_outbox (destination, delivery_state, next_attempt_at_utc, id)
  WHERE delivery_state IN ('pending', 'retry_wait');
CREATE INDEX idx_audit_outbox_sched ON {schema}.audit_outbox (delivery_state, next_attempt_at_utc);
CREATE INDEX idx_audit_outbox_lease ON {schema}.audit_outbox (lease_expires_at_utc) WHERE delivery_state = 'in_progress';

-- Terminal delivery failures. Only status, note and operator ever change (AUD-16).
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
CREATE INDEX idx_audit_dead_letter_status_time ON {schema}.audit_dead_letter (operator_status, dead_lettered_at_utc DESC, id DESC);
CREATE INDEX idx_audit_dead_letter_time ON {schema}.audit_dead_letter (dead_lettered_at_utc DESC, id DESC);
CREATE INDEX idx_audit_dead_letter_destination ON {schema}.audit_dead_letter (destination, dead_lettered_at_utc DESC, id DESC);
CREATE INDEX idx_audit_dead_letter_operator ON {schema}.audit_dead_letter (operator_id) WHERE operator_id IS NOT NULL;
CREATE INDEX idx_audit_dead_letter_event ON {schema}.audit_dead_letter (audit_event_id);

ALTER TABLE {schema}.audit_events
  ADD CONSTRAINT ck_audit_events_actor_type CHECK (actor_type IN ('admin_user', 'service_account', 'system')),
  ADD CONSTRAINT ck_audit_events_result_status CHECK (result_status IN ('success', 'failure', 'partial'));
ALTER TABLE {schema}.audit_outbox
  ADD CONSTRAINT ck_audit_outbox_delivery_state CHECK (delivery_state IN ('pending', 'in_progress', 'retry_wait', 'delivered', 'dead_lettered'));
ALTER TABLE {schema}.audit_dead_letter
  ADD CONSTRAINT ck_audit_dead_letter_operator_status CHECK (operator_status IN ('open', 'requeued', 'ignored', 'resolved'));
${keeping}${seals}`;
