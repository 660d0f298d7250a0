import type { OptionShape } from '../../foundation/check-options.js';
import { checkBoolean, checkedElsewhere } from '../../foundation/option-checks.js';
import { checkHex, checkJsonObject, checkMs, checkText, checkWhole } from '../../foundation/store-input.js';
import type { AuditErasure, AuditPruning } from '../audit-store.js';
import { maxAuditTextBytes } from './new-audit-event.js';

/** The member of a payload that says that the rest of it was erased. */
export const erasureMember = '_erasure_meta';

/** The keys of an erasure; `checkAuditErasure` checks the values. */
export const auditErasureShape: OptionShape<AuditErasure> = {
  subjectId: checkedElsewhere,
  targetTypes: checkedElsewhere,
  payload: checkedElsewhere,
  payloadSha256: checkedElsewhere,
  limit: checkedElsewhere,
};

/** What every store checks before it blanks a person. Throws `TypeError` naming the option. */
export function checkAuditErasure(erasure: AuditErasure): void {
  const { subjectId, targetTypes, payload, payloadSha256, limit } = erasure;
  checkText('erasure.subjectId', subjectId, maxAuditTextBytes);
  if (targetTypes !== null) {
    if (!Array.isArray(targetTypes)) throw new TypeError('erasure.targetTypes: expected a list of names, or null');
    for (const type of targetTypes) checkText('erasure.targetTypes', type, maxAuditTextBytes);
  }
  checkJsonObject('erasure.payload', payload);
  if (!Object.hasOwn(payload, erasureMember)) throw new TypeError(`erasure.payload: expected ${erasureMember}`);
  checkHex('erasure.payloadSha256', payloadSha256, 64);
  checkWhole('erasure.limit', limit, 1);
}

/** The keys of a pruning; `checkAuditPruning` checks the values. */
export const auditPruningShape: OptionShape<AuditPruning> = {
  olderThanMs: checkedElsewhere,
  includeDeadLetters: checkBoolean,
  limit: checkedElsewhere,
  after: checkedElsewhere,
};

/** Where a page of a pruning ended: when its last event happened and was recorded, as the store writes both, its id. */
export type AuditPlace = readonly [occurredAt: string, createdAt: string, id: string];

function readPlace(text: string): AuditPlace | null {
  try {
    const place: unknown = JSON.parse(text);
    const isPlace = Array.isArray(place) && place.length === 3 && place.every((part) => typeof part === 'string');
    return isPlace ? (place as unknown[] as [string, string, string]) : null;
  } catch {
    return null;
  }
}

/** What every store checks before it prunes; gives the place to go on from. Throws `TypeError` naming the option. */
export function checkAuditPruning({ olderThanMs, limit, after }: AuditPruning): AuditPlace | null {
  checkMs('pruning.olderThanMs', olderThanMs);
  checkWhole('pruning.limit', limit, 1);
  if (after === null) return null;
  const place = readPlace(after);
  if (place === null) throw new TypeError('pruning.after: expected the next of a page, or null');
  return place;
}

/** The `next` of a page that ended at these three. */
export function auditPlace(...place: AuditPlace): string {
  return JSON.stringify(place);
}
