import type { Diagnostic } from '../../../review/diagnostics.js';
import type { EarlierFinding } from '../../../review/history/earlier-finding.js';
import type { AppliedSuppression, SuppressedFinding } from '../../../review/history/reviewed-before.js';
import { comparePlaced } from '../../../review/merge/place-findings.js';
import { asModelFinding, type ReviewFinding, withoutOrigin } from '../../../review/merge/review-finding.js';
import { withSuppressed } from '../../../review/merge/review-state.js';
import { applySuppressions, type IsUnder } from '../../../review/suppression/apply-suppressions.js';
import type { Suppression } from '../../../stores/suppression-store.js';
import { createPathFilter, type PathFilter } from '../../job/path-filter.js';
import type { LlmStageOptions, ReviewUnderWay } from '../ask-model.js';
import type { ReplyRedaction } from '../reply-redaction.js';
import type { ReviewRecord } from '../stored-review.js';

/** Matches patterns against true depot paths: findings name hidden ones by their aliases. */
function createIsUnder({ change, truePaths }: Pick<ReviewUnderWay, 'change' | 'truePaths'>): IsUnder {
  const paths = new Map(change.files.map(({ path }, at) => [path, truePaths[at]?.path ?? path]));
  const filters = new Map<string, PathFilter>();
  return (pattern, file) => {
    const filter = filters.get(pattern) ?? createPathFilter([pattern]);
    filters.set(pattern, filter);
    return filter.skips(paths.get(file) ?? file);
  };
}

function toApplied(suppression: Suppression, { redact }: ReplyRedaction): AppliedSuppression {
  const { id, scope, disposition, actor, reason, expiresAt } = suppression;
  const until = expiresAt?.toISOString() ?? null;
  return { id, scope: scope.kind, disposition, by: redact(actor.id), reason: redact(reason), until };
}

/** An earlier finding as a finding of this review: it is open, since nobody said that it was resolved. */
function toFinding(earlier: EarlierFinding): ReviewFinding {
  if (earlier.origin === 'model') {
    const { state: _state, because: _because, reason: _reason, lastReported: _last, ...finding } = earlier;
    return { ...finding, state: 'open' };
  }
  const { state: _state, because: _because, reason: _reason, lastReported: _last, ...finding } = earlier;
  return { ...finding, state: 'open' };
}

/**
 * The review without the findings that suppressions in force hide (GRD-8), which it holds apart, each
 * with the suppression that did. Earlier findings that are not resolved are hidden too. A review of
 * which any is hidden is never clean. Rejects with what the store throws: no review is stored then.
 */
export async function suppressFindings(
  { suppressions, storeNow }: Pick<LlmStageOptions, 'suppressions' | 'storeNow'>,
  review: Pick<ReviewUnderWay, 'change' | 'truePaths' | 'replyRedaction'>,
  record: ReviewRecord,
): Promise<ReviewRecord> {
  const inForce = await suppressions.listInForce(record.change.changelistId);
  if (inForce.length === 0) return record;
  const context = { now: await storeNow(), isUnder: createIsUnder(review) };
  const open = record.earlier.filter(({ state }) => state !== 'resolved');
  const model = applySuppressions(record.findings.map(asModelFinding), inForce, context);
  const secret = applySuppressions(record.secretFindings, inForce, context);
  const earlier = applySuppressions(open, inForce, context);
  const hiddenEarlier = new Set(earlier.suppressed.map(({ finding }) => finding));
  const hidden = [
    ...[...model.suppressed, ...secret.suppressed],
    ...earlier.suppressed.map(({ finding, suppression }) => ({ finding: toFinding(finding), suppression })),
  ];
  const suppressed: readonly SuppressedFinding[] = hidden
    .map(
      ({ finding, suppression }): SuppressedFinding => ({
        ...finding,
        suppression: toApplied(suppression, review.replyRedaction),
      }),
    )
    .sort(comparePlaced);
  const diagnostics: readonly Diagnostic[] = [
    ...hidden.map(({ finding: { id, severity }, suppression }) => ({
      ...{ code: 'finding_suppressed' as const, index: null, findingId: id },
      ...{ suppression: suppression.id, severity },
    })),
    ...[...secret.refused, ...earlier.refused].map(({ finding, suppression }) => ({
      ...{ code: 'suppression_refused' as const, index: null, findingId: finding.id, suppression: suppression.id },
    })),
  ];
  const kept = model.kept.length + secret.kept.length + earlier.kept.length;
  return {
    ...record,
    findings: model.kept.map(withoutOrigin),
    secretFindings: secret.kept,
    earlier: record.earlier.filter((one) => !hiddenEarlier.has(one)),
    suppressed: [...record.suppressed, ...suppressed],
    state: withSuppressed(record.state, { kept, suppressed: suppressed.length }),
    diagnostics: [...record.diagnostics, ...diagnostics],
  };
}
