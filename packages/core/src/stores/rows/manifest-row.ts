import type { ArtifactNamespace, ArtifactPurpose, ArtifactRow, ArtifactStatus } from '../artifact-manifest.js';
import { type Instant, parsed, toDate, toDateOrNull } from './row-values.js';

/** A row of `artifact_manifest`, JSON as text. A driver may give a bigint as text. */
export interface ManifestRow {
  id: string;
  namespace: ArtifactNamespace;
  purpose: ArtifactPurpose;
  storage_key: string;
  content_type: string;
  changelist_id: string | null;
  job_id: string | null;
  redaction: string | null;
  kek_id: string;
  wrapped_key: string;
  bytes: string | number;
  digest: string;
  status: ArtifactStatus;
  created_at: Instant;
  expires_at: Instant;
  deleted_at: Instant | null;
  deletion_verified_at: Instant | null;
}

/** The artifact as the port shows it; `isExpired` by the store's clock. */
export function toArtifact(row: ManifestRow, isExpired: boolean): ArtifactRow {
  return {
    id: row.id,
    namespace: row.namespace,
    purpose: row.purpose,
    storageKey: row.storage_key,
    contentType: row.content_type,
    changelistId: row.changelist_id,
    jobId: row.job_id,
    redaction: parsed<{ ruleVersion: string; policyHash: string }>(row.redaction),
    kekId: row.kek_id,
    wrappedKey: row.wrapped_key,
    bytes: Number(row.bytes),
    digest: row.digest,
    status: row.status,
    createdAt: toDate(row.created_at),
    expiresAt: toDate(row.expires_at),
    deletedAt: toDateOrNull(row.deleted_at),
    deletionVerifiedAt: toDateOrNull(row.deletion_verified_at),
    isExpired,
  };
}
