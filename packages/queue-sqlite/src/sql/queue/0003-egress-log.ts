/** What left the house, append only (EGR-1). */
export const sql = `
CREATE TABLE egress_log (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  job_id TEXT NOT NULL,
  changelist_id TEXT NOT NULL,
  review_version INTEGER NOT NULL,
  provider TEXT NOT NULL,
  host TEXT NOT NULL,
  model TEXT NOT NULL,
  paths TEXT NOT NULL,
  bytes INTEGER NOT NULL,
  body_sha256 TEXT NOT NULL,
  redactions TEXT NOT NULL,
  rules_version TEXT NOT NULL,
  policy_hash TEXT NOT NULL,
  recorded_at INTEGER NOT NULL
);
CREATE INDEX egress_log_change ON egress_log (changelist_id, seq);
CREATE INDEX egress_log_job ON egress_log (job_id, seq);
CREATE TRIGGER egress_log_no_update BEFORE UPDATE ON egress_log BEGIN SELECT RAISE(ABORT, 'egress_log is append only'); END;
CREATE TRIGGER egress_log_no_delete BEFORE DELETE ON egress_log BEGIN SELECT RAISE(ABORT, 'egress_log is append only'); END;
`;
