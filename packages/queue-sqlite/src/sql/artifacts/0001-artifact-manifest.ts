import { changeMarks } from '../store/change-marks.js';

/** The ledger of artifacts: what exists, until when, under which key (ART-1, ART-2, ART-7). */
export const sql = `
CREATE TABLE artifact_manifest (
  id TEXT PRIMARY KEY NOT NULL,
  namespace TEXT NOT NULL CHECK (namespace IN ('raw', 'redacted')),
  purpose TEXT NOT NULL,
  storage_key TEXT NOT NULL,
  content_type TEXT NOT NULL,
  changelist_id TEXT,
  job_id TEXT,
  redaction TEXT,
  kek_id TEXT NOT NULL,
  wrapped_key TEXT NOT NULL,
  bytes INTEGER NOT NULL,
  digest TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('pending', 'live', 'deleted')),
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  deleted_at INTEGER,
  deletion_verified_at INTEGER,
  sweep_owner TEXT,
  sweep_token TEXT,
  sweep_expires_at INTEGER,
  UNIQUE (namespace, storage_key),
  CHECK ((status = 'deleted') = (deleted_at IS NOT NULL)),
  CHECK (status <> 'deleted' OR wrapped_key = '')
);
CREATE INDEX artifact_manifest_expiry ON artifact_manifest (expires_at) WHERE status <> 'deleted';
CREATE INDEX artifact_manifest_pending ON artifact_manifest (created_at) WHERE status = 'pending';
CREATE INDEX artifact_manifest_change ON artifact_manifest (changelist_id, created_at, id) WHERE status <> 'deleted';
CREATE INDEX artifact_manifest_gone ON artifact_manifest (changelist_id) WHERE status = 'deleted';
CREATE INDEX artifact_manifest_proven ON artifact_manifest (deletion_verified_at) WHERE status = 'deleted';
CREATE INDEX artifact_manifest_newest ON artifact_manifest (created_at, id) WHERE status <> 'deleted';
CREATE INDEX artifact_manifest_unverified ON artifact_manifest (deleted_at, id) WHERE status = 'deleted' AND deletion_verified_at IS NULL;

-- Tells the objects of this database's manifest from those of others that share its artifact store.
CREATE TABLE artifact_manifest_id (
  only_row INTEGER PRIMARY KEY NOT NULL CHECK (only_row = 1),
  id TEXT NOT NULL
);
INSERT INTO artifact_manifest_id (only_row, id) VALUES (1, lower(hex(randomblob(16))));
${changeMarks}`;
