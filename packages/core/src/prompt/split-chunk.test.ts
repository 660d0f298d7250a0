import { describe, expect, it } from 'vitest';
import { redactedChangeOf, redactedFileOf } from '../../test/redacted-samples.js';
import type { RedactedFile } from '../changes/redacted-change.js';
import { promptText, renderChangeForPrompt } from './build-prompt.js';
import { builtInVariant } from './built-in-variant.js';
import { estimateTokens } from './plan-chunks.js';
import type { PromptChunk } from './prompt-chunk.js';
import { splitChunk } from './split-chunk.js';

const { template } = builtInVariant;
const fileOf = (path: string, sizes: readonly number[]): RedactedFile =>
  redactedFileOf({
    path,
    hunks: sizes.map((size, at) => ({
      oldStart: 1,
      oldLines: 0,
      newStart: at * 100 + 1,
      newLines: 1,
      lines: [`+${'x'.repeat(size)}`],
    })),
    addedLines: sizes.length,
  });

function split(sizes: readonly (readonly number[])[]) {
  const files = sizes.map((hunks, at) => fileOf(`//d/${at}.c`, hunks));
  const change = redactedChangeOf(files, { description: 'D' });
  const chunk: PromptChunk = {
    index: 1,
    count: 3,
    files: sizes.map((hunks, file) => ({ file, hunks: [...hunks.keys()] })),
    estimatedTokens: 9_000,
  };
  return { change, halves: splitChunk(change, chunk, template) };
}

const shown = (chunk: PromptChunk | undefined): string[] =>
  chunk?.files.map(({ file, hunks }) => `${file}:${hunks.join()}`) ?? [];

describe('splitChunk', () => {
  it.each([
    [[[50], [50]], ['0:0'], ['1:0']],
    [[[900], [50], [50]], ['0:0'], ['1:0', '2:0']],
    [[[50, 50, 50, 50]], ['0:0,1'], ['0:2,3']],
    [[[50], [50, 50, 900]], ['0:0', '1:0,1'], ['1:2']],
  ])('cuts %j between hunks, as evenly as they allow', (sizes, left, right) => {
    const { halves } = split(sizes);
    expect([shown(halves?.[0]), shown(halves?.[1])]).toEqual([left, right]);
  });

  it('estimates no half below what it takes, and keeps its place in the plan', () => {
    const { change, halves } = split([[300, 40], [700], [10, 10]]);
    for (const half of halves ?? []) {
      const text = promptText(renderChangeForPrompt(change, half, template));
      expect(half.estimatedTokens).toBeGreaterThanOrEqual(estimateTokens(text));
      expect(half).toMatchObject({ index: 1, count: 3 });
    }
    expect(halves).toHaveLength(2);
  });

  it('leaves one hunk whole', () => {
    expect(split([[50]]).halves).toBeNull();
  });
});
