import type { RedactedChange } from '../../changes/redacted-change.js';
import type { PromptChunk } from '../prompt-chunk.js';
import { listWishes } from './context-wishes.js';
import { type ContextRoom, createContextFitter, type PlannedContext } from './fit-context.js';
import { listFound } from './found-context.js';

/**
 * Chooses the context of one chunk: what its hunks leave free is given to the most useful lines
 * first, each in the best form that fits. Pure and deterministic.
 */
export function planContext(
  change: RedactedChange,
  chunk: Pick<PromptChunk, 'files'>,
  room: ContextRoom,
): PlannedContext {
  const fitter = createContextFitter(change, chunk, room);
  fitter.addLines(listWishes(change, chunk, room.level));
  if (room.level === 'wide') fitter.addFound(listFound(change, chunk));
  return fitter.finish();
}

/** The chunk with what explains its hunks, as far as `freeBytes` go, and counted. */
export function addChunkContext(
  change: RedactedChange,
  chunk: PromptChunk,
  { bytesPerToken, ...room }: ContextRoom & { bytesPerToken: number },
): PromptChunk {
  const { context, bytes } = planContext(change, chunk, room);
  return { ...chunk, context, estimatedTokens: chunk.estimatedTokens + Math.ceil(bytes / bytesPerToken) };
}
