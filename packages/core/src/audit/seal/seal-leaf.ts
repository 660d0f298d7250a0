import { createHash } from 'node:crypto';
import { canonicalJson } from '../../foundation/canonical-json.js';
import type { AuditSealLeaf } from '../../stores/audit-seal-store.js';
import type { AuditEvent } from '../../stores/audit-store.js';
import { hashLeaf } from './merkle-tree.js';

/** Bytes of a salt: nobody can try values of a person's columns against a digest without it. */
export const SALT_BYTES = 32;

/**
 * Digest of the columns that concern a person, under the leaf's salt: once the salt is deleted,
 * the digest says nothing about them, and still stands for them in the leaf.
 */
export function digestPersonal(event: AuditEvent, salt: string): string {
  const personal = canonicalJson({
    actor_id: event.actorId,
    target_id: event.targetId,
    source_ip: event.sourceIp,
    user_agent: event.userAgent,
    payload: event.payload,
    payload_hash_sha256: event.payloadSha256,
  });
  return createHash('sha256').update(Buffer.from(salt, 'hex')).update(personal).digest('hex');
}

/** Digest of the columns that stay when a person is erased. Instants in whole milliseconds. */
export function digestClear(event: AuditEvent): string {
  const clear = canonicalJson({
    occurred_at: event.occurredAt.toISOString(),
    actor_type: event.actorType,
    tenant_id: event.tenantId,
    trace_id: event.traceId,
    request_id: event.requestId,
    action: event.action,
    target_type: event.targetType,
    result_status: event.resultStatus,
    http_status: event.httpStatus,
    schema_version: event.schemaVersion,
  });
  return createHash('sha256').update(clear).digest('hex');
}

/** Hash of a leaf from its own columns, place included: two leaves cannot change places. */
export function computeLeafHash(leaf: Omit<AuditSealLeaf, 'salt' | 'leafHash'>): string {
  const data = canonicalJson({
    seal_seq: leaf.sealSeq,
    leaf_index: leaf.leafIndex,
    event_id: leaf.eventId,
    recorded_at: leaf.recordedAt.toISOString(),
    personal_digest: leaf.personalDigest,
    clear_digest: leaf.clearDigest,
  });
  return hashLeaf(data).toString('hex');
}

/** The leaf of an event at its place in a batch. `salt`: 32 random bytes in hex, for this leaf alone. */
export function createLeaf(
  event: AuditEvent,
  place: Pick<AuditSealLeaf, 'sealSeq' | 'leafIndex'>,
  salt: string,
): AuditSealLeaf {
  const leaf = {
    ...place,
    eventId: event.id,
    recordedAt: event.createdAt,
    personalDigest: digestPersonal(event, salt),
    clearDigest: digestClear(event),
  };
  return { ...leaf, salt, leafHash: computeLeafHash(leaf) };
}
