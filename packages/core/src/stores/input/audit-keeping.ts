import type { OptionShape } from '../../foundation/check-options.js';
import { checkedElsewhere } from '../../foundation/option-checks.js';
import { checkHex, checkJsonObject, checkText, checkWhole } from '../../foundation/store-input.js';
import type { AuditErasure } from '../audit-store.js';
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
