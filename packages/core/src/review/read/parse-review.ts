import type { Hunk } from '../../changes/change.js';
import { checkOptions, type OptionShape } from '../../foundation/check-options.js';
import { checkArray, checkedElsewhere, checkObject, optional } from '../../foundation/option-checks.js';
import type { StopState } from '../../llm/llm-provider.js';
import {
  createDiagnostics,
  type Diagnostic,
  type DiagnosticsCollector,
  type DiagnosticsOptions,
  type ReasonCode,
} from '../diagnostics.js';
import { type ExtractedJson, extractJson } from '../json/extract-json.js';
import { assembleReview, type QuotedFinding } from '../merge/assemble-review.js';
import { createPathIndex, type PathIndex } from '../merge/reconcile.js';
import type { Finding, ReviewResult } from '../review-result.js';
import { type ExpectedVersions, readEnvelope } from './read-envelope.js';
import { dropFinding, placeOf, readFinding } from './read-finding.js';
import { assignQuotes, type FindingQuotes } from './read-quotes.js';
import type { RestOfReply } from './rest-of-reply.js';
import { countUnread, countUnreadRejected, countUnreadText, gatherFindings } from './unread-findings.js';

/** A file a finding may be about. `hunks` are the ones the model saw; empty where its text was not shown. */
export interface ReviewableFile {
  /** As the prompt named it. */
  path: string;
  hunks: readonly Hunk[];
  /** All hunks of the file, where the model did not see all. Default `hunks`. */
  allHunks?: readonly Hunk[] | undefined;
  /** The whole new side, where the change has it: a quote may be outside the hunks (GRD-2). */
  newText?: string | undefined;
}

/** A model's text, and all that it is checked against. */
export interface ParseReviewInput {
  /** The model's reply, raw. */
  text: string;
  stop: StopState;
  expected: ExpectedVersions;
  /** Every file of the change (OUT-8). */
  changedFiles: readonly ReviewableFile[];
  /** Prompt alias to the path the review shall name (ruling R15). */
  pathAliases?: Readonly<Record<string, string>> | undefined;
  /** How values enter diagnostics. */
  diagnostics?: DiagnosticsOptions | undefined;
  /** Larger replies are refused unread. Default 1 MiB. */
  maxBytes?: number | undefined;
}

const inputShape: OptionShape<ParseReviewInput> = {
  text: checkedElsewhere,
  stop: checkedElsewhere,
  expected: checkObject,
  changedFiles: checkArray,
  pathAliases: optional(checkObject),
  diagnostics: optional(checkObject),
  maxBytes: checkedElsewhere,
};

export interface AcceptedReview {
  outcome: 'accepted';
  /**
   * Valid by the canonical schema, with our ids. `meta.findings` holds by id `model_id`, `anchor`,
   * `anchored_line` and `quote`; `meta.model_meta` what the model put into its own (ruling R7).
   */
  result: ReviewResult;
  diagnostics: readonly Diagnostic[];
  /** How the reply ended; `complete` only where provider and text agree. */
  state: StopState;
  /** Findings the model sent, cut ones included. */
  sent: number;
  /** About how many findings the reply seems to hold that were not read as such (OUT-9). */
  unread: number;
  /** Another reading of the reply had other findings. */
  ambiguous: boolean;
}

export interface RejectedReview {
  outcome: 'rejected';
  reason: ReasonCode;
  diagnostics: readonly Diagnostic[];
  state: StopState;
  /**
   * About how many findings the reply seems to hold: an empty answer to a repair request does not
   * make them a clean review (OUT-9).
   */
  unread: number;
}

/** A reply that holds a review, or the reasons why it does not. */
export type ParsedReview = AcceptedReview | RejectedReview;

const DEFAULT_MAX_BYTES = 1_048_576;

/**
 * Reads a model's reply, in the order the contract fixes: JSON, top level and versions, each
 * finding, reconciliation (OUT-2). One bad field costs its finding and no other (OUT-5). Never
 * throws on any text. Whether the review may be called clean is not decided here but in
 * `review-state.ts`.
 */
