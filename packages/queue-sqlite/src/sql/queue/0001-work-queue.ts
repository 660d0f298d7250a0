/** Jobs (WQ-1). Instants are milliseconds since the epoch, UTC; JSON is text. */
export const sql = `
CREATE TABLE work_queue (
  id TEXT PRIMARY KEY NOT NULL,
  kind TEXT NOT NULL,
  payload TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('queued', 'running', 'completed', 'failed')),
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
-- The order of the claim, over due rows only.
CREATE INDEX work_queue_ready ON work_queue (priority DESC, created_at, id) WHERE ready = 1;
CREATE INDEX work_queue_scheduled ON work_queue (run_at) WHERE status = 'queued' AND ready = 0;
-- Not by lease_expires_at: heartbeats change it, and running rows are few.
CREATE INDEX work_queue_running ON work_queue (id) WHERE status = 'running';
CREATE UNIQUE INDEX work_queue_version ON work_queue (changelist_id, review_version) WHERE review_version IS NOT NULL;
CREATE INDEX work_queue_finished ON work_queue (finished_at) WHERE finished_at IS NOT NULL;

-- The store's clock: it follows the host's and never falls (INV-6).
CREATE TABLE criticizer_clock (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  now_ms REAL NOT NULL,
  host_ms INTEGER NOT NULL
);
INSERT INTO criticizer_clock (id, now_ms, host_ms) VALUES (1, 0, 0);
`;
