import type { AuditSealLeaf, SealedEvent } from '../../stores/audit-seal-store.js';
import type { AuditEvent } from '../../stores/audit-store.js';
import type { AuditFindingKind } from './audit-finding.js';
import { computeLeafHash, digestClear, digestPersonal } from './seal-leaf.js';

/** How one sealed event stands: as it was sealed, erased or pruned by an audited verb, or wrong. */
export type LeafState = 'whole' | 'erased' | 'pruned' | AuditFindingKind;

/** True where no column of a person holds anything, as an erasure leaves an event. */
export function isBlank(event: AuditEvent): boolean {
  const columns = [event.actorId, event.targetId, event.sourceIp, event.userAgent];
  return columns.every((column) => column === null) && Object.keys(event.payload).length === 0;
}

function isAsSealed(leaf: AuditSealLeaf, event: AuditEvent): boolean {
  return event.createdAt.getTime() === leaf.recordedAt.getTime() && digestClear(event) === leaf.clearDigest;
}

/**
 * Compares one leaf with its event. `prunedBefore`: the latest instant before which a prune that is
 * in the trail deleted events; null for none. An event that was blanked while its salt is there was
 * edited: an erasure deletes the salt in the same transaction.
 */
export function verifyLeaf({ leaf, event }: SealedEvent, prunedBefore: Date | null): LeafState {
  if (computeLeafHash(leaf) !== leaf.leafHash) return 'leaf-changed';
  if (event === null) return prunedBefore !== null && leaf.recordedAt < prunedBefore ? 'pruned' : 'event-missing';
  if (!isAsSealed(leaf, event)) return 'event-edited';
  if (leaf.salt === null) return isBlank(event) ? 'erased' : 'event-edited';
  return digestPersonal(event, leaf.salt) === leaf.personalDigest ? 'whole' : 'event-edited';
}
