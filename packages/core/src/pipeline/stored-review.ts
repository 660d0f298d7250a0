import { z } from 'zod';
import type { Artifacts } from '../artifacts/artifacts.js';
import type { HiddenPath, RedactedChange } from '../changes/redacted-change.js';
import type { Outputs } from '../jobs/job.js';
import type { JsonObject } from '../json.js';
import type { ReviewMailContent } from '../notify/mail-composer.js';
import type { Coverage, FileCoverage } from '../review/coverage.js';
import type { Diagnostic } from '../review/diagnostics.js';
import { compareSeverity, type Finding, type ReviewResult, reviewResultSchema, summariseFindings } from '../review/review-result.js';
import type { ReviewDoubt, ReviewState } from '../review/review-state.js';
import type { Settings } from '../settings.js';
import { outputOf } from './change-snapshot.js';
import { type Reviewer, reviewerSchema } from './stored-reply.js';
import { readTruePaths, restorePaths } from './true-paths.js';

/** Name of what the llm stage leaves behind. */
export const storedReview = 'llm.review';

/** A finished review: what mails are made from and hosts may read. At rest it is redacted and names hidden paths by their aliases. */
export interface StoredReview {
  format: 1;
  /** Paths that redaction hid from the model (ruling R15). Where there are any, a review that was read back is not redacted in its paths. */
  hiddenPaths: readonly HiddenPath[];
  change: Pick<RedactedChange, 'serverId' | 'number' | 'changelistId' | 'user' | 'description' | 'kind'>;
  result: ReviewResult;
  coverage: Coverage;
  state: ReviewState;
  /** Secrets replaced in the change. */
  secretsWithheld: number;
  /** Findings left out by the cap, by severity. */
  findingsWithheld: Readonly<Record<string, number>>;
  /** How the replies were read (INV-4). */
  diagnostics: readonly Diagnostic[];
  /** Who gave the replies that it is made from, each once; empty in one that an earlier version stored. */
  reviewers: readonly Reviewer[];
}

const storedSchema = z.object({
  format: z.literal(1),
  hiddenPaths: z.array(
    z.object({
      alias: z.string(),
      shown: z.string(),
      file: z.int().min(0),
      side: z.enum(['path', 'oldPath']),
    }) satisfies z.ZodType<HiddenPath>,
  ),
  change: z.custom<StoredReview['change']>((value) => typeof value === 'object' && value !== null),
  result: reviewResultSchema,
  coverage: z.custom<Coverage>((value) => typeof value === 'object' && value !== null),
  state: z.custom<ReviewState>((value) => typeof value === 'object' && value !== null),
  secretsWithheld: z.number(),
  findingsWithheld: z.record(z.string(), z.number()),
  diagnostics: z.array(z.custom<Diagnostic>()),
  reviewers: z.array(reviewerSchema).default([]),
});

/** The review with true depot paths; with redacted ones once the raw snapshot has expired. */
export async function readStoredReview(artifacts: Artifacts, outputs: Outputs): Promise<StoredReview> {
  const { body } = await artifacts.read(outputOf(outputs, storedReview));
  const review = storedSchema.parse(JSON.parse(Buffer.from(body).toString('utf8')));
  return review.hiddenPaths.length === 0 ? review : restorePaths(review, await readTruePaths(artifacts, outputs));
}

/** Findings a mail shows and how many the settings hide (INT-3). */
function shown(review: StoredReview, settings: Settings['review']): { findings: readonly Finding[]; belowFloor: number } {
  const findings = review.result.findings.filter((finding) => compareSeverity(finding.severity, settings.severityFloor) <= 0);
  return { findings, belowFloor: review.result.findings.length - findings.length };
}

/** True only for a clean review with nothing hidden: silence is then honest. */
export function saysNothing(review: StoredReview, settings: Settings['review']): boolean {
  const { findings } = shown(review, settings);
  return findings.length === 0 && review.state.doubts.length === 0;
}

/** Incomplete coverage needs no sentence: the mail shows the ledger itself. */
const doubtSentences: Readonly<Record<Exclude<ReviewDoubt, 'coverage_incomplete'>, string>> = {
  no_reply: 'The model gave no reply.',
  reply_rejected: 'A reply of the model could not be used.',
  reply_cut: 'A reply of the model was cut short; only complete findings were kept.',
  ambiguous_reply: 'A reply of the model could be read in more than one way.',
  findings_dropped: 'Some findings of the model were invalid and left out.',
  all_findings_dropped: 'The model sent findings, but none of them was valid. This is not a clean review.',
};

function plural(count: number, one: string): string {
  return `${count} ${one}${count === 1 ? '' : 's'}`;
}

function warningsOf(review: StoredReview, belowFloor: number, settings: Settings['review']): string[] {
  const warnings = review.state.doubts.flatMap((doubt) => (doubt === 'coverage_incomplete' ? [] : [doubtSentences[doubt]]));
  const capped = Object.values(review.findingsWithheld).reduce((a, b) => a + b, 0);
  if (capped > 0) warnings.push(`${plural(capped, 'less severe finding')} left out: a review shows at most ${settings.maxFindings}.`);
  if (belowFloor > 0) warnings.push(`${plural(belowFloor, 'finding')} below "${settings.severityFloor}" not shown.`);
  if (review.coverage.denied_files > 0) warnings.push(`${plural(review.coverage.denied_files, 'file')} may not be reviewed by policy.`);
  if (review.coverage.visibility === 'partial-possible')
    warnings.push('The server may have hidden files of this change from the reviewer.');
  return warnings;
}

function mailCoverage(file: FileCoverage): ReviewMailContent['coverage']['files'][number] {
  if (file.state === 'reviewed_full') return { path: file.path, state: 'reviewed' };
  if (file.state === 'skipped') return { path: file.path, state: 'skipped', reason: file.reason };
  return { path: file.path, state: 'partial', reason: file.reasons.join(', ') };
}

/** What a mail says of the review under these settings. */
export function mailContentOf(review: StoredReview, settings: Settings['review'], reviewVersion: number): ReviewMailContent {
  const { findings, belowFloor } = shown(review, settings);
  return {
    change: review.change,
    reviewVersion,
    result: { ...(review.result.summary === undefined ? {} : { summary: review.result.summary }), findings },
    conclusive: review.state.doubts.length === 0,
    coverage: { files: review.coverage.files.map(mailCoverage) },
    withheldSecrets: review.secretsWithheld,
    warnings: warningsOf(review, belowFloor, settings),
  };
}

/** Counts for the job row: no text of the change or the model (EGR-5). */
export function summaryOf(review: StoredReview, settings: Settings['review']): JsonObject {
  const { totals } = review.coverage;
  return {
    verdict: review.state.verdict,
    findings: summariseFindings(shown(review, settings).findings),
    filesReviewed: totals.reviewed_full + totals.reviewed_partial,
    filesSkipped: totals.skipped,
    secretsWithheld: review.secretsWithheld,
  };
}
