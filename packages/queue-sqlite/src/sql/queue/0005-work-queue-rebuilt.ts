/**
 * The table of 0001 with cheaper checks and indexes, which SQLite changes by making it anew. A
 * check `IN` of more than two texts builds a table of them for every row written. The copy goes out
 * and back, since a rename would fail on a host's view of the queue.
 */
export const sql = `
CREATE TEMP TABLE work_queue_kept AS SELECT rowid AS row_id, * FROM work_queue;
DROP TABLE work_queue;
CREATE TABLE work_queue (
  id TEXT PRIMARY KEY NOT NULL,
  kind TEXT NOT NULL,
  payload TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status = 'queued' OR status = 'running' OR status = 'completed' OR status = 'failed'),
  -- 1: queued and due. Scheduled rows stay out of the index that claims read.
  ready INTEGER NOT NULL CHECK (ready IN (0, 1)),
  stage TEXT NOT NULL,
  priority INTEGER NOT NULL,
  run_at INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  started_at INTEGER,
  finished_at INTEGER,
  idempotency_key TEXT NOT NULL UNIQUE,
  changelist_id TEXT,
  review_version INTEGER,
  claimed_by TEXT,
  claim_token TEXT,
  lease_expires_at INTEGER,
  attempts TEXT NOT NULL,
  lost_leases INTEGER NOT NULL,
  outputs TEXT NOT NULL,
  transition_no INTEGER NOT NULL,
  first_failure_at INTEGER,
  last_failure_at INTEGER,
  last_failure TEXT,
  waiting_for TEXT,
  result TEXT,
  replay_of TEXT,
  replay_of_class TEXT,
  CHECK (ready = 0 OR status = 'queued'),
  CHECK ((status = 'running') = (claim_token IS NOT NULL))
);
INSERT INTO work_queue (rowid, id, kind, payload, status, ready, stage, priority, run_at, created_at, updated_at, started_at, finished_at,
  idempotency_key, changelist_id, review_version, claimed_by, claim_token, lease_expires_at, attempts, lost_leases, outputs, transition_no,
  first_failure_at, last_failure_at, last_failure, waiting_for, result, replay_of, replay_of_class)
  SELECT * FROM work_queue_kept ORDER BY row_id;
DROP TABLE temp.work_queue_kept;
-- The order of the claim, over due rows only: ids begin with created_at and sort like (created_at, id).
CREATE INDEX work_queue_ready ON work_queue (priority DESC, id) WHERE ready = 1;
CREATE INDEX work_queue_scheduled ON work_queue (run_at) WHERE status = 'queued' AND ready = 0;
-- Heartbeats change it three times a lease; by ids, each claim would read every row that runs or is held to look for expired leases.
CREATE INDEX work_queue_running ON work_queue (lease_expires_at) WHERE status = 'running';
CREATE UNIQUE INDEX work_queue_version ON work_queue (changelist_id, review_version) WHERE review_version IS NOT NULL;
CREATE INDEX work_queue_finished ON work_queue (finished_at) WHERE finished_at IS NOT NULL;
`;
