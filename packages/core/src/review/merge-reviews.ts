import type { JsonObject, JsonValue } from '../json.js';
import type { Coverage } from './coverage.js';
import { compareFindings, joinDuplicates } from './duplicate-findings.js';
import type { AcceptedReview, ParsedReview } from './parse-review.js';
import { type Finding, type ReviewResult, type Severity, summariseFindings } from './review-result.js';
import { decideReviewState, type ReviewState } from './review-state.js';
import { isJsonRecord } from './strict-json.js';

export interface MergeReviewsInput {
  /** The final reply of each chunk, in the plan's order. */
  replies: readonly ParsedReview[];
  coverage: Coverage;
  /** What the prompt pinned; the merged review carries it. */
  versions: { schemaVersion: string; promptVersion: string };
  /** Most findings shown; the least grave are withheld and counted. Default: all. */
  maxFindings?: number | undefined;
}

export interface MergedReview {
  /** One review of the whole change, gravest first; `meta` has `findings`, `coverage`, `review_state`, `withheld`, `joined`. */
  result: ReviewResult;
  state: ReviewState;
  /** Findings above `maxFindings`, by severity. */
  withheld: Readonly<Record<Severity, number>>;
  /** Findings that were folded into another. */
  joined: number;
}

function accepted(replies: readonly ParsedReview[]): readonly AcceptedReview[] {
  return replies.filter((reply) => reply.outcome === 'accepted');
}

function memberOf(meta: JsonObject | undefined, key: string): JsonValue | undefined {
  return meta !== undefined && Object.hasOwn(meta, key) ? meta[key] : undefined;
}

/** What each reply's `meta.findings` says of the kept findings. */
function findingMeta(reviews: readonly AcceptedReview[], kept: readonly Finding[]): JsonObject {
  const ids = new Set(kept.map((finding) => finding.id));
  const merged: Record<string, JsonValue> = {};
  for (const { result } of reviews) {
    const own = memberOf(result.meta, 'findings');
    if (!isJsonRecord(own)) continue;
    for (const [id, entry] of Object.entries(own)) if (ids.has(id) && !Object.hasOwn(merged, id)) merged[id] = entry as JsonValue;
  }
  return merged;
}

function summaryOf(reviews: readonly AcceptedReview[]): string | undefined {
  const summaries = new Set(reviews.flatMap(({ result }) => (result.summary ? [result.summary] : [])));
  return summaries.size === 0 ? undefined : [...summaries].join('\n\n');
}

/**
 * One review from the replies of all chunks: each issue once, gravest first, capped, with its coverage and its state. Deterministic. A merge of
 * no usable reply is a review without findings whose state is `inconclusive`.
 */
export function mergeReviews({ replies, coverage, versions, maxFindings }: MergeReviewsInput): MergedReview {
  if (maxFindings !== undefined && !(Number.isSafeInteger(maxFindings) && maxFindings > 0)) {
    throw new TypeError('mergeReviews: maxFindings: expected a positive integer');
  }
  const reviews = accepted(replies);
  const sourced = reviews.flatMap(({ result }, reply) => result.findings.map((finding) => ({ finding, reply })));
  const groups = joinDuplicates(sourced);
  const sorted = groups.map(({ finding }) => finding).sort(compareFindings);
  const findings = sorted.slice(0, maxFindings ?? sorted.length);
  const withheld = summariseFindings(sorted.slice(findings.length));
  const joined = sourced.length - groups.length;
  const state = decideReviewState(replies, coverage, findings.length);
  const summary = summaryOf(reviews);
  const models = reviews.flatMap(({ result }) => memberOf(result.meta, 'model_meta') ?? []);
  const meta: JsonObject = {
    findings: findingMeta(reviews, findings),
    coverage: JSON.parse(JSON.stringify(coverage)) as JsonObject,
    review_state: { verdict: state.verdict, doubts: state.doubts },
    withheld,
    joined,
    ...(models.length === 0 ? {} : { model_meta: models }),
  };
  return {
    result: {
      schema_version: versions.schemaVersion,
      prompt_version: versions.promptVersion,
      ...(summary === undefined ? {} : { summary }),
      findings,
      meta,
    },
    state,
    withheld,
    joined,
  };
}
