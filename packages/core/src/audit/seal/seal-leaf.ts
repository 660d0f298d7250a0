import { createHash } from 'node:crypto';
import { canonicalJson } from '../../foundation/canonical-json.js';
import type { JsonObject } from '../../foundation/json.js';
import type { AuditSealLeaf } from '../../stores/audit-seal-store.js';
import type { AuditEvent } from '../../stores/audit-store.js';
import { hashLeaf } from './merkle-tree.js';

/** Bytes of a salt: nobody can try values of a person's columns against a digest without it. */
export const SALT_BYTES = 16;

/** What an erasure may blank alone: each has a salt and a digest of its own, so that the others stay proven. */
export type LeafPart = 'actor' | 'target' | 'payload';

/** The three of them. */
export const leafParts: readonly LeafPart[] = ['actor', 'target', 'payload'];

/** The columns of a part, as they are hashed. */
function readPart(event: AuditEvent, part: LeafPart): JsonObject {
  switch (part) {
    case 'actor':
      return { actor_id: event.actorId, source_ip: event.sourceIp, user_agent: event.userAgent };
    case 'target':
      return { target_id: event.targetId };
    case 'payload':
      return { payload: event.payload, payload_hash_sha256: event.payloadSha256 };
  }
}

/**
 * Digest of columns that may concern a person, under a salt: once the salt is deleted, the digest
 * says nothing about them, and still proves them in the leaf.
 */
export function digestPart(event: AuditEvent, part: LeafPart, salt: string): string {
  const hash = createHash('sha256').update(Buffer.from(salt, 'hex'));
  return hash.update(canonicalJson(readPart(event, part))).digest('hex');
}

/** Digest of the columns that stay when a person is erased. Instants in whole milliseconds. */
export function digestClear(event: AuditEvent): string {
  const clear = canonicalJson({
    recorded_at: event.createdAt.toISOString(),
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

/** Hash of a leaf from its own columns, place included: two leaves cannot change places. Salts are not part of it. */
export function computeLeafHash(
  leaf: Omit<AuditSealLeaf, 'actorSalt' | 'targetSalt' | 'payloadSalt' | 'leafHash'>,
): string {
  const data = canonicalJson({
    seal_seq: leaf.sealSeq,
    leaf_index: leaf.leafIndex,
    event_id: leaf.eventId,
    occurred_at: leaf.occurredAt.toISOString(),
    actor_digest: leaf.actorDigest,
    target_digest: leaf.targetDigest,
    payload_digest: leaf.payloadDigest,
    clear_digest: leaf.clearDigest,
  });
  return hashLeaf(data).toString('hex');
}

/** The leaf of an event at its place in a batch. `drawSalt` gives 16 random bytes in hex, new ones each time. */
export function createLeaf(
  event: AuditEvent,
  place: Pick<AuditSealLeaf, 'sealSeq' | 'leafIndex'>,
  drawSalt: () => string,
): AuditSealLeaf {
  const salts = { actorSalt: drawSalt(), targetSalt: drawSalt(), payloadSalt: drawSalt() };
  const leaf = {
    ...place,
    eventId: event.id,
    occurredAt: event.occurredAt,
    actorDigest: digestPart(event, 'actor', salts.actorSalt),
    targetDigest: digestPart(event, 'target', salts.targetSalt),
    payloadDigest: digestPart(event, 'payload', salts.payloadSalt),
    clearDigest: digestClear(event),
  };
  return { ...leaf, ...salts, leafHash: computeLeafHash(leaf) };
}
