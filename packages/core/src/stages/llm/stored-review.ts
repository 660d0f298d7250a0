import { z } from 'zod';
import {
  type HiddenPath,
  type RedactedChange,
  secretFields,
  type WithheldSecret,
} from '../../changes/redacted-change.js';
import { CriticizerError } from '../../foundation/errors.js';
import { parseStoredJson, readStoredForm, type StoredForm } from '../../foundation/stored-form.js';
import type { CheckSummary } from '../../review/check/apply-verdicts.js';
import type { Diagnostic } from '../../review/diagnostics.js';
import { type EarlierFinding, earlierFindingSchema } from '../../review/history/earlier-finding.js';
import {
  type FileReading,
  fileReadingSchema,
  type ReviewHistory,
  reviewHistorySchema,
  type SuppressedFinding,
  suppressedFindingSchema,
} from '../../review/history/reviewed-before.js';
import type { Coverage } from '../../review/merge/coverage.js';
import { comparePlaced, placeFindings } from '../../review/merge/place-findings.js';
import {
  asModelFinding,
  type MergedFinding,
  type ReviewFinding,
  reviewFindingSchema,
  type SecretFinding,
  secretFindingSchema,
  toModelFinding,
  withoutIdentity,
} from '../../review/merge/review-finding.js';
import type { ReviewState } from '../../review/merge/review-state.js';
import { type ReviewResult, reviewResultSchema } from '../../review/review-result.js';
import type { OutputReader } from '../job/run-outputs.js';
import { readTruePaths, restorePaths } from '../job/true-paths.js';
import { type ModelUsage, modelUsageSchema } from './model-usage.js';
import { type Reviewer, reviewerSchema } from './stored-reply.js';

/** Name of what the llm stage leaves behind. */
export const storedReview = 'llm.review';

/** Where a secret was withheld, and by which rule. */
export interface SecretPlace extends WithheldSecret {
  /** Null: in the description, the user or a job of the change. */
  path: string | null;
}

/** Places that a review keeps. */
const MAX_SECRET_PLACES = 200;

/** The places of everything that redaction hid in a change, the change's own texts first. */
export function listSecretPlaces({ secrets = [], files }: RedactedChange): readonly SecretPlace[] {
  return [
    ...secrets.map((secret) => ({ ...secret, path: null })),
    ...files.flatMap(({ path, secrets: own = [] }) => own.map((secret) => ({ ...secret, path }))),
  ].slice(0, MAX_SECRET_PLACES);
}

/**
 * A finished review: what mails are made from and hosts may read. At rest it is redacted and names
 * hidden paths by their aliases.
 */
export interface StoredReview {
  format: 4;
  /**
   * Every finding as it is to be shown, gravest first: its resolved place and effective severity,
   * both as the model sent them (GRD-2), what it is about and what became of it since the version
   * before. `origin` tells the model's from those of withheld credentials (GRD-7). Mails and formats
   * are views of this list. `review.maxFindings` and `review.severityFloor` limit mails, not this
   * list.
   */
  findings: readonly ReviewFinding[];
  /**
   * The review of an earlier version of the change that this one was compared with (GRD-6). Null:
   * there is none that can be read; every finding is `new` then.
   */
  history: ReviewHistory | null;
  /**
   * Findings that were open in that review and that this one did not report, gravest first. Those
   * `open` or `not_verifiable` are carried on to the next version.
   */
  earlier: readonly EarlierFinding[];
  /** Findings that a suppression took out, gravest first (GRD-8). */
  suppressed: readonly SuppressedFinding[];
  /** What a model read of each file, in this review or an earlier one. */
  reading: readonly FileReading[];
  /**
   * Paths that redaction hid from the model (ruling R15). Where there are any, a review that was
   * read back is not redacted in its paths.
   */
  hiddenPaths: readonly HiddenPath[];
  change: Pick<RedactedChange, 'serverId' | 'number' | 'changelistId' | 'user' | 'description' | 'kind'>;
  /** The model's document, a view of its `findings`: lines and severities as sent. For records. */
  result: ReviewResult;
  /** How many findings the check pass kept, lowered, dropped and left; null: none was to be checked (GRD-5). */
  check: CheckSummary | null;
  /** Findings that the check pass dropped, gravest first, each with its reason in `check` (GRD-5). */
  droppedByCheck: readonly MergedFinding[];
  coverage: Coverage;
  state: ReviewState;
  /** Secrets replaced in the change. */
  secretsWithheld: number;
  /**
   * Where they stood, at most 200 places; `path: null` is the description, the user or a job. Empty
   * in a review that an earlier version stored.
   */
  secrets: readonly SecretPlace[];
  /** Findings that were not stored, by severity: those beyond 5,000. */
  findingsWithheld: Readonly<Record<string, number>>;
  /** How the replies were read, and each severity that was lowered (INV-4, ruling R20). */
  diagnostics: readonly Diagnostic[];
  /** Who gave the replies that it is made from, each once; empty in one that an earlier version stored. */
  reviewers: readonly Reviewer[];
  /**
   * Tokens by model, over the replies that were read: stored ones, repairs and those that had to be
   * asked again in another size included. Empty in one that an earlier version stored.
   */
  usage: readonly ModelUsage[];
}

