import { listOpen, type OpenFinding } from '../../../review/history/open-finding.js';
import type { SuppressedFinding } from '../../../review/history/reviewed-before.js';
import { asModelFinding, type ReviewFinding } from '../../../review/merge/review-finding.js';
import type { EarlierReview } from './load-history.js';

function unsuppress({ suppression: _suppression, ...finding }: SuppressedFinding): ReviewFinding {
  return finding as ReviewFinding;
}

/** What an earlier review leaves open; what was hidden in it takes part, so that it stays one and the same. */
export function listEarlierOpen({ record, reviewVersion }: Pick<EarlierReview, 'record' | 'reviewVersion'>): {
  open: readonly OpenFinding[];
  /** Ids of those that a suppression hid: mails do not show them, so no request is spent on them. */
  hidden: ReadonlySet<string>;
} {
  const suppressed = record.suppressed.map(unsuppress);
  const findings = [...record.findings.map(asModelFinding), ...record.secretFindings, ...suppressed];
  const open = listOpen({ reviewVersion, findings, earlier: record.earlier });
  return { open, hidden: new Set(suppressed.map(({ id }) => id)) };
}
