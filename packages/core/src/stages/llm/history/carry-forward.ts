import type { JsonObject } from '../../../foundation/json.js';
import type { Diagnostic } from '../../../review/diagnostics.js';
import { type CarriedFindings, carryFindings, judgeWithEarlier } from '../../../review/history/carry-findings.js';
import { countSecrets } from '../../../review/history/count-secrets.js';
import { listAsBefore } from '../../../review/history/findings-as-before.js';
import { locateFindings } from '../../../review/history/locate-findings.js';
import { matchOpen } from '../../../review/history/match-open.js';
import type { OpenFinding } from '../../../review/history/open-finding.js';
import { createReadBeforeLines } from '../../../review/history/read-before-lines.js';
import { isJsonRecord } from '../../../review/json/strict-json.js';
import { asModelFinding, type MergedFinding, withoutOrigin } from '../../../review/merge/review-finding.js';
import { withDropped } from '../../../review/merge/review-state.js';
import type { LlmStageOptions, ReviewUnderWay } from '../ask-model.js';
import type { PartReading } from '../ask-part.js';
import { sumUsage } from '../model-usage.js';
import type { ReplyRedaction } from '../reply-redaction.js';
import { listDistinct } from '../stored-reply.js';
import type { ReviewRecord } from '../stored-review.js';
import { askFollowUps } from './ask-follow-ups.js';
import { listEarlierOpen } from './earlier-open.js';
import type { EarlierReview } from './load-history.js';

/** Where there is no review to compare with, every finding is new. */
function markNew(record: ReviewRecord, reviewVersion: number): ReviewRecord {
  const mark = <One extends MergedFinding | ReviewRecord['secretFindings'][number]>(one: One): One => ({
    ...one,
    state: 'new',
    since: reviewVersion,
  });
  return { ...record, findings: record.findings.map(mark), secretFindings: record.secretFindings.map(mark) };
}

/** Texts that other rules redacted are redacted by these, too. */
function redactTexts(finding: OpenFinding, { redact }: ReplyRedaction): OpenFinding {
  const { title, message, suggestion } = finding;
  const more = suggestion === undefined ? {} : { suggestion: redact(suggestion) };
  return { ...finding, title: redact(title), message: redact(message), ...more };
}

function renameEntries(meta: JsonObject | null | undefined, ids: ReadonlyMap<string, string>): JsonObject | undefined {
  const entries = meta?.['findings'];
  if (meta === null || meta === undefined || !isJsonRecord(entries)) return meta ?? undefined;
  const renamed = Object.entries(entries as JsonObject).map(([id, entry]) => [ids.get(id) ?? id, entry] as const);
  return { ...meta, findings: Object.fromEntries(renamed) };
}

function renameDiagnostic(diagnostic: Diagnostic, ids: ReadonlyMap<string, string>): Diagnostic {
  const { findingId, into } = diagnostic as { findingId?: string | null; into?: string };
  return {
    ...diagnostic,
    ...(typeof findingId === 'string' ? { findingId: ids.get(findingId) ?? findingId } : {}),
    ...(into === undefined ? {} : { into: ids.get(into) ?? into }),
  } as Diagnostic;
}

/** The record with the findings as they are after the comparison. */
function takeOver(record: ReviewRecord, { findings, earlier, ids }: CarriedFindings): ReviewRecord {
  const meta = renameEntries(record.result.meta, ids);
  return {
    ...record,
    findings: findings.flatMap((one) => (one.origin === 'model' ? [withoutOrigin(one)] : [])),
    secretFindings: findings.flatMap((one) => (one.origin === 'redaction' ? [one] : [])),
    earlier,
    result: { ...record.result, ...(meta === undefined ? {} : { meta }) },
    state: judgeWithEarlier(record.state, { findings, earlier }),
    diagnostics: record.diagnostics.map((one) => renameDiagnostic(one, ids)),
  };
}

/** What the check dropped of text that was not read again: it stays dropped, with its reason. */
function listDroppedBefore(
  { record, renames }: EarlierReview,
  { change, readBefore }: Pick<ReviewUnderWay, 'change' | 'readBefore'>,
): readonly MergedFinding[] {
  const dropped = record.droppedByCheck;
  const places = locateFindings(dropped, change, { renames, readBefore });
  const stay = listAsBefore(dropped.map(asModelFinding), places, change, readBefore);
  return dropped.filter((_, at) => stay.has(at));
}

/**
 * Compares a review with that of an earlier version (GRD-6): what is there already keeps its id and
 * first version, and each earlier open finding that was not reported again is open, resolved or not
 * verifiable. The model that reads the finding's file decides what only the code shows.
 * Without a review to compare with everything is new.
 */
export async function carryForward(
  options: LlmStageOptions,
  review: ReviewUnderWay,
  record: ReviewRecord,
  readings: readonly PartReading[],
): Promise<ReviewRecord> {
  const { context, past, change, replyRedaction, readBefore } = review;
  const reviewVersion = context.job.reviewVersion ?? 1;
  if (past.kind !== 'found') return markNew(record, reviewVersion);
  const { renames, hasOtherRules } = past;
  const { open: known, hidden } = listEarlierOpen(past);
  const open = hasOtherRules ? known.map((one) => redactTexts(one, replyRedaction)) : known;
  const present = [...record.findings.map(asModelFinding), ...record.secretFindings];
  const places = locateFindings(open, change, { renames, readBefore });
  const asBefore = listAsBefore(open, places, change, readBefore);
  const isReadBefore = createReadBeforeLines(change, readBefore);
  const matches = matchOpen(open, present, { renames, asBefore, isReadBefore });
  const asked = await askFollowUps(options, review, { open, places, matches, hidden, asBefore }, readings);
  const carried = carryFindings({
    ...{ reviewVersion, open, places, present, matches, asBefore },
    secrets: countSecrets(change),
    answers: asked.answers,
  });
  const taken = takeOver(record, carried);
  const readers = readBefore.size > 0 ? past.record.reviewers : [];
  // Where all was read before, what was said of the change then is what there is to say.
  const isAllAsBefore = readBefore.size > 0 && readings.length === 0 && taken.coverage.complete;
  const { summary } = isAllAsBefore ? past.record.result : {};
  const droppedBefore = listDroppedBefore(past, review);
  return {
    ...taken,
    droppedByCheck: [...taken.droppedByCheck, ...droppedBefore],
    state: withDropped(taken.state, droppedBefore.length),
    result: { ...(summary === undefined ? {} : { summary }), ...taken.result },
    history: { reviewVersion: past.reviewVersion, jobId: past.jobId },
    diagnostics: [...taken.diagnostics, ...asked.diagnostics],
    reviewers: listDistinct([...taken.reviewers, ...asked.reviewers, ...readers]),
    usage: sumUsage([...taken.usage, ...asked.usage]),
  };
}