/** The stored form: each finding once. A reader of an earlier version passes over `secretFindings`. */
export interface ReviewRecord extends Omit<StoredReview, 'result' | 'findings'> {
  findings: readonly MergedFinding[];
  secretFindings: readonly SecretFinding[];
  result: Omit<ReviewResult, 'findings'>;
}

const checkSummarySchema = z.object({
  version: z.string(),
  kept: z.number(),
  lowered: z.number(),
  dropped: z.number(),
  notChecked: z.number(),
}) satisfies z.ZodType<CheckSummary>;

const recordFields = {
  hiddenPaths: z.array(
    z.object({
      alias: z.string(),
      shown: z.string(),
      file: z.int().min(0),
      side: z.enum(['path', 'oldPath']),
    }) satisfies z.ZodType<HiddenPath>,
  ),
  change: z.custom<StoredReview['change']>((value) => typeof value === 'object' && value !== null),
  result: reviewResultSchema.omit({ findings: true }),
  check: checkSummarySchema.nullable().default(null),
  droppedByCheck: z.array(reviewFindingSchema).default([]),
  coverage: z.custom<Coverage>((value) => typeof value === 'object' && value !== null),
  state: z.custom<ReviewState>((value) => typeof value === 'object' && value !== null),
  secretsWithheld: z.number(),
  secrets: z
    .array(z.object({ ...secretFields, path: z.string().nullable() }) satisfies z.ZodType<SecretPlace>)
    .default([]),
  secretFindings: z.array(secretFindingSchema).default([]),
  findingsWithheld: z.record(z.string(), z.number()),
  diagnostics: z.array(z.custom<Diagnostic>()),
  reviewers: z.array(reviewerSchema).default([]),
  usage: z.array(modelUsageSchema).default([]),
  // Formats before 4 lacked these: their reviews were compared with none.
  history: reviewHistorySchema.nullable().default(null),
  earlier: z.array(earlierFindingSchema).default([]),
  suppressed: z.array(suppressedFindingSchema).default([]),
  reading: z.array(fileReadingSchema).default([]),
};

const reviewForm: StoredForm<ReviewRecord> = {
  name: 'review',
  formats: {
    // Format 2 had the model's findings, to be placed at each reading, and no identities.
    2: z.object({ ...recordFields, format: z.literal(2), result: reviewResultSchema }).transform((record) => {
      const { findings: _findings, ...result } = record.result;
      return { ...record, format: 4 as const, findings: placeFindings(record.result).map(withoutIdentity), result };
    }),
    3: z
      .object({ ...recordFields, format: z.literal(3), findings: z.array(reviewFindingSchema) })
      .transform((record) => ({ ...record, format: 4 as const })),
    4: z.object({
      ...recordFields,
      format: z.literal(4),
      findings: z.array(reviewFindingSchema),
    }),
  },
  invalid: (path) =>
    new CriticizerError('STORED_REVIEW_INVALID', 'A stored review does not have the form of its format.', {
      category: 'validation',
      details: { path },
    }),
};

/**
 * A review as it is at rest, redacted and with aliases: the contents of a `storedReview`. Throws
 * `STORED_FORMAT_UNKNOWN` or `STORED_REVIEW_INVALID` (validation).
 */
export function readReviewRecord(body: Uint8Array): ReviewRecord {
  return readStoredForm(parseStoredJson(body), reviewForm);
}

/**
 * The review with true depot paths; with redacted ones once the raw summary has expired, where the
 * reader may not read it (ART-3), and with `hidePaths`. Reads this format and the two before it. Throws
 * `STORED_FORMAT_UNKNOWN` or `STORED_REVIEW_INVALID` (validation), and what the artifact store
 * throws.
 */
export async function readStoredReview(outputs: OutputReader, { hidePaths = false } = {}): Promise<StoredReview> {
  const { secretFindings, ...record } = readReviewRecord(await outputs.read(storedReview));
  const findings: readonly ReviewFinding[] = [...record.findings.map(asModelFinding), ...secretFindings].sort(
    comparePlaced,
  );
  const review = { ...record, findings };
  const readPaths = async () => (hidePaths ? null : readTruePaths(outputs));
  const restored = review.hiddenPaths.length === 0 ? review : restorePaths(review, await readPaths());
  const sent = restored.findings.flatMap((finding) => (finding.origin === 'model' ? [toModelFinding(finding)] : []));
  return { ...restored, result: { ...restored.result, findings: sent } };
}
