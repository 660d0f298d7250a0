import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { redactedChangeOf, redactedFileOf } from '../../test/redacted-samples.js';
import type { RedactedChange, RedactedFile } from '../changes/redacted-change.js';
import { coverChange } from '../review/merge/coverage.js';
import { fileOverheadBytes, fixedBytes, promptText, renderChangeForPrompt } from './build-prompt.js';
import { builtInVariant } from './built-in-variant.js';
import { rankOf } from './chunks/path-rank.js';
import { chooseListed } from './file-list.js';
import { estimateTokens, planChunks } from './plan-chunks.js';
import { renderFileHunk } from './render-file.js';

const { template } = builtInVariant;

const fileOf = (path: string, sizes: readonly number[], filler = 'x'): RedactedFile =>
  redactedFileOf({
    path,
    hunks: sizes.map((size, at) => ({
      oldStart: 1,
      oldLines: 0,
      newStart: at * 100 + 1,
      newLines: 1,
      lines: [`+${filler.repeat(size)}`],
    })),
    addedLines: sizes.length,
    newText: `class Cart {\n${`  void call${filler}() {\n    run(${filler});\n  }\n`.repeat(sizes.length * 12)}}\n`,
  });

const changeOf = (files: readonly RedactedFile[], description = 'D'): RedactedChange =>
  redactedChangeOf(files, { description });

const anyFile = fc
  .tuple(
    fc.array(fc.integer({ min: 0, max: 900 }), { maxLength: 6 }),
    fc.constantFrom('c', 'md', 'lock'),
    fc.constantFrom('x', 'é', '\u202E'),
  )
  .map(([sizes, ending, filler]) => ({ sizes, ending, filler }));
const anyChange = fc
  .tuple(fc.array(anyFile, { maxLength: 12 }), fc.string({ maxLength: 60 }))
  .map(([files, description]) =>
    changeOf(
      files.map(({ sizes, ending, filler }, at) => fileOf(`//d/${at}.${ending}`, sizes, filler)),
      description,
    ),
  );
const anyBudget = fc.record({
  budgetTokens: fc.integer({ min: 200, max: 4_000 }),
  maxChunks: fc.integer({ min: 1, max: 5 }),
  contextLevel: fc.constantFrom('hunks' as const, 'sections' as const, 'wide' as const),
});

