import { type Disposition, dispositions } from '../../foundation/disposition.js';
import { oneOf, optional } from '../../foundation/option-checks.js';
import { checkText } from '../../foundation/store-input.js';
import {
  CATEGORIES,
  type Category,
  CONFIDENCES,
  type Confidence,
  SEVERITIES,
  type Severity,
} from '../../review/review-result.js';
import { createPathFilter } from '../../stages/job/path-filter.js';
import { checkRequest, type OperatorRequest } from '../operation.js';
import {
  type AdditionParts,
  addSuppression,
  checkLife,
  requireRole,
  type Suppressed,
  type SuppressionPolicy,
} from './suppression-policy.js';

/** Which findings to hide: those that fit every condition given, of which there is at least one. */
export interface SuppressMatching extends OperatorRequest {
  /** `rule_id` of the finding, exactly. */
  ruleId?: string | undefined;
  /** `//depot/gen/...`, or the name of a preset, as an entry of `intake.skipPaths`; never one with `-`. */
  paths?: string | undefined;
  category?: Category | undefined;
  /** Findings of this severity and less severe ones. */
  severity?: Severity | undefined;
  /** Findings of this confidence and less sure ones; none without a confidence. */
  confidence?: Confidence | undefined;
  disposition: Disposition;
  /** For how long, in milliseconds: at most `review.suppressions.maxRuleMs`. */
  expiresInMs: number;
}

function checkPaths(option: string, value: unknown): void {
  checkText(option, value, 1_024);
  const isUsable = (): boolean => {
    try {
      createPathFilter([String(value)]);
      return !String(value).startsWith('-');
    } catch {
      return false;
    }
  };
  if (!isUsable()) throw new TypeError(`${option}: expected a pattern such as //depot/dir/..., or a preset`);
}

/**
 * Hides every finding that fits, in every change, from now until the expiry (GRD-8); a withheld
 * credential never. Rejects with `SUPPRESSION_DENIED` (policy) where the actor has no role of
 * `review.suppressions.roles`, and with `SUPPRESSIONS_FULL` (conflict).
 */
export async function suppressMatching<Tx>(
  parts: AdditionParts<Tx> & { suppressions: SuppressionPolicy },
  request: SuppressMatching,
): Promise<Suppressed> {
  const { suppressions: policy } = parts;
  checkRequest<SuppressMatching>('suppressMatching', request, {
    ruleId: optional((option, value) => checkText(option, value, 1_024)),
    paths: optional(checkPaths),
    category: optional(oneOf(...CATEGORIES)),
    severity: optional(oneOf(...SEVERITIES)),
    confidence: optional(oneOf(...CONFIDENCES)),
    disposition: oneOf(...dispositions),
    expiresInMs: (option, value) => checkLife(option, value, policy.maxRuleMs),
  });
  const { disposition, expiresInMs, actor, reason } = request;
  checkText('suppressMatching: reason', reason, 1_000);
  const { ruleId = null, paths = null, category = null, severity = null, confidence = null } = request;
  const conditions = { ruleId, paths, category, severity, confidence };
  if (Object.values(conditions).every((condition) => condition === null))
    throw new TypeError(`suppressMatching: expected one of ${Object.keys(conditions).join(', ')}, or more`);
  requireRole(actor, policy, 'To suppress by a rule');
  const scope = { kind: 'rule', ...conditions } as const;
  const suppression = { scope, disposition, reason, actor, expiresInMs };
  return addSuppression(parts, suppression, {
    action: 'suppression.add',
    targetType: 'suppressions',
    targetId: 'suppressions',
    payload: { ...conditions, disposition, expiresInMs },
  });
}
