import type { StructuredMode } from '../llm/llm-provider.js';
import { modeLadder, nextMode, strongestMode } from '../llm/mode-ladder.js';
import type { PromptChunk } from '../prompt/prompt-chunk.js';
import { PROMPT_VERSION } from '../prompt/template.js';
import { SCHEMA_VERSION } from '../review/review-result.js';
import { askModel, type LlmStageOptions, type ModelAnswer, type ReviewUnderWay } from './ask-model.js';
import { nameReply } from './chunk-question.js';
import { isUsable, maxReplyBytes, type ReplyReading, readReply } from './read-reply.js';
import { outputTokens } from './review-request.js';
import { type Reviewer, readStoredReply, storeReply } from './stored-reply.js';

/** What became of one chunk. */
export interface ChunkReading extends ReplyReading {
  files: PromptChunk['files'];
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
    const reading = readReply(options, review, chunk, stored.reply);
    if (isUsable(reading)) return { ...reading, files: chunk.files, reviewer: stored.reviewer };
  }
  return null;
}

async function ask(options: LlmStageOptions, review: ReviewUnderWay, chunk: PromptChunk): Promise<ChunkReading> {
  const { modes } = review.provider;
  const maxOutputTokens = outputTokens(review.provider, options.settings.llm);
  const first = await askModel(options, review, { chunk, maxOutputTokens, mode: strongestMode(modes) });
  const reading = readReply(options, review, chunk, first.reply);
  if (isUsable(reading)) return keep(options, review, chunk, first, reading);
  // A cut reply, or one too large to read, would only come again.
  if (first.reply.stop !== 'complete' || Buffer.byteLength(first.reply.text) > maxReplyBytes)
    return { ...reading, files: chunk.files, reviewer: null };
  const second = await askModel(options, review, { chunk, maxOutputTokens, mode: nextMode(first.mode, modes) ?? first.mode });
  const again = readReply(options, review, chunk, second.reply);
  return isUsable(again) ? keep(options, review, chunk, second, again) : { ...again, files: chunk.files, reviewer: null };
}

async function keep(
  options: LlmStageOptions,
  review: ReviewUnderWay,
  chunk: PromptChunk,
  { mode, reply }: ModelAnswer,
  reading: ReplyReading,
): Promise<ChunkReading> {
  const { id: provider, model } = review.provider;
  const reviewer: Reviewer = { provider, model, mode, promptVersion: PROMPT_VERSION, schemaVersion: SCHEMA_VERSION };
  await storeReply(options.artifacts, review.context, nameFor(options, review, chunk, mode), { format: 1, reviewer, reply });
  return { ...reading, files: chunk.files, reviewer };
}
