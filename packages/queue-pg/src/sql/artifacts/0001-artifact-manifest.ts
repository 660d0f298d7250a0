import { changeMarks } from '../store/change-marks.js';

/** The ledger of artifacts: what exists, until when, under which key (ART-1, ART-2, ART-7). */
export const sql = `${changeMarks}CREATE TABLE {schema}.artifact_manifest (
  id text PRIMARY KEY,
  namespace text NOT NULL CHECK (namespace IN ('raw', 'redacted')),
  purpose text NOT NULL,
  storage_key text NOT NULL,
  content_type text NOT NULL,
  changelist_id text,
  job_id text,
  redaction json,
  kek_id text NOT NULL,
  wrapped_key text NOT NULL,
  bytes bigint NOT NULL,
  digest text NOT NULL,
  status text NOT NULL CHECK (status IN ('pending', 'live', 'deleted')),
  created_at timestamptz(3) NOT NULL,
  expires_at timestamptz(3) NOT NULL,
  deleted_at timestamptz(3),
  deletion_verified_at timestamptz(3),
  sweep_owner text,
  sweep_token text,
  sweep_expires_at timestamptz(3),
  UNIQUE (namespace, storage_key),
  CHECK ((status = 'deleted') = (deleted_at IS NOT NULL)),
  CHECK (status <> 'deleted' OR wrapped_key = '')
);
CREATE INDEX artifact_manifest_expiry ON {schema}.artifact_manifest (expires_at) WHERE status <> 'deleted';
CREATE INDEX artifact_manifest_pending ON {schema}.artifact_manifest (created_at) WHERE status = 'pending';
CREATE INDEX artifact_manifest_change ON {schema}.artifact_manifest (changelist_id, created_at, id) WHERE status <> 'deleted';
CREATE INDEX artifact_manifest_gone ON {schema}.artifact_manifest (changelist_id) WHERE status = 'deleted';
CREATE INDEX artifact_manifest_proven ON {schema}.artifact_manifest (deletion_verified_at) WHERE status = 'deleted';
CREATE INDEX artifact_manifest_newest ON {schema}.artifact_manifest (created_at, id) WHERE status <> 'deleted';
CREATE INDEX artifact_manifest_unverified ON {schema}.artifact_manifest (deleted_at, id)
  WHERE status = 'deleted' AND deletion_verified_at IS NULL;

-- Tells the objects of this database's manifest from those of others that share its artifact store.
CREATE TABLE {schema}.artifact_manifest_id (
  only_row integer PRIMARY KEY CHECK (only_row = 1),
  id text NOT NULL
);
INSERT INTO {schema}.artifact_manifest_id (only_row, id) VALUES (1, gen_random_uuid()::text);
`;
