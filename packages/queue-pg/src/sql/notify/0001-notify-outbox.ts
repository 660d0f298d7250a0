/** The delivery log: one row per change, recipient and version (NOT-3); messages of hosts; preferences (NOT-10). */
export const sql = `
CREATE TABLE {schema}.notify_outbox (
  id uuid PRIMARY KEY,
  changelist_id text NOT NULL,
  review_version integer NOT NULL,
  recipient text NOT NULL,
  recipient_key text NOT NULL,
  key text NOT NULL,
  required boolean NOT NULL,
  -- The mailer that delivers it.
  via text NOT NULL,
  job_id text,
  message_artifact_id text NOT NULL,
  message_sha256 text NOT NULL,
  traceparent text,
  status text NOT NULL CHECK (status IN ('pending', 'held', 'sending', 'sent', 'failed', 'unknown', 'cancelled')),
  attempts integer NOT NULL,
  phase text NOT NULL CHECK (phase IN ('none', 'envelope', 'data')),
  data_at timestamptz(3),
  -- The claim under which data_at was recorded: a later attempt records it anew.
  data_token text,
  notification_id text,
  notified_at timestamptz(3),
  provider text,
  provider_key_expires_at timestamptz(3),
  possible_duplicate boolean NOT NULL,
  last_failure json,
  waiting_for text,
  next_attempt_at timestamptz(3) NOT NULL,
  verified_at timestamptz(3),
  -- When reconciliation last looked without finding proof.
  reconciled_at timestamptz(3),
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  claimed_by text,
  claim_token text,
  lease_expires_at timestamptz(3),
  UNIQUE (changelist_id, review_version, recipient_key),
  CHECK ((status = 'sent') = (notified_at IS NOT NULL AND notification_id IS NOT NULL))
) WITH (fillfactor = 80);
CREATE INDEX notify_outbox_due ON {schema}.notify_outbox (next_attempt_at, id, via) WHERE status = 'pending';
CREATE INDEX notify_outbox_sending ON {schema}.notify_outbox (id, via) WHERE status = 'sending';
CREATE INDEX notify_outbox_unverified ON {schema}.notify_outbox (notified_at, id, via) WHERE status = 'sent' AND verified_at IS NULL;
CREATE INDEX notify_outbox_age ON {schema}.notify_outbox (created_at);
CREATE INDEX notify_outbox_key ON {schema}.notify_outbox (key, id);
CREATE INDEX notify_outbox_change ON {schema}.notify_outbox (changelist_id, id);
CREATE INDEX notify_outbox_status ON {schema}.notify_outbox (status, id) WHERE status <> 'sent';
CREATE INDEX notify_outbox_recipient ON {schema}.notify_outbox (recipient_key, id);
CREATE INDEX notify_outbox_notification ON {schema}.notify_outbox (notification_id, id) WHERE notification_id IS NOT NULL;
CREATE INDEX notify_outbox_job ON {schema}.notify_outbox (job_id, id) WHERE job_id IS NOT NULL;

-- The bytes of a host's own mails; those of reviews are encrypted artifacts.
CREATE TABLE {schema}.notify_messages (
  id uuid PRIMARY KEY,
  changelist_id text NOT NULL,
  body bytea NOT NULL,
  created_at timestamptz(3) NOT NULL
);
CREATE INDEX notify_messages_age ON {schema}.notify_messages (created_at);
CREATE INDEX notify_messages_change ON {schema}.notify_messages (changelist_id);

CREATE TABLE {schema}.recipient_preferences (
  recipient_key text COLLATE "C" PRIMARY KEY,
  mails text NOT NULL CHECK (mails IN ('all', 'high', 'off')),
  link_only boolean NOT NULL,
  actor_type text NOT NULL,
  actor_id text NOT NULL,
  updated_at timestamptz(3) NOT NULL
);
`;
