import type { RedactedChange } from '../changes/redacted-change.js';
import { fileOverheadBytes, fixedBytes } from './build-prompt.js';
import { addChunkContext } from './context/plan-context.js';
import { DEFAULT_BYTES_PER_TOKEN } from './plan-chunks.js';
import type { PromptChunk } from './prompt-chunk.js';
import type { PromptTemplate } from './prompt-variant.js';
import { renderFileHunk } from './render-file.js';

interface ShownHunk {
  file: number;
  hunk: number;
  bytes: number;
}

function listHunks(change: RedactedChange, chunk: PromptChunk, template: PromptTemplate): readonly ShownHunk[] {
  return chunk.files.flatMap(({ file: at, hunks }) => {
    const file = change.files[at];
    return hunks.flatMap((hunk) => {
      return file?.hunks[hunk] === undefined
        ? []
        : [{ file: at, hunk, bytes: Buffer.byteLength(renderFileHunk(file, hunk, template)) }];
    });
  });
}

/** Where to cut, so that the larger side is as small as can be. */
function findMiddle(hunks: readonly ShownHunk[]): number {
  const total = hunks.reduce((sum, { bytes }) => sum + bytes, 0);
  let left = 0;
  let best = { at: 1, larger: Number.POSITIVE_INFINITY };
  hunks.slice(0, -1).forEach(({ bytes }, index) => {
    left += bytes;
    const larger = Math.max(left, total - left);
    if (larger < best.larger) best = { at: index + 1, larger };
  });
  return best.at;
}

function gather(
  change: RedactedChange,
  chunk: PromptChunk,
  hunks: readonly ShownHunk[],
  { template, bytesPerToken }: { template: PromptTemplate; bytesPerToken: number },
): PromptChunk {
  const files = new Map<number, number[]>();
  for (const { file, hunk } of hunks) files.set(file, [...(files.get(file) ?? []), hunk]);
  const shown = hunks.reduce((sum, { bytes }) => sum + bytes, 0);
  const overhead = [...files.keys()].reduce((sum, at) => {
    const file = change.files[at];
    return sum + (file === undefined ? 0 : fileOverheadBytes(file, template));
  }, 0);
  const fixed = fixedBytes(change, template, chunk.listed);
  const estimatedTokens = Math.ceil((fixed + overhead + shown) / bytesPerToken);
  const { context: _context, ...rest } = chunk;
  const half = { ...rest, files: [...files].map(([file, kept]) => ({ file, hunks: kept })), estimatedTokens };
  if (chunk.context === undefined) return half;
  // Within half of what the whole chunk took: it proved too large, and its context is a part of that.
  const freeTokens = Math.floor(chunk.estimatedTokens / 2) - estimatedTokens - 1;
  const { level } = chunk.context;
  return addChunkContext(change, half, { level, freeBytes: freeTokens * bytesPerToken, bytesPerToken });
}

/**
 * Splits a chunk that proved too large in two, between hunks and as evenly as they allow; one hunk
 * with context gives the hunk alone. All keep index and count of the plan. Null for a chunk of one
 * hunk and nothing else. Pure and deterministic.
 */
export function splitChunk(
  change: RedactedChange,
  chunk: PromptChunk,
  template: PromptTemplate,
  bytesPerToken: number = DEFAULT_BYTES_PER_TOKEN,
): readonly PromptChunk[] | null {
  const hunks = listHunks(change, chunk, template);
  if (hunks.length < 2) {
    const { context, ...bare } = chunk;
    return context === undefined || context.lines.length === 0
      ? null
      : [gather(change, bare, hunks, { template, bytesPerToken })];
  }
  const middle = findMiddle(hunks);
  const half = (shown: readonly ShownHunk[]): PromptChunk => gather(change, chunk, shown, { template, bytesPerToken });
  return [half(hunks.slice(0, middle)), half(hunks.slice(middle))];
}
