import type { FileSkip } from '../../changes/change.js';
import type { JsonObject } from '../../foundation/json.js';
import type { EarlierFinding } from '../../review/history/earlier-finding.js';
import { type FileCoverage, hasNothingToReview } from '../../review/merge/coverage.js';
import type { ReviewFinding } from '../../review/merge/review-finding.js';
import type { ReviewDoubt } from '../../review/merge/review-state.js';
import { plural } from '../../review/plural.js';
import { compareSeverity, type Severity, summariseFindings } from '../../review/review-result.js';
import type { Settings } from '../../settings/settings.js';
import { findFloor } from '../llm/guidance/rule-floors.js';
import type { StoredReview } from '../llm/stored-review.js';
import type { ReviewMailContent, ReviewMailCounts } from './mail-composer.js';
import { countSince, listEarlier, mailSince } from './mail-earlier.js';
import { explainSuppressed, mailSuppressed } from './mail-suppressed.js';
import { hasUnreportedSecret, listUnreported } from './unreported-secrets.js';

/** What the settings leave of a review's findings (INT-3). */
interface VisibleFindings {
  /** At or above the severity floor, gravest first, effective severities. */
  aboveFloor: readonly ReviewFinding[];
  /** The first `review.maxFindings` of them. */
  shown: readonly ReviewFinding[];
  belowFloor: number;
  /** What all of these are below: the gravest floor that hides one, else `review.severityFloor`. */
  floor: Severity;
  /** Of the version before, not reported again, at or above the floor. */
  earlier: readonly EarlierFinding[];
}

function selectVisible(review: StoredReview, settings: Settings['review']): VisibleFindings {
  const { findings } = review;
  const floorOf = (file: string | null): Severity =>
    file === null ? settings.severityFloor : findFloor(settings, file);
  const isVisible = ({ severity, file }: Pick<ReviewFinding, 'severity' | 'file'>): boolean =>
    compareSeverity(severity, floorOf(file)) <= 0;
  const aboveFloor = findings.filter(isVisible);
  const hiding = findings.filter((finding) => !isVisible(finding)).map(({ file }) => floorOf(file));
  const [gravest] = [...hiding].sort(compareSeverity);
  return {
    aboveFloor,
    shown: aboveFloor.slice(0, settings.maxFindings),
    belowFloor: hiding.length,
    floor: gravest ?? settings.severityFloor,
    earlier: listEarlier(review, isVisible),
  };
}

/**
 * Whether a skipped file is worth a mail: yes where it has text that the review could not read.
 * There is no text in the others, or the host chose to leave it out.
 */
const isSkipWorthMail: Readonly<Record<FileSkip, boolean>> = {
  ...{ deleted: false, unchanged: false, integrated: false, binary: false, symlink: false, purged: false },
  ...{ generated: false, filtered: false, unscanned: false, no_model: false },
  ...{ oversize: true, undecodable: true, budget: true, error: true },
  ...{ unavailable: true, damaged: true, bad_path: true },
};

/** Doubts that the coverage of each file explains. */
const coverageDoubts: ReadonlySet<ReviewDoubt> = new Set(['coverage_incomplete', 'no_reply']);

function isReadAsPlanned(file: FileCoverage): boolean {
  if (file.state === 'skipped') return !isSkipWorthMail[file.reason];
  return file.state === 'reviewed_full';
}

/**
 * True where a review holds nothing that the settings ask to hear: no finding reaches the severity
 * floor, nothing became of an earlier one, the check dropped none, no suppression hides one, no
 * secret was withheld that is no finding, no reply is in doubt, and no text went unread for its size,
 * a budget or a failure. Such a review need not be clean: binary and filtered files were not reviewed.
 */
export function isSilent(review: StoredReview, settings: Settings['review']): boolean {
  const { aboveFloor, earlier } = selectVisible(review, settings);
  const hasFinding = aboveFloor.length + earlier.length > 0;
  const hasDoubt = review.state.doubts.some((doubt) => !coverageDoubts.has(doubt));
  // Findings that the check dropped or a suppression hides are never left out silently.
  const isDropped = review.droppedByCheck.length > 0 || review.suppressed.length > 0;
  const isSaid = hasFinding || isDropped || hasDoubt || hasUnreportedSecret(review);
  return !isSaid && review.coverage.files.every(isReadAsPlanned);
}

/** Incomplete coverage needs no sentence: the mail shows the ledger itself. */
const doubtSentences: Readonly<Record<Exclude<ReviewDoubt, 'coverage_incomplete'>, string>> = {
  no_reply: 'The model gave no reply.',
  reply_rejected: 'A reply of the model could not be used.',
  reply_cut: 'A reply of the model was cut short; only complete findings were kept.',
  ambiguous_reply: 'A reply of the model could be read in more than one way.',
  findings_unread: 'A reply of the model has text that looks like further findings and could not be read as such.',
  findings_dropped: 'Some findings of the model were invalid and left out.',
  all_findings_dropped: 'The model sent findings, but none of them was valid. This is not a clean review.',
};

function explainHidden(
  { aboveFloor, shown, belowFloor, floor }: VisibleFindings,
  settings: Settings['review'],
): string[] {
  const overCap = aboveFloor.length - shown.length;
  const unverified = shown.filter(({ place }) => place.status === 'unverified').length;
  return [
    ...(unverified > 0
      ? [
          `${plural(unverified, 'finding')} without a confirmed place: nothing in the change supports the line or quote that the model gave.`,
        ]
      : []),
    ...(overCap > 0
      ? [`${plural(overCap, 'less severe finding')} not shown: a mail shows at most ${settings.maxFindings}.`]
      : []),
    ...(belowFloor > 0 ? [`${plural(belowFloor, 'finding')} below "${floor}" not shown.`] : []),
  ];
}

