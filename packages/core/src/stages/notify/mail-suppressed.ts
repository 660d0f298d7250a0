import type { Disposition } from '../../foundation/disposition.js';
import type { AppliedSuppression } from '../../review/history/reviewed-before.js';
import type { StoredReview } from '../llm/stored-review.js';

/** Suppressions that a mail names; the others are counted. */
const MAX_NAMED = 20;

const words: Readonly<Record<Disposition, string>> = {
  false_positive: 'false positive',
  wont_fix: 'not to be fixed',
  acknowledged: 'known',
};

/** How many findings suppressions hide; nothing where they hide none. */
export function mailSuppressed({ suppressed }: Pick<StoredReview, 'suppressed'>): { suppressed?: number } {
  return suppressed.length === 0 ? {} : { suppressed: suppressed.length };
}

function describe({ disposition, by, until, reason }: AppliedSuppression, findings: number): string {
  const count = findings === 1 ? '1 finding is' : `${findings} findings are`;
  const end = until === null ? 'until it is withdrawn' : `until ${until.slice(0, 10)}`;
  return `${count} hidden as ${words[disposition]} by ${by}, ${end}: ${reason}`;
}

/** A sentence for each suppression that hides findings of the review: how many, who, until when, why (GRD-8). */
export function explainSuppressed({ suppressed }: Pick<StoredReview, 'suppressed'>): string[] {
  const bySuppression = new Map<string, { suppression: AppliedSuppression; findings: number }>();
  for (const { suppression } of suppressed) {
    const known = bySuppression.get(suppression.id) ?? { suppression, findings: 0 };
    bySuppression.set(suppression.id, { ...known, findings: known.findings + 1 });
  }
  const all = [...bySuppression.values()].sort((a, b) => b.findings - a.findings);
  const rest = all.slice(MAX_NAMED).reduce((sum, { findings }) => sum + findings, 0);
  return [
    ...all.slice(0, MAX_NAMED).map(({ suppression, findings }) => describe(suppression, findings)),
    ...(rest === 0 ? [] : [`Other suppressions hide ${rest} more.`]),
  ];
}
