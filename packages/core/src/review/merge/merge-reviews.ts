import type { JsonObject, JsonValue } from '../../foundation/json.js';
import type { FindingDroppedByCheck, FindingNotChecked, SeverityLowered } from '../diagnostics.js';
import { isJsonRecord } from '../json/strict-json.js';
import type { AcceptedReview, ParsedReview } from '../read/parse-review.js';
import { type ReviewResult, type Severity, summariseFindings } from '../review-result.js';
import type { Coverage } from './coverage.js';
import { type JoinedFinding, joinDuplicates, type SourcedFinding } from './duplicate-findings.js';
import { digest } from './identity.js';
import { comparePlaced, explainLowered, findingEntry, placeFinding } from './place-findings.js';
import { type MergedFinding, makeReviewFinding } from './review-finding.js';
import { decideReviewState, type ReviewState } from './review-state.js';

export interface MergeReviewsInput {
  /** The final reply of each chunk, in the plan's order. */
  replies: readonly ParsedReview[];
  coverage: Coverage;
  /** What the prompt pinned; the merged review carries it. */
  versions: { schemaVersion: string; promptVersion: string };
  /** Findings of other origin that the review will hold too; with any of them it is not clean. Default 0. */
  otherFindings?: number | undefined;
  /** Most findings kept; the least grave are dropped and counted. Default `MAX_KEPT_FINDINGS`. */
  maxKept?: number | undefined;
}

/** Far more than anyone reads: bounds what one review stores. */
export const MAX_KEPT_FINDINGS = 5_000;

export interface MergedReview {
  /**
   * One review of the whole change, gravest first; lines and severities as the model sent them.
   * `meta.findings` holds by id what each reply said of its place. `meta` has `coverage`,
   * `review_state`, `withheld` and `joined` too.
   */
  result: ReviewResult;
  /** The same findings in the same order, at their places. */
  findings: readonly MergedFinding[];
  /** For each of them the place in `replies` of the reply that it is taken from. */
  sources: readonly number[];
  coverage: Coverage;
  state: ReviewState;
  /** Findings above `maxKept`, by effective severity. */
  withheld: Readonly<Record<Severity, number>>;
  /** Findings that were folded into another. */
  joined: number;
  /**
   * One for each kept finding whose effective severity is below the model's (ruling R20), and what
   * the check pass did.
   */
  diagnostics: readonly (SeverityLowered | FindingNotChecked | FindingDroppedByCheck)[];
}

/** An accepted reply and its place among all replies. */
type PlacedReply = AcceptedReview & { reply: number };

function accepted(replies: readonly ParsedReview[]): readonly PlacedReply[] {
  return replies.flatMap((one, reply) => (one.outcome === 'accepted' ? [{ ...one, reply }] : []));
}

function memberOf(meta: JsonObject | undefined, key: string): JsonValue | undefined {
  return meta !== undefined && Object.hasOwn(meta, key) ? meta[key] : undefined;
}

/** Every accepted finding with its resolved place. */
function placeAll(reviews: readonly PlacedReply[]): readonly SourcedFinding[] {
  return reviews.flatMap(({ result, reply }) =>
    result.findings.map((finding) => {
      const entry = findingEntry(result.meta, finding.id);
      return { finding, placed: placeFinding(finding, entry), entry, reply };
    }),
  );
}

/** An id made from `id` that none of `taken` is. */
function deriveId(id: string, taken: ReadonlySet<string>): string {
  let derived = id;
  while (taken.has(derived)) derived = digest(derived);
  return derived;
}

/** Findings of different chunks may share an id though their places differ: the later ones get ids made from it. */
function withOwnIds(findings: readonly JoinedFinding[]): readonly JoinedFinding[] {
  const sent = new Set(findings.map(({ finding }) => finding.id));
  const taken = new Set<string>();
  return findings.map((one) => {
    const { finding, placed } = one;
    const id = taken.has(finding.id) ? deriveId(finding.id, new Set([...sent, ...taken])) : finding.id;
    taken.add(id);
    return { ...one, finding: { ...finding, id }, placed: { ...placed, id } };
  });
}

/** Identities stand with the findings. */
function withoutIdentity(entry: JsonValue | undefined): JsonObject {
  if (!isJsonRecord(entry)) return {};
  const { identity: _identity, ...rest } = entry as JsonObject;
  return rest;
}

/** `meta.findings` of the merged review: what each reply said of its findings, and their effective severities. */
function findingMeta(kept: readonly JoinedFinding[]): JsonObject {
  return Object.fromEntries(
    kept.map(({ finding, placed, entry }) => [
      finding.id,
      { ...withoutIdentity(entry), effective_severity: placed.severity },
    ]),
  );
}

function summaryOf(reviews: readonly AcceptedReview[]): string | undefined {
  const summaries = new Set(reviews.flatMap(({ result }) => (result.summary ? [result.summary] : [])));
  return summaries.size === 0 ? undefined : [...summaries].join('\n\n');
}

/**
 * One review from the replies of all chunks: each issue once, gravest first by effective severity,
 * with its coverage and its state. Deterministic. A merge of no usable reply is a review without
 * findings whose state is `inconclusive`. Throws `TypeError` for a wrong `maxKept`.
 */
export function mergeReviews({
  replies,
  coverage,
  versions,
  otherFindings = 0,
  maxKept = MAX_KEPT_FINDINGS,
}: MergeReviewsInput): MergedReview {
  if (!(Number.isSafeInteger(maxKept) && maxKept > 0))
    throw new TypeError('mergeReviews: maxKept: expected a positive integer');
  const reviews = accepted(replies);
  const sourced = placeAll(reviews);
  const groups = joinDuplicates(sourced);
  const sorted = withOwnIds([...groups].sort((a, b) => comparePlaced(a.placed, b.placed)));
  const kept = sorted.slice(0, maxKept);
  const withheld = summariseFindings(sorted.slice(kept.length).map(({ placed }) => placed));
  const joined = sourced.length - groups.length;
  const state = decideReviewState(replies, coverage, kept.length + otherFindings);
  const summary = summaryOf(reviews);
  const models = reviews.flatMap(({ result }) => memberOf(result.meta, 'model_meta') ?? []);
  const meta: JsonObject = {
    findings: findingMeta(kept),
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
      findings: kept.map(({ finding }) => finding),
      meta,
    },
    findings: kept.map(makeReviewFinding),
    sources: kept.map(({ reply }) => reply),
    coverage,
    state,
    withheld,
    joined,
    diagnostics: kept.flatMap(({ placed }) => explainLowered(placed)),
  };
}
