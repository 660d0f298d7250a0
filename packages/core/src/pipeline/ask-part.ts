import type { StructuredMode } from '../llm/llm-provider.js';
import { modeLadder, nextMode, strongestMode } from '../llm/mode-ladder.js';
import type { PromptChunk } from '../prompt/prompt-chunk.js';
import { PROMPT_VERSION } from '../prompt/template.js';
import { SCHEMA_VERSION } from '../review/review-result.js';
import { askModel, type LlmStageOptions, type ModelAnswer, type ReviewUnderWay } from './ask-model.js';
import { nameReply } from './chunk-question.js';
import { isUsable, maxReplyBytes, type ReplyReading, readReply } from './read-reply.js';
import { type Reviewer, readStoredReply, storeReply } from './stored-reply.js';

/** What one request asks about, and how much it may answer. */
export interface Part {
  chunk: PromptChunk;
  maxOutputTokens: number;
}

/** What became of one part of a change. */
export interface PartReading extends ReplyReading {
  files: PromptChunk['files'];
  /** Null where no usable reply was given. */
  reviewer: Reviewer | null;
}

function nameFor(review: ReviewUnderWay, { chunk, maxOutputTokens }: Part, mode: StructuredMode): string {
  const { provider, snapshotDigest: snapshot } = review;
  return nameReply({ snapshot, provider: provider.id, model: provider.model, mode, maxOutputTokens, files: chunk.files });
}

/** Name of the job output that says why this part is asked about in another size. */
export function nameResize(review: ReviewUnderWay, part: Part): string {
  return nameFor(review, part, strongestMode(review.provider.modes)).replace('llm.reply.', 'llm.resize.');
}

/** The stored reply to this very question (GRD-1), in whichever mode it was given. One that the parser in force rejects is none. */
export async function findPart(options: LlmStageOptions, review: ReviewUnderWay, part: Part): Promise<PartReading | null> {
  for (const mode of modeLadder.filter((one) => review.provider.modes.includes(one))) {
    const stored = await readStoredReply(options.artifacts, review.context, nameFor(review, part, mode));
    if (stored === null) continue;
    const reading = readReply(options, review, part.chunk, stored.reply);
    if (isUsable(reading)) return { ...reading, files: part.chunk.files, reviewer: stored.reviewer };
  }
  return null;
}

/** Asks, and stores a usable reply. A reply that cannot be used is asked for once more (ruling R8). Throws what `askModel` throws. */
export async function askPart(options: LlmStageOptions, review: ReviewUnderWay, part: Part): Promise<PartReading> {
  const { modes } = review.provider;
  const first = await askModel(options, review, { ...part, mode: strongestMode(modes) });
  const reading = readReply(options, review, part.chunk, first.reply);
  if (isUsable(reading)) return keep(options, review, part, first, reading);
  // A cut reply, or one too large to read, would only come again.
  if (first.reply.stop !== 'complete' || Buffer.byteLength(first.reply.text) > maxReplyBytes)
    return { ...reading, files: part.chunk.files, reviewer: null };
  const second = await askModel(options, review, { ...part, mode: nextMode(first.mode, modes) ?? first.mode });
  const again = readReply(options, review, part.chunk, second.reply);
  return isUsable(again) ? keep(options, review, part, second, again) : { ...again, files: part.chunk.files, reviewer: null };
}

async function keep(
  options: LlmStageOptions,
  review: ReviewUnderWay,
  part: Part,
  { mode, reply }: ModelAnswer,
  reading: ReplyReading,
): Promise<PartReading> {
  const { id: provider, model } = review.provider;
  const reviewer: Reviewer = { provider, model, mode, promptVersion: PROMPT_VERSION, schemaVersion: SCHEMA_VERSION };
  await storeReply(options.artifacts, review.context, nameFor(review, part, mode), { format: 1, reviewer, reply });
  return { ...reading, files: part.chunk.files, reviewer };
}
