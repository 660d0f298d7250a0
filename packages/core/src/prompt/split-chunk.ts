import type { PromptChunk } from './prompt-chunk.js';

/**
 * Two halves of a chunk whose request was too large for the model: by files, else by hunks; null where one hunk is all there is. Index and
 * count stay the plan's; the estimate is halved by hunks.
 */
export function splitChunk(chunk: PromptChunk): readonly [PromptChunk, PromptChunk] | null {
  const flat = chunk.files.flatMap(({ file, hunks }) => hunks.map((hunk) => ({ file, hunk })));
  if (flat.length < 2) return null;
  const byFiles = Math.ceil(chunk.files.length / 2);
  const middle =
    chunk.files.length > 1 ? chunk.files.slice(0, byFiles).reduce((sum, { hunks }) => sum + hunks.length, 0) : flat.length >> 1;
  const part = (members: typeof flat): PromptChunk => {
    const files = new Map<number, number[]>();
    for (const { file, hunk } of members) files.set(file, [...(files.get(file) ?? []), hunk]);
    return {
      ...chunk,
      files: [...files].map(([file, hunks]) => ({ file, hunks })),
      estimatedTokens: Math.ceil((chunk.estimatedTokens * members.length) / flat.length),
    };
  };
  return [part(flat.slice(0, middle)), part(flat.slice(middle))];
}
