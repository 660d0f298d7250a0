/** AUD-1: the forensic record, immutable. */
export const sql = `
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
CREATE INDEX idx_audit_events_occurred_at ON {schema}.audit_events (occurred_at_utc DESC);
CREATE INDEX idx_audit_events_actor ON {schema}.audit_events (actor_type, actor_id, occurred_at_utc DESC);
CREATE INDEX idx_audit_events_action ON {schema}.audit_events (action, occurred_at_utc DESC);
CREATE INDEX idx_audit_events_tenant ON {schema}.audit_events (tenant_id, occurred_at_utc DESC) WHERE tenant_id IS NOT NULL;
CREATE INDEX idx_audit_events_trace ON {schema}.audit_events (trace_id) WHERE trace_id IS NOT NULL;
CREATE FUNCTION {schema}.refuse_audit_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'rows of % never change', TG_TABLE_NAME USING ERRCODE = 'integrity_constraint_violation';
END $$;
CREATE TRIGGER audit_events_immutable BEFORE UPDATE ON {schema}.audit_events
  FOR EACH ROW EXECUTE FUNCTION {schema}.refuse_audit_change();
`;
