import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { redactedChangeOf, redactedFileOf } from '../../test/redacted-samples.js';
import type { RedactedFile } from '../changes/redacted-change.js';
import { promptText, renderChangeForPrompt } from './build-prompt.js';
import { listPromptVariants } from './built-in-variant.js';
import { planChunks } from './plan-chunks.js';
import { nameVariant, type PromptVariant } from './prompt-variant.js';
import { splitChunk } from './split-chunk.js';

const hunkOf = (newStart: number, lines: readonly string[]): RedactedFile['hunks'][number] => ({
  oldStart: newStart,
  oldLines: 1,
  newStart,
  newLines: lines.filter((line) => !line.startsWith('-')).length,
  lines,
  section: 'Server::tick',
});
const fileOf = (path: string, more: Partial<RedactedFile> = {}): RedactedFile =>
  redactedFileOf({
    path,
    hunks: [hunkOf(3, [' a', '-b', '+c']), hunkOf(40, [`+${'long '.repeat(60)}`, '+d\r'])],
    newText: 'a\n'.repeat(60),
    addedLines: 3,
    removedLines: 1,
    ...more,
  });
const change = redactedChangeOf(
  [
    fileOf('//d/a.h'),
    fileOf('//d/b.cpp', { oldPath: '//d/old.cpp', action: 'move' }),
    fileOf('//d/a.cpp', { displayPath: '//d/[REDACTED:x:1].cpp' }),
    fileOf('//d/logo.png', { skipped: 'binary', hunks: [] }),
    fileOf('//d/a.test.cpp', {
      hunks: Array.from({ length: 9 }, (_, n) => hunkOf(n * 50 + 1, [`+${'z'.repeat(400)}`])),
    }),
  ],
  { description: `First line\n${'word '.repeat(900)}`, jobs: ['job000001'] },
);

/** Every text that the variant sends for the change, in small requests and in one. */
function digestOf(variant: PromptVariant): string {
  const { template } = variant;
  const plans = [900, 3_000, 60_000].flatMap((budgetTokens) => {
    const { chunks, unsent } = planChunks(change, { template, budgetTokens: budgetTokens + 2_400, maxChunks: 3 });
    const halves = chunks.flatMap((chunk) => splitChunk(change, chunk, template) ?? []);
    const texts = [...chunks, ...halves].map((chunk) => [
      chunk,
      promptText(renderChangeForPrompt(change, chunk, template)),
    ]);
    return [texts, unsent];
  });
  const systems = [template.system(variant, 'list'), template.system(variant, 'map')];
  return createHash('sha256')
    .update(JSON.stringify([systems, plans]))
    .digest('hex');
}

describe('built-in variants', () => {
  it('GRD-1 PR-1: a job that is frozen on 1.1 gets the bytes and the plan that 1.1 gave', () => {
    const frozen = listPromptVariants().find('built-in@1.1/1.0');
    expect(frozen && digestOf(frozen)).toBe('bb4542228bb58e5da9a2e0c4fb24bdcd566d8fd09ee64889e55298f19c34c550');
  });

  it('GRD-3: new jobs are frozen on the version that shows context', async () => {
    const chosen = await listPromptVariants().choose({ author: 'ada', paths: [] });
    expect(nameVariant(chosen)).toBe('built-in@1.2/1.0+check-1.0');
    expect(chosen.template.context).toBeDefined();
  });
});
