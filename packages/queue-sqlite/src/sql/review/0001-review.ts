import { changeMarks } from '../store/change-marks.js';

/** Every column of the egress log that no purge empties. */
const same = [
  ...['seq', 'id', 'destination', 'content', 'message_key', 'job_id', 'changelist_id', 'review_version', 'provider'],
  ...['host', 'model', 'prompt_version', 'schema_version', 'bytes', 'body_sha256', 'redactions', 'rules_version'],
  ...['policy_hash', 'recorded_at'],
];

/**
 * What reviews keep besides their jobs: the egress log, append only (EGR-1), watch cursors,
 * versioned documents (PR-4, EGR-4), bucketed counts (PR-5) and suppressions (GRD-8). REPLACE
 * removes a row without a delete trigger, so an id that is there already is refused before
 * (PostgreSQL has no REPLACE).
 */
export const sql = `
CREATE TABLE egress_log (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  destination TEXT NOT NULL,
  content TEXT NOT NULL,
  message_key TEXT,
  job_id TEXT,
  changelist_id TEXT NOT NULL,
  review_version INTEGER NOT NULL,
  provider TEXT NOT NULL,
  host TEXT NOT NULL,
  model TEXT,
  prompt_version TEXT,
  schema_version TEXT,
  paths TEXT NOT NULL,
  bytes INTEGER NOT NULL,
  body_sha256 TEXT NOT NULL,
  redactions TEXT NOT NULL,
  rules_version TEXT,
  policy_hash TEXT,
  recorded_at INTEGER NOT NULL
);
${changeMarks}CREATE INDEX egress_log_change ON egress_log (changelist_id, recorded_at, seq);
CREATE INDEX egress_log_time ON egress_log (recorded_at, seq);
CREATE INDEX egress_log_job ON egress_log (job_id, recorded_at, seq);
CREATE INDEX egress_log_destination ON egress_log (destination, recorded_at, seq);
-- A purge empties the paths of the records of its change; nothing else of a record ever changes.
CREATE TRIGGER egress_log_no_update BEFORE UPDATE ON egress_log
WHEN NOT (NEW.paths = '[]' AND (${same.map((column) => `NEW.${column}`).join(', ')}) IS (${same.map((column) => `OLD.${column}`).join(', ')})
  AND EXISTS (SELECT 1 FROM change_marks WHERE changelist_id = OLD.changelist_id AND purging_since IS NOT NULL))
BEGIN SELECT RAISE(ABORT, 'egress_log is append only'); END;
-- What a retention has released: older records may go, and nothing newer, whoever deletes.
CREATE TABLE egress_log_retention (
  only_row INTEGER PRIMARY KEY NOT NULL CHECK (only_row = 1),
  kept_since INTEGER NOT NULL
);
CREATE TRIGGER egress_log_no_delete BEFORE DELETE ON egress_log
WHEN NOT EXISTS (SELECT 1 FROM egress_log_retention WHERE OLD.recorded_at < kept_since)
BEGIN SELECT RAISE(ABORT, 'egress_log is append only'); END;
CREATE TRIGGER egress_log_not_replaced BEFORE INSERT ON egress_log WHEN EXISTS (SELECT 1 FROM egress_log WHERE id = NEW.id OR seq = NEW.seq)
BEGIN SELECT RAISE(ABORT, 'egress_log is append only'); END;

CREATE TABLE watch_cursors (
  name TEXT PRIMARY KEY NOT NULL,
  value TEXT NOT NULL,
  updated_at INTEGER NOT NULL
);
CREATE TABLE versioned_documents (
  name TEXT PRIMARY KEY NOT NULL,
  version INTEGER NOT NULL CHECK (version >= 1),
  value TEXT NOT NULL,
  updated_at INTEGER NOT NULL
);
CREATE TABLE sample_counts (
  name TEXT NOT NULL,
  bucket INTEGER NOT NULL,
  variant TEXT NOT NULL,
  counted TEXT NOT NULL,
  total REAL NOT NULL,
  PRIMARY KEY (name, bucket, variant, counted)
) WITHOUT ROWID;
-- What hides findings (GRD-8): of one finding where there is a change, of a rule otherwise.
CREATE TABLE suppressions (
  id TEXT PRIMARY KEY NOT NULL,
  changelist_id TEXT,
  finding_id TEXT,
  covers_secret INTEGER NOT NULL CHECK (covers_secret IN (0, 1)),
  rule_id TEXT,
  paths TEXT,
  category TEXT,
  severity TEXT,
  confidence TEXT,
  disposition TEXT NOT NULL CHECK (disposition IN ('false_positive', 'wont_fix', 'acknowledged')),
  reason TEXT NOT NULL,
  actor_type TEXT NOT NULL,
  actor_id TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  ended_at INTEGER,
  ended_by_type TEXT,
  ended_by_id TEXT,
  CHECK ((changelist_id IS NULL) = (finding_id IS NULL)),
  CHECK (changelist_id IS NOT NULL OR expires_at IS NOT NULL),
  CHECK (changelist_id IS NOT NULL OR covers_secret = 0)
);
CREATE UNIQUE INDEX suppressions_finding ON suppressions (changelist_id, finding_id) WHERE ended_at IS NULL;
CREATE INDEX suppressions_change ON suppressions (changelist_id, id);
`;
