import type { LlmReply, StructuredMode } from '../llm/llm-provider.js';
import { modeLadder, nextMode, strongestMode } from '../llm/mode-ladder.js';
import type { PromptChunk } from '../prompt/prompt-chunk.js';
import { PROMPT_VERSION } from '../prompt/template.js';
import { type ParsedReview, parseReview } from '../review/parse-review.js';
import { SCHEMA_VERSION } from '../review/review-result.js';
import { askModel, type LlmStageOptions, type ModelAnswer, type ReviewUnderWay } from './ask-model.js';
import { nameReply } from './chunk-question.js';
import { outputTokens } from './review-request.js';
import { type Reviewer, readStoredReply, storeReply } from './stored-reply.js';

/** Larger replies are refused unread. */
const maxReplyBytes = 1 << 20;

/** What became of one chunk. */
export interface ChunkReading {
  files: PromptChunk['files'];
  parsed: ParsedReview;
  /** Null where no usable reply was given. */
  reviewer: Reviewer | null;
}

/**
 * Reads one chunk's reply: the stored one to the same question (GRD-1), or a new one. A reply that cannot be used is asked for once more
 * (ruling R8).
 */
export async function reviewChunk(options: LlmStageOptions, review: ReviewUnderWay, chunk: PromptChunk): Promise<ChunkReading> {
  return (await findStored(options, review, chunk)) ?? (await ask(options, review, chunk));
}

function nameFor({ settings }: LlmStageOptions, review: ReviewUnderWay, { files }: PromptChunk, mode: StructuredMode): string {
  const { provider, snapshotDigest: snapshot } = review;
  const maxOutputTokens = outputTokens(provider, settings.llm);
  return nameReply({ snapshot, provider: provider.id, model: provider.model, mode, maxOutputTokens, files });
}

/** The stored reply, in whichever mode it was given; one that the present parser rejects is none. */
async function findStored(options: LlmStageOptions, review: ReviewUnderWay, chunk: PromptChunk): Promise<ChunkReading | null> {
  for (const mode of modeLadder.filter((one) => review.provider.modes.includes(one))) {
    const stored = await readStoredReply(options.artifacts, review.context, nameFor(options, review, chunk, mode));
    if (stored === null) continue;
    const parsed = parse(options, review, chunk, stored.reply);
    if (parsed.outcome === 'accepted') return { files: chunk.files, parsed, reviewer: stored.reviewer };
  }
  return null;
}

async function ask(options: LlmStageOptions, review: ReviewUnderWay, chunk: PromptChunk): Promise<ChunkReading> {
  const { modes } = review.provider;
  const maxOutputTokens = outputTokens(review.provider, options.settings.llm);
  const first = await askModel(options, review, { chunk, maxOutputTokens, mode: strongestMode(modes) });
  const parsed = parse(options, review, chunk, first.reply);
  if (parsed.outcome === 'accepted') return keep(options, review, chunk, first, parsed);
  // A cut reply, or one too large to read, would only come again.
  if (first.reply.stop !== 'complete' || Buffer.byteLength(first.reply.text) > maxReplyBytes)
    return { files: chunk.files, parsed, reviewer: null };
  const second = await askModel(options, review, { chunk, maxOutputTokens, mode: nextMode(first.mode, modes) ?? first.mode });
  const again = parse(options, review, chunk, second.reply);
  if (again.outcome === 'accepted') return keep(options, review, chunk, second, again);
  return { files: chunk.files, parsed: again, reviewer: null };
}

async function keep(
  options: LlmStageOptions,
  review: ReviewUnderWay,
  chunk: PromptChunk,
  { mode, reply }: ModelAnswer,
  parsed: ParsedReview,
): Promise<ChunkReading> {
  const { id: provider, model } = review.provider;
  const reviewer: Reviewer = { provider, model, mode, promptVersion: PROMPT_VERSION, schemaVersion: SCHEMA_VERSION };
  await storeReply(options.artifacts, review.context, nameFor(options, review, chunk, mode), { format: 1, reviewer, reply });
  return { files: chunk.files, parsed, reviewer };
}

function parse(options: LlmStageOptions, { change }: ReviewUnderWay, chunk: PromptChunk, reply: LlmReply): ParsedReview {
  const seen = new Map(chunk.files.map(({ file, hunks }) => [file, new Set(hunks)]));
  return parseReview({
    text: reply.text,
    stop: reply.stop,
    maxBytes: maxReplyBytes,
    expected: { promptVersion: PROMPT_VERSION, schemaVersion: SCHEMA_VERSION, promptPatchDrift: options.settings.llm.promptPatchDrift },
    changedFiles: change.files.map((file, index) => ({
      path: file.path,
      hunks: file.hunks.filter((_, hunk) => seen.get(index)?.has(hunk)),
    })),
    diagnostics: { redact: (text) => options.redactor.session().redact(text).text },
  });
}
