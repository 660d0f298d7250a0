import { changeMarks } from '../store/change-marks.js';
import { claimFunctions } from './claim-functions.js';

/**
 * Jobs (WQ-1), dead letters (ERR-7, ERR-9), global limits (WQ-10). Instants have the millisecond
 * that a Date holds, so that what was read can be compared with what is stored.
 */
export const sql = `${changeMarks}CREATE TABLE {schema}.work_queue (
  id uuid PRIMARY KEY,
  kind text NOT NULL,
  payload json NOT NULL,
  status text NOT NULL CHECK (status IN ('queued', 'running', 'completed', 'failed')),
  -- True: queued and due. Scheduled rows stay out of the index that claims read.
  ready boolean NOT NULL,
  stage text NOT NULL,
  priority integer NOT NULL,
  run_at timestamptz(3) NOT NULL,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  started_at timestamptz(3),
  finished_at timestamptz(3),
  idempotency_key text NOT NULL UNIQUE,
  changelist_id text,
  review_version integer,
  claimed_by text,
  claim_token text,
  lease_expires_at timestamptz(3),
  attempts jsonb NOT NULL,
  lost_leases integer NOT NULL,
  outputs json NOT NULL,
  transition_no integer NOT NULL,
  first_failure_at timestamptz(3),
  last_failure_at timestamptz(3),
  last_failure json,
  waiting_for text,
  -- An operator asked for the end of a running job, and why. A queued row never has it, so claims need not look.
  cancel_reason text,
  result json,
  replay_of uuid,
  replay_of_class text,
  -- Of the span that stored the job.
  traceparent text,
  -- The settlement that last changed the row, or its call: what a lost connection leaves open is read back here.
  last_settlement uuid,
  CHECK (NOT ready OR status = 'queued'),
  CHECK (cancel_reason IS NULL OR status = 'running'),
  CHECK ((status = 'running') = (claim_token IS NOT NULL))
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_cost_delay = 0);
-- The order of the claim, over due rows only.
CREATE INDEX work_queue_ready ON {schema}.work_queue (priority DESC, created_at, id) WHERE ready;
CREATE INDEX work_queue_scheduled ON {schema}.work_queue (run_at) WHERE status = 'queued' AND NOT ready;
-- Not by lease_expires_at: a heartbeat that changes no indexed column is a HOT update, and running rows are few.
CREATE INDEX work_queue_running ON {schema}.work_queue (id) WHERE status = 'running';
CREATE UNIQUE INDEX work_queue_version ON {schema}.work_queue (changelist_id, review_version) WHERE review_version IS NOT NULL;
CREATE INDEX work_queue_change ON {schema}.work_queue (changelist_id, id) WHERE changelist_id IS NOT NULL;
CREATE INDEX work_queue_failed ON {schema}.work_queue (id) WHERE status = 'failed';
CREATE INDEX work_queue_finished ON {schema}.work_queue (finished_at) WHERE finished_at IS NOT NULL;

-- What an operator triages and replays.
CREATE TABLE {schema}.dead_letters (
  id uuid PRIMARY KEY,
  job_id uuid NOT NULL,
  kind text NOT NULL,
  changelist_id text,
  stage text NOT NULL,
  -- Class and message without ids, numbers and paths, and that message.
  cause_key text NOT NULL,
  cause text NOT NULL,
  attempts integer NOT NULL,
  error_class text NOT NULL,
  category text NOT NULL,
  last_stack text NOT NULL,
  sanitized_context json NOT NULL,
  escalation text NOT NULL CHECK (escalation IN ('none', 'operator', 'page')),
  first_failure_at timestamptz(3) NOT NULL,
  last_failure_at timestamptz(3) NOT NULL,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  status text NOT NULL CHECK (status IN ('open', 'triaged', 'replaying', 'resolved', 'ignored', 'failed-again')),
  replays integer NOT NULL,
  replay_of uuid,
  notes json NOT NULL
);
CREATE INDEX dead_letters_job ON {schema}.dead_letters (job_id, id);
CREATE INDEX dead_letters_change ON {schema}.dead_letters (changelist_id, id) WHERE changelist_id IS NOT NULL;
CREATE INDEX dead_letters_status ON {schema}.dead_letters (status, id);
CREATE INDEX dead_letters_stage ON {schema}.dead_letters (stage, id);
CREATE INDEX dead_letters_kind ON {schema}.dead_letters (kind, id);
CREATE INDEX dead_letters_class ON {schema}.dead_letters (error_class, id);
CREATE INDEX dead_letters_open ON {schema}.dead_letters (stage, error_class) WHERE status IN ('open', 'triaged');
CREATE INDEX dead_letters_cause ON {schema}.dead_letters (status, cause_key, id);
CREATE INDEX dead_letters_any_cause ON {schema}.dead_letters (cause_key, id);

CREATE TABLE {schema}.queue_limits (
  name text PRIMARY KEY,
  value integer NOT NULL,
  updated_at timestamptz(3) NOT NULL
);
${claimFunctions}`;
