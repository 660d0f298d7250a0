import { describe, expect, it } from 'vitest';
import { redactedChangeOf, redactedFileOf } from '../../../test/redacted-samples.js';
import type { RedactedFile } from '../../changes/redacted-change.js';
import type { LlmProvider } from '../../llm/llm-provider.js';
import { builtInVariant } from '../../prompt/built-in-variant.js';
import { resolveSettings } from '../../settings/settings.js';
import { planReview } from './plan-review.js';

const lines = Array.from({ length: 60 }, (_, n) => `+const value_${n} = compute(${n}); // ${'x'.repeat(20)}`);
const file = (path: string): RedactedFile =>
  redactedFileOf({
    path,
    bytes: 10,
    addedLines: lines.length,
    hunks: [{ oldStart: 1, oldLines: 0, newStart: 1, newLines: lines.length, lines }],
  });
const names = ['a', 'b', 'c', 'd', 'e'];
const change = redactedChangeOf(
  names.map((name) => file(`//depot/${name}.ts`)),
  { serverId: 'main', number: 7, changelistId: 'main/7', description: 'd' },
);
/** A model whose context holds one of the files. */
const provider = (id: string): LlmProvider => ({
  contract: 1,
  id,
  model: 'm',
  limits: { contextTokens: 6_500, maxOutputTokens: 256 },
  modes: ['prompt'],
  prepare: () => Promise.reject(new Error('not here')),
  send: () => Promise.reject(new Error('not here')),
});
const [large, small, third] = [
  { provider: provider('large'), change, files: new Set([0, 1, 2]), named: new Set(names.keys()) },
  { provider: provider('small'), change, files: new Set([3]), named: new Set(names.keys()) },
  { provider: provider('third'), change, files: new Set([4]), named: new Set(names.keys()) },
] as const;

const planOf = (shares: Parameters<typeof planReview>[0], maxChunks: number) => {
  const settings = resolveSettings({ llm: { maxChunks, maxOutputTokens: 256 } });
  const guide = () => ({ languages: [], rules: [] });
  const options = {
    variant: builtInVariant,
    settings,
    isInternal: () => true,
    guide,
    rates: () => 2,
    readBefore: new Map(),
  };
  const { chunks, unsent } = planReview(shares, options);
  return {
    chunks: chunks.map(({ share, chunk }) => [share.provider.id, chunk.files.map((one) => one.file)]),
    numbers: chunks.map(({ chunk }) => [chunk.index, chunk.count]),
    unsent: unsent.map((one) => one.file),
  };
};

describe('planReview', () => {
  it('EGR-2: plans each share for its own provider, and numbers the requests through', () => {
    expect(planOf([large, small], 8)).toEqual({
      chunks: [
        ['large', [0]],
        ['large', [1]],
        ['large', [2]],
        ['small', [3]],
      ],
      numbers: [
        [0, 4],
        [1, 4],
        [2, 4],
        [3, 4],
      ],
      unsent: [],
    });
  });

  it('keeps all shares within maxChunks: who needs most gives first, and each hunk is sent or named', () => {
    expect(planOf([large, small], 3)).toEqual({
      chunks: [
        ['large', [0]],
        ['large', [1]],
        ['small', [3]],
      ],
      numbers: [
        [0, 3],
        [1, 3],
        [2, 3],
      ],
      unsent: [2],
    });
    const one = planOf([large, small, third], 2);
    expect(one.chunks).toEqual([
      ['large', [0]],
      ['small', [3]],
    ]);
    expect(one.unsent).toEqual([1, 2, 4]);
  });

  it('GRD-3: a public host gets the sections round the hunks, and more only where the setting says so', () => {
    const hunk = { oldStart: 3, oldLines: 0, newStart: 3, newLines: 1, lines: ['+b();'] };
    const newText = 'void tick() {\n  a();\nb();\n}\n\nint far;\n';
    const one = { ...change, files: [{ ...file('//depot/a.cpp'), hunks: [hunk], newText }] };
    const shownTo = (host: string | undefined, context: object) => {
      const house = { ...provider('house'), host, limits: { contextTokens: 60_000, maxOutputTokens: 256 } };
      const share = { provider: house, change: one, files: new Set([0]), named: new Set([0]) };
      const settings = resolveSettings({ review: { context } });
      const isInternal = (name: string): boolean => name === 'inside';
      const { chunks } = planReview([share], {
        variant: builtInVariant,
        settings,
        isInternal,
        guide: () => ({ languages: [], rules: [] }),
        rates: () => 2,
        readBefore: new Map(),
      });
      return chunks[0]?.chunk.context?.lines[0]?.ranges.at(-1)?.endLine ?? 0;
    };
    expect(shownTo('inside', {})).toBe(6);
    expect(shownTo('inside', { level: 'sections' })).toBe(4);
    expect(shownTo('inside', { level: 'hunks' })).toBe(0);
    for (const host of ['public.example', undefined]) {
      expect(shownTo(host, {})).toBe(4);
      expect(shownTo(host, { publicHosts: 'wide' })).toBe(6);
      expect(shownTo(host, { publicHosts: 'wide', level: 'sections' })).toBe(4);
      expect(shownTo(host, { level: 'hunks' })).toBe(0);
    }
  });
});
