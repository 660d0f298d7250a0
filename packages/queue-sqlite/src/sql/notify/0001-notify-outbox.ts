/** The delivery log: one row per change, recipient and version (NOT-3); messages of hosts; preferences (NOT-10). */
export const sql = `
CREATE TABLE notify_outbox (
  id TEXT PRIMARY KEY NOT NULL,
  changelist_id TEXT NOT NULL,
  review_version INTEGER NOT NULL,
  recipient TEXT NOT NULL,
  recipient_key TEXT NOT NULL,
  key TEXT NOT NULL,
  required INTEGER NOT NULL CHECK (required IN (0, 1)),
  -- The mailer that delivers it.
  via TEXT NOT NULL,
  job_id TEXT,
  message_artifact_id TEXT NOT NULL,
  message_sha256 TEXT NOT NULL,
  traceparent TEXT,
  status TEXT NOT NULL CHECK (status IN ('pending', 'held', 'sending', 'sent', 'failed', 'unknown', 'cancelled')),
  attempts INTEGER NOT NULL,
  phase TEXT NOT NULL CHECK (phase IN ('none', 'envelope', 'data')),
  data_at INTEGER,
  -- The claim under which data_at was recorded: a later attempt records it anew.
  data_token TEXT,
  notification_id TEXT,
  notified_at INTEGER,
  provider TEXT,
  provider_key_expires_at INTEGER,
  possible_duplicate INTEGER NOT NULL CHECK (possible_duplicate IN (0, 1)),
  last_failure TEXT,
  waiting_for TEXT,
  next_attempt_at INTEGER NOT NULL,
  verified_at INTEGER,
  -- When reconciliation last looked without finding proof.
  reconciled_at INTEGER,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  claimed_by TEXT,
  claim_token TEXT,
  lease_expires_at INTEGER,
  UNIQUE (changelist_id, review_version, recipient_key),
  CHECK ((status = 'sent') = (notified_at IS NOT NULL AND notification_id IS NOT NULL))
);
CREATE INDEX notify_outbox_due ON notify_outbox (next_attempt_at, id, via) WHERE status = 'pending';
CREATE INDEX notify_outbox_sending ON notify_outbox (id, via) WHERE status = 'sending';
CREATE INDEX notify_outbox_unverified ON notify_outbox (notified_at, id, via) WHERE status = 'sent' AND verified_at IS NULL;
CREATE INDEX notify_outbox_age ON notify_outbox (created_at);
CREATE INDEX notify_outbox_key ON notify_outbox (key, id);
CREATE INDEX notify_outbox_change ON notify_outbox (changelist_id, id);
CREATE INDEX notify_outbox_status ON notify_outbox (status, id) WHERE status <> 'sent';
CREATE INDEX notify_outbox_recipient ON notify_outbox (recipient_key, id);
CREATE INDEX notify_outbox_notification ON notify_outbox (notification_id, id) WHERE notification_id IS NOT NULL;
CREATE INDEX notify_outbox_job ON notify_outbox (job_id, id) WHERE job_id IS NOT NULL;

-- The bytes of a host's own mails, as Base64; those of reviews are encrypted artifacts.
CREATE TABLE notify_messages (
  id TEXT PRIMARY KEY NOT NULL,
  changelist_id TEXT NOT NULL,
  body TEXT NOT NULL,
  created_at INTEGER NOT NULL
);
CREATE INDEX notify_messages_age ON notify_messages (created_at);
CREATE INDEX notify_messages_change ON notify_messages (changelist_id);

CREATE TABLE recipient_preferences (
  recipient_key TEXT PRIMARY KEY NOT NULL,
  mails TEXT NOT NULL CHECK (mails IN ('all', 'high', 'off')),
  link_only INTEGER NOT NULL CHECK (link_only IN (0, 1)),
  actor_type TEXT NOT NULL,
  actor_id TEXT NOT NULL,
  updated_at INTEGER NOT NULL
);
`;
