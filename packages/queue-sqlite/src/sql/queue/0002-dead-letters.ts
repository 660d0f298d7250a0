/** What an operator triages and replays (ERR-7, ERR-9). */
export const sql = `
CREATE TABLE dead_letters (
  id TEXT PRIMARY KEY NOT NULL,
  job_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  changelist_id TEXT,
  stage TEXT NOT NULL,
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
  status TEXT NOT NULL CHECK (status IN ('open', 'replaying', 'resolved', 'ignored')),
  replays INTEGER NOT NULL,
  replay_of TEXT,
  notes TEXT NOT NULL
);
CREATE INDEX dead_letters_job ON dead_letters (job_id);
CREATE INDEX dead_letters_open ON dead_letters (stage, error_class) WHERE status = 'open';
`;
