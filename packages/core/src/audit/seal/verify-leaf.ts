import type { AuditSealLeaf, SealedEvent } from '../../stores/audit-seal-store.js';
import type { AuditEvent } from '../../stores/audit-store.js';
import type { AuditFindingKind } from './audit-finding.js';
import { computeLeafHash, digestClear, digestPart, type LeafPart, leafParts } from './seal-leaf.js';

/** The member that stands in the payload of an erased event. */
const ERASURE_META = '_erasure_meta';

/** How one sealed event stands: as it was sealed, erased or pruned by an audited verb, or wrong. */
export type LeafState = 'whole' | 'erased' | 'pruned' | AuditFindingKind;

/** True where a part of an event holds nothing of a person, as an erasure leaves it. */
function isBlank(event: AuditEvent, part: LeafPart): boolean {
  switch (part) {
    case 'actor':
      return event.actorId === null && event.sourceIp === null && event.userAgent === null;
    case 'target':
      return event.targetId === null;
    case 'payload':
      return Object.hasOwn(event.payload, ERASURE_META);
  }
}

function isPartAsSealed(leaf: AuditSealLeaf, event: AuditEvent, part: LeafPart): boolean {
  const salt = leaf[`${part}Salt`];
  return salt === null ? isBlank(event, part) : digestPart(event, part, salt) === leaf[`${part}Digest`];
}

function isAsSealed(leaf: AuditSealLeaf, event: AuditEvent): boolean {
  if (event.createdAt.getTime() !== leaf.recordedAt.getTime()) return false;
  return digestClear(event) === leaf.clearDigest && leafParts.every((part) => isPartAsSealed(leaf, event, part));
}

/**
 * Compares one leaf with its event. `prunedBefore`: the latest instant before which a prune that is
 * in the trail deleted events; null for none. A part that was blanked while its salt is there was
 * edited: an erasure deletes the salt in the same transaction.
 */
export function verifyLeaf({ leaf, event }: SealedEvent, prunedBefore: Date | null): LeafState {
  if (computeLeafHash(leaf) !== leaf.leafHash) return 'leaf-changed';
  if (event === null) return prunedBefore !== null && leaf.recordedAt < prunedBefore ? 'pruned' : 'event-missing';
  if (!isAsSealed(leaf, event)) return 'event-edited';
  return leaf.payloadSalt === null ? 'erased' : 'whole';
}
