import { changeMarks } from '../store/change-marks.js';

/**
 * Jobs (WQ-1), dead letters (ERR-7, ERR-9) and global limits (WQ-10). Instants are milliseconds since
 * the epoch, UTC; JSON is text. A check `IN` of more than two texts builds a table of them for every
 * row written, so the status of a job is compared text by text.
 */
export const sql = `
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
  -- An operator asked for the end of a running job, and why. A queued row never has it, so claims need not look.
  cancel_reason TEXT,
  result TEXT,
  replay_of TEXT,
  replay_of_class TEXT,
  -- Of the span that stored the job.
  traceparent TEXT,
  -- The id of the settlement that last changed the row, so that a repeated one is known.
  last_settlement TEXT,
  CHECK (ready = 0 OR status = 'queued'),
  CHECK (cancel_reason IS NULL OR status = 'running'),
  CHECK ((status = 'running') = (claim_token IS NOT NULL))
);
-- The order of the claim, over due rows only: ids begin with created_at and sort like (created_at, id).
CREATE INDEX work_queue_ready ON work_queue (priority DESC, id) WHERE ready = 1;
CREATE INDEX work_queue_scheduled ON work_queue (run_at) WHERE status = 'queued' AND ready = 0;
-- Heartbeats change it three times a lease; by ids, each claim would read every row that runs or is held to look for expired leases.
CREATE INDEX work_queue_running ON work_queue (lease_expires_at) WHERE status = 'running';
CREATE UNIQUE INDEX work_queue_version ON work_queue (changelist_id, review_version) WHERE review_version IS NOT NULL;
CREATE INDEX work_queue_change ON work_queue (changelist_id, id) WHERE changelist_id IS NOT NULL;
CREATE INDEX work_queue_failed ON work_queue (id) WHERE status = 'failed';
CREATE INDEX work_queue_finished ON work_queue (finished_at) WHERE finished_at IS NOT NULL;

-- What an operator triages and replays.
CREATE TABLE dead_letters (
  id TEXT PRIMARY KEY NOT NULL,
  job_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  changelist_id TEXT,
  stage TEXT NOT NULL,
  -- Class and message without ids, numbers and paths, and that message.
  cause_key TEXT NOT NULL,
  cause TEXT NOT NULL,
  attempts INTEGER NOT NULL,
  error_class TEXT NOT NULL,
  category TEXT NOT NULL,
  last_stack TEXT NOT NULL,
  sanitized_context TEXT NOT NULL,
  escalation TEXT NOT NULL CHECK (escalation IN ('none', 'operator', 'page')),
  first_failure_at INTEGER NOT NULL,
  last_failure_at INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('open', 'triaged', 'replaying', 'resolved', 'ignored', 'failed-again')),
  replays INTEGER NOT NULL,
  replay_of TEXT,
  notes TEXT NOT NULL
);
CREATE INDEX dead_letters_job ON dead_letters (job_id, id);
CREATE INDEX dead_letters_change ON dead_letters (changelist_id, id) WHERE changelist_id IS NOT NULL;
CREATE INDEX dead_letters_status ON dead_letters (status, id);
CREATE INDEX dead_letters_stage ON dead_letters (stage, id);
CREATE INDEX dead_letters_kind ON dead_letters (kind, id);
CREATE INDEX dead_letters_class ON dead_letters (error_class, id);
CREATE INDEX dead_letters_open ON dead_letters (stage, error_class) WHERE status IN ('open', 'triaged');
CREATE INDEX dead_letters_cause ON dead_letters (status, cause_key, id);
CREATE INDEX dead_letters_any_cause ON dead_letters (cause_key, id);

CREATE TABLE queue_limits (
  name TEXT PRIMARY KEY NOT NULL,
  value INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
);
${changeMarks}`;