describe('planning chunks', () => {
  it('GRD-3: the budget holds for the rendered text of every chunk, and the plan is deterministic', () => {
    fc.assert(
      fc.property(anyChange, anyBudget, (change, budget) => {
        const plan = planChunks(change, { template, ...budget });
        expect(plan).toEqual(planChunks(change, { template, ...budget }));
        expect(JSON.parse(JSON.stringify(plan))).toEqual(plan);
        expect(plan.chunks.length).toBeLessThanOrEqual(budget.maxChunks);
        plan.chunks.forEach((chunk, index) => {
          const tokens = estimateTokens(promptText(renderChangeForPrompt(change, chunk, template)));
          expect(tokens).toBeLessThanOrEqual(chunk.estimatedTokens);
          expect(chunk.estimatedTokens).toBeLessThanOrEqual(budget.budgetTokens);
          expect([chunk.index, chunk.count]).toEqual([index, plan.chunks.length]);
        });
      }),
      { numRuns: 80 },
    );
  });

  it('GRD-3: context takes only what hunks leave, shows no line twice, and keeps no hunk out', () => {
    fc.assert(
      fc.property(anyChange, anyBudget, (change, budget) => {
        const bare = planChunks(change, { template, ...budget, contextLevel: 'hunks' });
        const plan = planChunks(change, { template, ...budget });
        const sum = (one: typeof plan): number => one.unsent.reduce((total, { hunks }) => total + hunks.length, 0);
        expect(sum(plan)).toBe(sum(bare));
        for (const { files, context } of plan.chunks) {
          for (const { file: at, ranges } of context?.lines ?? []) {
            const file = change.files[at] as RedactedFile;
            const shown = files.find((one) => one.file === at)?.hunks ?? [];
            const taken = new Set(shown.map((hunk) => file.hunks[hunk]?.newStart));
            let last = 0;
            for (const { startLine, endLine } of ranges) {
              expect(startLine).toBeGreaterThan(last);
              last = endLine;
              for (let line = startLine; line <= endLine; line += 1) expect(taken.has(line)).toBe(false);
            }
            expect(last).toBeLessThanOrEqual((file.newText ?? '').split('\n').length - 1);
          }
          for (const { wanted, whole, cut } of context?.extents ?? []) expect(whole + cut).toBeLessThanOrEqual(wanted);
        }
      }),
      { numRuns: 60 },
    );
  });

  it('every hunk is sent exactly once or named as unsent, and coverage agrees', () => {
    fc.assert(
      fc.property(anyChange, anyBudget, (change, budget) => {
        const plan = planChunks(change, { template, ...budget });
        const sent = plan.chunks.flatMap(({ files }) => files);
        const names = [...sent, ...plan.unsent].flatMap(({ file, hunks }) => hunks.map((hunk) => `${file}:${hunk}`));
        const all = change.files.flatMap(({ hunks }, file) => [...hunks.keys()].map((hunk) => `${file}:${hunk}`));
        expect([...names].sort()).toEqual([...all].sort());
        const coverage = coverChange(
          change,
          plan.chunks.map(({ files }) => ({ files, outcome: 'read' })),
        );
        const short = new Set(plan.unsent.map(({ file }) => file));
        coverage.files.forEach((file, at) => {
          const whole = file.state === 'reviewed_full' || (file.state === 'skipped' && file.reason === 'unchanged');
          expect(whole).toBe(!short.has(at));
        });
      }),
      { numRuns: 80 },
    );
  });

  it('no file starves: what is unsent fits no chunk that is left', () => {
    fc.assert(
      fc.property(anyChange, anyBudget, (change, budget) => {
        const plan = planChunks(change, { template, ...budget, contextLevel: 'hunks' });
        const maxBytes = Math.floor(budget.budgetTokens / 2);
        const listed = chooseListed(change, { maxBytes });
        const least = Math.min(...plan.chunks.map((chunk) => chunk.estimatedTokens));
        // An unopened chunk holds but the frame.
        const taken =
          plan.chunks.length < budget.maxChunks ? Math.ceil(fixedBytes(change, template, listed) / 2) : least;
        const free = budget.budgetTokens - taken;
        for (const { file: at, hunks } of plan.unsent) {
          const file = change.files[at] as RedactedFile;
          for (const hunk of hunks) {
            const bytes = fileOverheadBytes(file, template) + Buffer.byteLength(renderFileHunk(file, hunk, template));
            expect(bytes / 2).toBeGreaterThan(free - 1);
          }
        }
      }),
      { numRuns: 80 },
    );
  });

  it('a huge file and a huge line leave room for the others; source comes before tools’ output', () => {
    const change = changeOf([
      fileOf('//d/package-lock.json', Array(40).fill(400)),
      fileOf('//d/min.c', [50_000]),
      fileOf('//d/z.c', [300, 300]),
    ]);
    const plan = planChunks(change, { template, budgetTokens: 3_000, maxChunks: 1 });
    expect(plan.chunks[0]?.files.find(({ file }) => file === 2)?.hunks).toEqual([0, 1]);
    expect(plan.unsent.find(({ file }) => file === 1)?.hunks).toEqual([0]);
    expect(plan.chunks[0]?.files.find(({ file }) => file === 0)?.hunks.length).toBeGreaterThan(0);
    expect([rankOf('//d/a.c'), rankOf('//d/README.md'), rankOf('//d/yarn.lock')]).toEqual([0, 1, 2]);
  });

  it('whole files stay together where they fit', () => {
    const change = changeOf([fileOf('//d/a.c', [400, 400]), fileOf('//d/b.c', [500]), fileOf('//d/c.c', [400, 400])]);
    const plan = planChunks(change, { template, budgetTokens: 1_400, maxChunks: 4 });
    expect(plan.unsent).toEqual([]);
    for (const at of [0, 2])
      expect(plan.chunks.filter(({ files }) => files.some(({ file }) => file === at))).toHaveLength(1);
  });

  it('a budget below the frame plans nothing; options that are no numbers are refused', () => {
    const change = changeOf([fileOf('//d/a.c', [1])]);
    expect(planChunks(change, { template, budgetTokens: 10, maxChunks: 2 })).toEqual({
      chunks: [],
      unsent: [{ file: 0, hunks: [0] }],
    });
    for (const options of [
      { budgetTokens: 0, maxChunks: 1 },
      { budgetTokens: 9, maxChunks: 0 },
      { budgetTokens: 9, maxChunks: 1, bytesPerToken: 0 },
    ])
      expect(() => planChunks(change, { template, ...options })).toThrow(TypeError);
  });
});
