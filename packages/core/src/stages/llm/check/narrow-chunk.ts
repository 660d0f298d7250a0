import type { RedactedChange } from '../../../changes/redacted-change.js';
import type { CheckedFinding } from '../../../prompt/check-prompt.js';
import type { PromptChunk } from '../../../prompt/prompt-chunk.js';

type FindingPlaces = readonly Pick<CheckedFinding, 'file' | 'place'>[];

/** The chunk with the files of these findings alone; whole where it shows none of them. */
export function narrowToFiles(change: RedactedChange, chunk: PromptChunk, findings: FindingPlaces): PromptChunk {
  const wanted = new Set(findings.map(({ file }) => file));
  const files = chunk.files.filter(({ file }) => wanted.has(change.files[file]?.path ?? ''));
  return files.length === 0 ? chunk : { ...chunk, files };
}

/**
 * The same with the hunks that hold a finding alone. A file keeps all its hunks where a finding is
 * about the whole of it, or is in none of them.
 */
export function narrowToHunks(change: RedactedChange, chunk: PromptChunk, findings: FindingPlaces): PromptChunk {
  const narrow = narrowToFiles(change, chunk, findings);
  const files = narrow.files.map(({ file: at, hunks }) => {
    const file = change.files[at];
    const lines = findings.flatMap((one) => (one.file === file?.path ? [one.place.line] : []));
    const holds = (hunk: number, line: number): boolean => {
      const shown = file?.hunks[hunk];
      return shown !== undefined && line >= shown.newStart && line < shown.newStart + Math.max(1, shown.newLines);
    };
    const isLost = lines.some((line) => line === null || !hunks.some((hunk) => holds(hunk, line)));
    const kept = hunks.filter((hunk) => lines.some((line) => line !== null && holds(hunk, line)));
    return { file: at, hunks: isLost || kept.length === 0 ? hunks : kept };
  });
  return { ...narrow, files };
}