export function parseReview(input: ParseReviewInput): ParsedReview {
  checkOptions('parseReview', input, inputShape);
  const diagnostics = createDiagnostics(input.diagnostics);
  const found = extractJson(input.text, input.stop, input.maxBytes ?? DEFAULT_MAX_BYTES);
  if (found.kind === 'nothing') {
    const unread = found.cause === 'no_json' ? countUnreadText(input.text, diagnostics) : 0;
    return reject({ reason: 'invalid_json', field: null }, found.state, unread, diagnostics);
  }
  const { extracted } = found;
  tellExtraction(extracted, diagnostics);
  const read = readEnvelope(extracted.value, input.expected, diagnostics);
  if ('rejected' in read) {
    const unread = countUnreadRejected(extracted.value, extracted.rest, diagnostics);
    return reject(read.rejected, extracted.state, unread, diagnostics);
  }
  const value = extracted.value as Record<string, unknown>;
  const envelope = {
    ...read.envelope,
    findings: gatherFindings(value, read.envelope.findings, extracted.rest, diagnostics),
  };
  addRepeatedKeys(envelope.findings, extracted.rest, diagnostics);
  const unread = countUnread(value, envelope, extracted.rest, diagnostics);
  const paths = createPathIndex(
    input.changedFiles.map((file) => file.path),
    input.pathAliases,
  );
  const quotes = assignQuotes(envelope.findings, envelope.meta, diagnostics);
  const findings = readFindings(envelope.findings, quotes, paths, diagnostics);
  const sent = envelope.findings.length + (extracted.salvaged?.lost ?? 0);
  if (sent > 0 && findings.length === 0) diagnostics.add({ code: 'all_findings_dropped', sent });
  const assembled = assembleReview(findings, envelope.meta, input.changedFiles, paths, diagnostics);
  return {
    outcome: 'accepted',
    result: {
      schema_version: envelope.schemaVersion,
      prompt_version: envelope.promptVersion,
      ...(envelope.summary === undefined ? {} : { summary: envelope.summary }),
      ...assembled,
    },
    diagnostics: diagnostics.list(),
    state: extracted.state,
    sent,
    unread,
    ambiguous: extracted.ambiguous !== null,
  };
}

function reject(
  fault: { reason: ReasonCode; field: string | null },
  state: StopState,
  unread: number,
  diagnostics: DiagnosticsCollector,
): RejectedReview {
  diagnostics.add({ code: 'response_rejected', ...fault });
  return { outcome: 'rejected', reason: fault.reason, diagnostics: diagnostics.list(), state, unread };
}

function tellExtraction({ repairs, ambiguous, salvaged }: ExtractedJson, diagnostics: DiagnosticsCollector): void {
  if (repairs.length > 0) diagnostics.add({ code: 'text_repaired', repairs });
  if (ambiguous !== null) diagnostics.add({ code: 'ambiguous_candidates', ...ambiguous });
  if (salvaged === null) return;
  diagnostics.add({ code: 'findings_salvaged', ...salvaged });
  for (let lost = 0; lost < salvaged.lost; lost += 1) {
    diagnostics.add({
      code: 'finding_dropped',
      index: null,
      findingId: null,
      reason: 'invalid_json',
      field: null,
      file: null,
      line: null,
    });
  }
}

/** An earlier value of a key that came twice is lost (INV-4). */
function addRepeatedKeys(findings: readonly unknown[], rest: RestOfReply, diagnostics: DiagnosticsCollector): void {
  for (const { index, key } of rest.repeats) {
    const place = index === null ? { index, findingId: null } : placeOf(findings[index], index);
    diagnostics.add({ code: 'repeated_key', ...place, field: String(diagnostics.value('key', key)) });
  }
}

/** Steps 3 and 4: each finding alone, then against the change's files. */
function readFindings(
  list: readonly unknown[],
  quotes: readonly FindingQuotes[],
  paths: PathIndex,
  diagnostics: DiagnosticsCollector,
): readonly QuotedFinding[] {
  const valid = list.map((raw, index) => readFinding(raw, index, diagnostics));
  return valid.flatMap((finding, index) => {
    const reconciled = finding === null ? null : reconcileFinding(finding, index, paths, diagnostics);
    const own = quotes[index];
    return reconciled === null || own === undefined ? [] : [{ finding: reconciled, index, quotes: own }];
  });
}

function reconcileFinding(
  finding: Finding,
  index: number,
  paths: PathIndex,
  diagnostics: DiagnosticsCollector,
): Finding | null {
  const match = paths.resolve(finding.file);
  if (match.kind !== 'one') {
    const matches = match.kind === 'several' ? { matches: match.count } : {};
    dropFinding(finding, index, { reason: 'file_not_in_changed_files', field: 'file', ...matches }, diagnostics);
    return null;
  }
  const file = match.path;
  if (file === finding.file) return finding;
  const [oldValue, newValue] = [diagnostics.value('file', finding.file), diagnostics.value('file', file)];
  diagnostics.add({ code: 'coercion_applied', index, findingId: finding.id, field: 'file', oldValue, newValue });
  return { ...finding, file };
}
