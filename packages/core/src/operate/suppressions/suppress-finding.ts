import { type Disposition, dispositions } from '../../foundation/disposition.js';
import { checkBoolean, oneOf, optional } from '../../foundation/option-checks.js';
import { checkMs, checkText, checkWhole } from '../../foundation/store-input.js';
import { checkRequest, type OperatorRequest } from '../operation.js';
import {
  type AdditionParts,
  addSuppression,
  requireRole,
  type Suppressed,
  type SuppressionPolicy,
} from './suppression-policy.js';

/** Which finding to hide. `reason` is at most 1,000 characters; mails show it. */
export interface SuppressFinding extends OperatorRequest {
  /** `<serverId>/<number>` (INT-2). */
  changelistId: string;
  /** As the review names it. */
  findingId: string;
  disposition: Disposition;
  /** For how long, in milliseconds. Left out: until it is withdrawn. */
  expiresInMs?: number | undefined;
  /** True hides a withheld credential, which needs the role. Default false: such a finding stays. */
  coversSecret?: boolean | undefined;
  /** Of the review in which it was seen: the audit event holds it. Left out: none. */
  reviewVersion?: number | undefined;
}

/**
 * Hides one finding of one change in the reviews of all its later versions (GRD-8); stored reviews
 * and mails that were sent stay. `exists`: one in force hides it already, and nothing was changed.
 * Rejects with `SUPPRESSION_DENIED` (policy) where a credential is to be hidden without the role,
 * and with `SUPPRESSIONS_FULL` (conflict).
 */
export async function suppressFinding<Tx>(
  parts: AdditionParts<Tx> & { suppressions: SuppressionPolicy },
  request: SuppressFinding,
): Promise<Suppressed> {
  checkRequest<SuppressFinding>('suppressFinding', request, {
    changelistId: checkText,
    findingId: (option, value) => checkText(option, value, 128),
    disposition: oneOf(...dispositions),
    expiresInMs: optional((option, value) => checkMs(option, value, 1)),
    coversSecret: optional(checkBoolean),
    reviewVersion: optional((option, value) => checkWhole(option, value, 1)),
  });
  const { changelistId, findingId, reviewVersion, disposition, actor, reason, coversSecret = false } = request;
  checkText('suppressFinding: reason', reason, 1_000);
  if (coversSecret) requireRole(actor, parts.suppressions, 'To hide a withheld credential');
  const expiresInMs = request.expiresInMs ?? null;
  const scope = { kind: 'finding', changelistId, findingId, coversSecret } as const;
  const suppression = { scope, disposition, reason, actor, expiresInMs };
  return addSuppression(parts, suppression, {
    action: 'finding.suppress',
    targetType: 'finding',
    targetId: `${changelistId}#${findingId}`,
    payload: {
      ...{ changelistId, findingId, coversSecret, disposition, expiresInMs },
      ...(reviewVersion === undefined ? {} : { reviewVersion }),
    },
  });
}