function listWarnings(review: StoredReview, visible: VisibleFindings, settings: Settings['review']): string[] {
  const warnings = review.state.doubts.flatMap((doubt) =>
    doubt === 'coverage_incomplete' ? [] : [doubtSentences[doubt]],
  );
  warnings.push(...explainHidden(visible, settings), ...explainSuppressed(review));
  const notStored = Object.values(review.findingsWithheld).reduce((a, b) => a + b, 0);
  if (notStored > 0) warnings.push(`${plural(notStored, 'less severe finding')} not kept with this review.`);
  const unexplained = review.coverage.files.filter(
    (file) => file.state !== 'skipped' && file.context?.state === 'none',
  );
  if (unexplained.length > 0)
    warnings.push(
      `${plural(unexplained.length, 'file')} read without the code round the changed lines: no room for it.`,
    );
  if (review.coverage.denied_files > 0)
    warnings.push(`${plural(review.coverage.denied_files, 'file')} may not be reviewed by policy.`);
  if (review.coverage.visibility === 'partial-possible')
    warnings.push('The server may have hidden files of this change from the reviewer.');
  return warnings;
}

/** What a mail says of the check; nothing where it dropped no finding and left none. */
function mailCheck({ check, droppedByCheck }: StoredReview): Pick<ReviewMailContent, 'check'> {
  const counts = { dropped: droppedByCheck.length, notChecked: check?.notChecked ?? 0 };
  return counts.dropped + counts.notChecked === 0 ? {} : { check: counts };
}

/** Says so where no model wrote anything, and none read a file; a review of an earlier version names no reviewers. */
function mailReviewers({
  reviewers,
  findings,
  result,
  coverage,
}: StoredReview): Pick<ReviewMailContent, 'isWithoutModel'> {
  const { reviewed_full: full, reviewed_partial: partial } = coverage.totals;
  const hasWritten = result.summary !== undefined || findings.some(({ origin }) => origin === 'model');
  return reviewers.length > 0 || hasWritten || full + partial > 0 ? {} : { isWithoutModel: true };
}

function mailCoverage(file: FileCoverage): ReviewMailContent['coverage']['files'][number] {
  if (file.state === 'reviewed_full') return { path: file.path, state: 'reviewed' };
  if (file.state === 'skipped') return { path: file.path, state: 'skipped', reason: file.reason };
  return { path: file.path, state: 'partial', reason: file.reasons.join(', ') };
}

/** Without a version before nothing is new, or known. */
function withoutState({
  state: _state,
  since: _since,
  ...finding
}: ReviewFinding): Omit<ReviewFinding, 'state' | 'since'> {
  return finding;
}

/** What a mail says of the review under these settings. */
export function buildMailContent(
  review: StoredReview,
  settings: Settings['review'],
  reviewVersion: number,
): ReviewMailContent {
  const visible = selectVisible(review, settings);
  const { aboveFloor, belowFloor, floor, earlier } = visible;
  const shown = review.history === null ? visible.shown.map(withoutState) : visible.shown;
  return {
    change: review.change,
    reviewVersion,
    result: { ...(review.result.summary === undefined ? {} : { summary: review.result.summary }), findings: shown },
    notShown: { belowFloor, floor, overCap: aboveFloor.length - shown.length },
    ...mailCheck(review),
    ...mailSuppressed(review),
    ...mailSince(review, aboveFloor, earlier),
    ...(settings.fullFindings === null ? {} : { fullFindings: settings.fullFindings }),
    conclusive: review.state.doubts.length === 0,
    ...mailReviewers(review),
    coverage: { files: review.coverage.files.map(mailCoverage) },
    withheldSecrets: review.secretsWithheld,
    secrets: listUnreported(review.secrets, visible.shown),
    warnings: listWarnings(review, visible, settings),
  };
}

/** The same in numbers alone, for recipients who get no findings (ruling R21). */
export function buildMailCounts(
  review: StoredReview,
  settings: Settings['review'],
  reviewVersion: number,
): ReviewMailCounts {
  const { aboveFloor, belowFloor, floor, earlier } = selectVisible(review, settings);
  const { serverId, number, changelistId, kind } = review.change;
  const { files, totals } = review.coverage;
  return {
    change: { serverId, number, changelistId, kind },
    reviewVersion,
    findings: summariseFindings(aboveFloor),
    belowFloor,
    floor,
    ...mailCheck(review),
    ...mailSuppressed(review),
    sinceVersion: countSince(review, aboveFloor, earlier),
    conclusive: review.state.doubts.length === 0,
    ...mailReviewers(review),
    files: {
      reviewed: totals.reviewed_full,
      partial: totals.reviewed_partial,
      skipped: totals.skipped - files.filter(hasNothingToReview).length,
      total: totals.files,
    },
    withheldSecrets: review.secretsWithheld,
  };
}

/** Counts for the job row, by effective severity: no text of the change or the model (EGR-5). */
export function summariseReview(review: StoredReview, settings: Settings['review']): JsonObject {
  const { totals } = review.coverage;
  const { aboveFloor, belowFloor, floor, earlier } = selectVisible(review, settings);
  const since = countSince(review, aboveFloor, earlier);
  return {
    verdict: review.state.verdict,
    findings: summariseFindings(aboveFloor),
    findingsBelowFloor: belowFloor,
    findingsDroppedByCheck: review.droppedByCheck.length,
    findingsSuppressed: review.suppressed.length,
    severityFloor: floor,
    ...(since === undefined ? {} : { sinceVersion: { ...since, filesAsBefore: since.filesAsBefore?.count ?? 0 } }),
    filesReviewed: totals.reviewed_full + totals.reviewed_partial,
    filesSkipped: totals.skipped,
    secretsWithheld: review.secretsWithheld,
  };
}
