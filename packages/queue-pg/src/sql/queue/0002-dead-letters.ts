/** What an operator triages and replays (ERR-7, ERR-9). */
export const sql = `
CREATE TABLE {schema}.dead_letters (
  id uuid PRIMARY KEY,
  job_id uuid NOT NULL,
  kind text NOT NULL,
  changelist_id text,
  stage text NOT NULL,
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
  status text NOT NULL CHECK (status IN ('open', 'replaying', 'resolved', 'ignored')),
  replays integer NOT NULL,
  replay_of uuid,
  notes json NOT NULL
);
CREATE INDEX dead_letters_job ON {schema}.dead_letters (job_id);
CREATE INDEX dead_letters_open ON {schema}.dead_letters (stage, error_class) WHERE status = 'open';
`;
