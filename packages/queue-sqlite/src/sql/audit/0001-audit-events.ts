/**
 * AUD-1: the forensic record. SQLite adds no checks later, so they stand here; elsewhere they are
 * the module's last step.
 */
export const sql = `
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
CREATE INDEX idx_audit_events_occurred_at ON audit_events (occurred_at_utc DESC);
CREATE INDEX idx_audit_events_actor ON audit_events (actor_type, actor_id, occurred_at_utc DESC);
CREATE INDEX idx_audit_events_action ON audit_events (action, occurred_at_utc DESC);
CREATE INDEX idx_audit_events_tenant ON audit_events (tenant_id, occurred_at_utc DESC) WHERE tenant_id IS NOT NULL;
CREATE INDEX idx_audit_events_trace ON audit_events (trace_id) WHERE trace_id IS NOT NULL;
CREATE TRIGGER audit_events_no_update BEFORE UPDATE ON audit_events BEGIN SELECT RAISE(ABORT, 'audit_events is immutable'); END;
`;
