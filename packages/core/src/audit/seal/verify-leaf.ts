import type { AuditSealLeaf, SealedEvent } from '../../stores/audit-seal-store.js';
import type { AuditEvent } from '../../stores/audit-store.js';
import type { AuditFindingKind } from './audit-finding.js';
import { computeLeafHash, digestClear, digestPart, type LeafPart, leafParts } from './seal-leaf.js';

/** The member that the payload of an erased event has. */
const ERASURE_META = '_erasure_meta';

/** What became of one sealed event: as it was sealed, erased or pruned by an audited verb, or wrong. */
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
  if (salt === null) return isBlank(event, part);
  // What is no hex would be cut off when the bytes are read.
  return /^[0-9a-f]{32}$/.test(salt) && digestPart(event, part, salt) === leaf[`${part}Digest`];
}

function isAsSealed(leaf: AuditSealLeaf, event: AuditEvent): boolean {
  if (event.occurredAt.getTime() !== leaf.occurredAt.getTime()) return false;
  return digestClear(event) === leaf.clearDigest && leafParts.every((part) => isPartAsSealed(leaf, event, part));
}

/** What audited verbs of the trail explain: what they deleted and blanked. */
export interface ExplainedLoss {
  /** Of all prunes, the latest instant at which an event that they deleted occurred; null without a prune. */
  prunedUntil: Date | null;
  /** Ids of the events that erasures blanked. */
  erasedIds: ReadonlySet<string>;
}

/**
 * Compares one leaf with its event. A part that was blanked while its salt is there was edited: an
 * erasure deletes the salt in the same transaction.
 */
export function verifyLeaf({ leaf, event }: SealedEvent, { prunedUntil, erasedIds }: ExplainedLoss): LeafState {
  if (computeLeafHash(leaf) !== leaf.leafHash) return 'leaf-changed';
  if (event === null) return prunedUntil !== null && leaf.occurredAt <= prunedUntil ? 'pruned' : 'event-missing';
  if (!isAsSealed(leaf, event)) return 'event-edited';
  if (leafParts.every((part) => leaf[`${part}Salt`] !== null)) return 'whole';
  return erasedIds.has(leaf.eventId) ? 'erased' : 'erasure-unexplained';
}
