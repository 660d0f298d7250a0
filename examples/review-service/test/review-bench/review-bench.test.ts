import { describe, expect, it } from 'vitest';
import { type BuiltInReviewer, builtInReviewers } from './built-in-reviewers.js';
import { contextLevels } from './context-levels.js';
import { makeChanges } from './make-changes.js';
import type { EvidenceShare } from './measure-evidence.js';
import { renderEvidence, renderTable } from './report.js';
import { type BenchRow, runBuiltIn } from './run-bench.js';

const changes = makeChanges({ seed: 1, changes: 40 });
const widest = contextLevels.at(-1) as (typeof contextLevels)[number];

async function runEach(): Promise<Record<BuiltInReviewer, BenchRow>> {
  const rows: [BuiltInReviewer, BenchRow][] = [];
  for (const name of builtInReviewers) rows.push([name, await runBuiltIn(name, { changes, level: widest })]);
  return Object.fromEntries(rows) as Record<BuiltInReviewer, BenchRow>;
}

const shareOf = (share: EvidenceShare | undefined): number => (share?.inPrompt ?? 0) / (share?.defects ?? 1);

describe('review bench', () => {
  it('tells an oracle from reviewers that see too little, miss the line, or chat', async () => {
    const { oracle, 'hunks-only': hunksOnly, 'wrong-lines': wrongLines, chatty } = await runEach();
    const rows = [oracle, hunksOnly, wrongLines, chatty];
    console.log(`${renderTable(rows)}\n${renderEvidence(oracle, { names: false })}`);
    expect(rows.map(({ failed }) => failed)).toEqual([0, 0, 0, 0]);
    expect(oracle.score).toMatchObject({ precision: 1, place: 1, noise: 0 });
    expect(wrongLines.score.place).toBeLessThan(0.5);
    expect(chatty.score.precision).toBeLessThan(0.5);
    expect(chatty.score.noise).toBeGreaterThan(2);
    expect(chatty.score.recall).toBe(oracle.score.recall);
    // Each finds exactly what it was shown: what separates them is what the prompts hold beside hunks.
    const { inFile, crossFile } = oracle.evidence ?? {};
    expect(oracle.score.found).toBe((inFile?.inPrompt ?? 0) + (crossFile?.inPrompt ?? 0));
    expect(hunksOnly.score.found).toBe((inFile?.inHunks ?? 0) + (crossFile?.inHunks ?? 0));
    // Three unchanged lines round each change hold about half of what a file itself could say.
    expect((inFile?.inHunks ?? 0) / (inFile?.defects ?? 1)).toBeGreaterThan(0.4);
    expect(crossFile).toMatchObject({ inHunks: 0 });
    expect(shareOf(inFile), 'evidence of the same file in the prompt').toBeGreaterThanOrEqual(0.98);
    expect(shareOf(crossFile), 'evidence of other files in the prompt').toBeGreaterThanOrEqual(0.95);
  });
});
