import { changeMarks } from '../store/change-marks.js';

/**
 * What reviews keep besides their jobs: the egress log, append only and never emptied (EGR-1), watch
 * cursors, versioned documents (PR-4, EGR-4), bucketed counts (PR-5) and suppressions (GRD-8).
 */
export const sql = `${changeMarks}CREATE TABLE {schema}.egress_log (
  seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id text NOT NULL UNIQUE,
  destination text NOT NULL,
  content text NOT NULL,
  message_key text,
  job_id text,
  changelist_id text NOT NULL,
  review_version integer NOT NULL,
  provider text NOT NULL,
  host text NOT NULL,
  model text,
  prompt_version text,
  schema_version text,
  paths json NOT NULL,
  bytes bigint NOT NULL,
  body_sha256 text NOT NULL,
  redactions json NOT NULL,
  rules_version text,
  policy_hash text,
  recorded_at timestamptz(3) NOT NULL
);
CREATE INDEX egress_log_change ON {schema}.egress_log (changelist_id, recorded_at, seq);
CREATE INDEX egress_log_time ON {schema}.egress_log (recorded_at, seq);
CREATE INDEX egress_log_job ON {schema}.egress_log (job_id, recorded_at, seq);
CREATE INDEX egress_log_destination ON {schema}.egress_log (destination, recorded_at, seq);
CREATE FUNCTION {schema}.refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'rows of % never change', TG_TABLE_NAME USING ERRCODE = 'integrity_constraint_violation';
END $$;
-- A purge empties the paths of the records of its change; nothing else of a record ever changes.
CREATE FUNCTION {schema}.guard_egress_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.paths::text = '[]' AND to_jsonb(NEW) - 'paths' = to_jsonb(OLD) - 'paths'
      AND EXISTS (SELECT FROM {schema}.change_marks AS m WHERE m.changelist_id = OLD.changelist_id AND m.purging_since IS NOT NULL) THEN
    RETURN NEW;
  END IF;
  RAISE EXCEPTION 'rows of % never change', TG_TABLE_NAME USING ERRCODE = 'integrity_constraint_violation';
END $$;
-- What a retention has released: older records may go, and nothing newer, whoever deletes.
CREATE TABLE {schema}.egress_log_retention (
  only_row integer PRIMARY KEY CHECK (only_row = 1),
  kept_since timestamptz(3) NOT NULL
);
CREATE FUNCTION {schema}.guard_egress_delete() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT FROM {schema}.egress_log_retention AS r WHERE OLD.recorded_at < r.kept_since) THEN
    RETURN OLD;
  END IF;
  RAISE EXCEPTION 'rows of % never change', TG_TABLE_NAME USING ERRCODE = 'integrity_constraint_violation';
END $$;
CREATE TRIGGER egress_log_append_only BEFORE DELETE ON {schema}.egress_log
  FOR EACH ROW EXECUTE FUNCTION {schema}.guard_egress_delete();
CREATE TRIGGER egress_log_no_update BEFORE UPDATE ON {schema}.egress_log
  FOR EACH ROW EXECUTE FUNCTION {schema}.guard_egress_change();
CREATE TRIGGER egress_log_not_emptied BEFORE TRUNCATE ON {schema}.egress_log
  FOR EACH STATEMENT EXECUTE FUNCTION {schema}.refuse_change();

CREATE TABLE {schema}.watch_cursors (
  name text PRIMARY KEY,
  value text NOT NULL,
  updated_at timestamptz(3) NOT NULL
);
CREATE TABLE {schema}.versioned_documents (
  name text PRIMARY KEY,
  version integer NOT NULL CHECK (version >= 1),
  value json NOT NULL,
  updated_at timestamptz(3) NOT NULL
);
CREATE TABLE {schema}.sample_counts (
  name text NOT NULL,
  bucket timestamptz(3) NOT NULL,
  variant text NOT NULL,
  counted text NOT NULL,
  total double precision NOT NULL,
  PRIMARY KEY (name, bucket, variant, counted)
);
-- What hides findings (GRD-8): of one finding where there is a change, of a rule otherwise.
CREATE TABLE {schema}.suppressions (
  id uuid PRIMARY KEY,
  changelist_id text,
  finding_id text,
  covers_secret boolean NOT NULL,
  rule_id text,
  paths text,
  category text,
  severity text,
  confidence text,
  disposition text NOT NULL CHECK (disposition IN ('false_positive', 'wont_fix', 'acknowledged')),
  reason text NOT NULL,
  actor_type text NOT NULL,
  actor_id text NOT NULL,
  created_at timestamptz(3) NOT NULL,
  expires_at timestamptz(3),
  ended_at timestamptz(3),
  ended_by_type text,
  ended_by_id text,
  CHECK ((changelist_id IS NULL) = (finding_id IS NULL)),
  CHECK (changelist_id IS NOT NULL OR expires_at IS NOT NULL),
  CHECK (changelist_id IS NOT NULL OR NOT covers_secret)
);
CREATE UNIQUE INDEX suppressions_finding ON {schema}.suppressions (changelist_id, finding_id) WHERE ended_at IS NULL;
CREATE INDEX suppressions_change ON {schema}.suppressions (changelist_id, id);
`;
