// Whether a reviewer could have known: how many defects are in the prompts with their evidence.
import type { BenchChange, GroundTruth } from './make-changes.js';
import { holdsText, type PromptBlock, readBlocks, readShownLines } from './read-prompt.js';

/** What the prompts of a change showed of one defect. */
export interface EvidenceSeen {
  defect: GroundTruth;
  /** A hunk with a line of the defect. */
  isShown: boolean;
  /** All its evidence, in a prompt that shows the defect. */
  inPrompt: boolean;
  /** The same by the hunks of that prompt alone. */
  inHunks: boolean;
}

/** How many of the defects were in a prompt with their evidence, and in its hunks alone. */
export interface EvidenceShare {
  defects: number;
  inPrompt: number;
  inHunks: number;
}

export interface EvidenceReport {
  inFile: EvidenceShare;
  crossFile: EvidenceShare;
  /** Defects of which no prompt had all evidence. */
  missing: readonly GroundTruth[];
}

/** Whether one of the defect's lines is in a hunk of these blocks. */
export function isDefectShown({ places }: GroundTruth, blocks: readonly PromptBlock[]): boolean {
  const shown = new Set(readShownLines(blocks).map(({ file, line }) => `${line} ${file}`));
  return places.some(({ path, lines }) => lines.some((line) => shown.has(`${line} ${path}`)));
}

/** Whether the blocks hold every line of evidence. */
export function isEvidenceShown({ evidence }: GroundTruth, blocks: readonly PromptBlock[]): boolean {
  return evidence.every(({ text }) => holdsText(blocks, text));
}

/** A line of the file's head, of a hunk's, or of the hunk itself: no context, which is marked apart. */
const isHunkLine = (line: string): boolean => !/^ *\d+ \|/.test(line);

/** The diffs as they would be without context. */
export const onlyHunks = (blocks: readonly PromptBlock[]): readonly PromptBlock[] =>
  blocks.filter(({ kind }) => kind === 'diff').map(({ kind, lines }) => ({ kind, lines: lines.filter(isHunkLine) }));

function look(defect: GroundTruth, prompts: readonly (readonly PromptBlock[])[]): EvidenceSeen {
  const showing = prompts.filter((blocks) => isDefectShown(defect, blocks));
  return {
    defect,
    isShown: showing.length > 0,
    inPrompt: showing.some((blocks) => isEvidenceShown(defect, blocks)),
    inHunks: showing.some((blocks) => isEvidenceShown(defect, onlyHunks(blocks))),
  };
}

function count(seen: readonly EvidenceSeen[]): EvidenceShare {
  return {
    defects: seen.length,
    inPrompt: seen.filter(({ inPrompt }) => inPrompt).length,
    inHunks: seen.filter(({ inHunks }) => inHunks).length,
  };
}

/** Counts over changes; `promptsOf` gives the user texts that were sent for a change. */
export function measureEvidence(
  changes: readonly BenchChange[],
  promptsOf: (number: number) => readonly string[],
): EvidenceReport {
  const seen = changes.flatMap(({ change, truth }) => {
    const prompts = promptsOf(change.number).map(readBlocks);
    return truth.map((defect) => look(defect, prompts));
  });
  return {
    inFile: count(seen.filter(({ defect }) => !defect.isCrossFile)),
    crossFile: count(seen.filter(({ defect }) => defect.isCrossFile)),
    missing: seen.flatMap(({ defect, inPrompt }) => (inPrompt ? [] : [defect])),
  };
}
