import type { LlmReply } from '../../llm/llm-provider.js';
import type { PromptChunk } from '../../prompt/prompt-chunk.js';
import type { Diagnostic } from '../../review/diagnostics.js';
import type { ChunkOutcome } from '../../review/merge/coverage.js';
import { type ParsedReview, parseReview } from '../../review/read/parse-review.js';
import type { LlmStageOptions, ReviewUnderWay } from './ask-model.js';

/** Larger texts of a reply are refused unread. */
export const maxReplyBytes = 1 << 20;

/** A reply as the parser in force reads it. */
export interface ReplyReading {
  /** One for each text of the reply; at least one. */
  documents: readonly ParsedReview[];
  /** Of the reply's form and of all its documents (INV-4). */
  diagnostics: readonly Diagnostic[];
}

/** Reads every text of a reply against what the chunk showed of the change. */
export function readReply(
  options: LlmStageOptions,
  { change, variant, replyRedaction }: ReviewUnderWay,
  chunk: PromptChunk,
  reply: LlmReply,
): ReplyReading {
  const seen = new Map(chunk.files.map(({ file, hunks }) => [file, new Set(hunks)]));
  const changedFiles = change.files.map((file, index) => ({
    path: file.path,
    hunks: file.hunks.filter((_, hunk) => seen.get(index)?.has(hunk)),
    allHunks: file.hunks,
    newText: file.newText,
  }));
  const expected = {
    promptVersion: variant.promptVersion,
    schemaVersion: variant.schemaVersion,
    promptPatchDrift: options.settings.llm.promptPatchDrift,
  };
  const documents = [reply.text, ...(reply.moreTexts ?? [])].map((text) =>
    parseReview({
      text,
      stop: reply.stop,
      maxBytes: maxReplyBytes,
      expected,
      changedFiles,
      diagnostics: { redact: (value) => replyRedaction.redact(value) },
    }),
  );
  const notes = (reply.notes ?? []).map((note): Diagnostic => ({ code: 'reply_noted', note }));
  return { documents, diagnostics: [...notes, ...documents.flatMap((document) => document.diagnostics)] };
}

/** Whether anything of the reply may enter a review. */
export function isUsable({ documents }: Pick<ReplyReading, 'documents'>): boolean {
  return documents.some((document) => document.outcome === 'accepted');
}

/**
 * What the reply is worth for the coverage of its hunks: read only where every document of it is
 * whole and accepted (GRD-1).
 */
export function judgeOutcome(reading: Pick<ReplyReading, 'documents'>): ChunkOutcome {
  if (!isUsable(reading)) return 'failed';
  return reading.documents.every((document) => document.outcome === 'accepted' && document.state === 'complete')
    ? 'read'
    : 'cut';
}

/** Findings that can be kept. */
export function countKept({ documents }: Pick<ReplyReading, 'documents'>): number {
  return documents.reduce(
    (sum, document) => sum + (document.outcome === 'accepted' ? document.result.findings.length : 0),
    0,
  );
}

/** Findings that the model sent, as far as they could be counted. */
export function countSent({ documents }: Pick<ReplyReading, 'documents'>): number {
  return documents.reduce((sum, document) => sum + (document.outcome === 'accepted' ? document.sent : 0), 0);
}

/** Findings that the reply seems to hold outside its list, or in a document that was rejected. */
function countUnread({ documents }: Pick<ReplyReading, 'documents'>): number {
  return documents.reduce((sum, document) => sum + document.unread, 0);
}

/**
 * A reading that is used instead of `other`: where it has no finding of its own, those that `other`
 * sent or seemed to hold stay in doubt. A model that was asked to mend its form and answers with
 * nothing has not taken its findings back (OUT-9).
 */
export function keepDoubt<Reading extends ReplyReading>(used: Reading, other: ReplyReading): Reading {
  const lost = countSent(other) + countUnread(other);
  const [first, ...more] = used.documents;
  if (first === undefined || lost === 0 || countKept(used) > 0) return used;
  return { ...used, documents: [{ ...first, unread: first.unread + lost }, ...more] };
}

const RANK: Readonly<Record<ChunkOutcome, number>> = { failed: 0, cut: 1, read: 2 };

/**
 * Whether a second reply is better than the first: usable where the first is not, with more
 * findings kept, or more of it read. An empty reply never replaces one that had findings, however
 * broken: that would turn them into a clean review (OUT-9).
 */
export function isBetter(second: ReplyReading, first: ReplyReading): boolean {
  if (!isUsable(second) || !isUsable(first)) return isUsable(second);
  const more = countKept(second) - countKept(first);
  if (more !== 0) return more > 0;
  return countSent(first) + countUnread(first) === 0 && RANK[judgeOutcome(second)] > RANK[judgeOutcome(first)];
}
