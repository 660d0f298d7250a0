import fc from 'fast-check';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { describe, expect, it } from 'vitest';
import { readRedactedChange } from '../../../changes/redacted-change.js';
import type { LlmProvider } from '../../../llm/llm-provider.js';
import { createTokenCounter, withTokenCounter } from '../../../llm/token-counter.js';
import { promptText, renderChangeForPrompt } from '../../../prompt/build-prompt.js';
import { builtInVariant } from '../../../prompt/built-in-variant.js';
import { planChunks } from '../../../prompt/plan-chunks.js';
import { createRateCalibration } from './calibrate-rate.js';
import { chooseRates, readRates } from './choose-rates.js';
import { measureRate } from './measure-rate.js';

const { template } = builtInVariant;
const plain = { disallowedSpecial: new Set<string>() };
const counter = createTokenCounter({ name: 'o200k_base', encoding: { countTokens } });

/** Lines as they are in real files of ten languages. */
const lines: Readonly<Record<string, readonly string[]>> = {
  c: [
    'static int ring_push(struct ring *r, const void *item) {',
    '\tif (r->head - r->tail == r->size) return -ENOSPC;',
  ],
  cpp: [
    'template <typename T> auto take(std::vector<std::unique_ptr<T>> &&from) {',
    '  return std::move(from.back());',
  ],
  cs: ['public async Task<IReadOnlyList<Order>> FindAsync(Guid id, CancellationToken token = default)', '{'],
  java: ['    private final Map<String, List<Listener>> listeners = new ConcurrentHashMap<>();', '    @Override'],
  py: ['    return {key: value for key, value in sorted(items.items()) if value is not None}', '    """Doc."""'],
  ts: ['export const isReady = (state: State): state is Ready => state.kind === "ready" && state.at > 0;', '});'],
  lua: ['local function each(list, visit) for i = 1, #list do visit(list[i], i) end end', '\t\tself.x = x or 0'],
  go: [
    'func (s *Server) Close(ctx context.Context) (err error) {',
    '\tdefer func() { err = errors.Join(err, s.l.Close()) }()',
  ],
  hlsl: ['float4 main(VSOut v) : SV_Target0 { return saturate(dot(v.nrm.xyz, -L.xyz)).xxxx * 0.318309886f; }'],
  json: ['  "id": "0f8c2b7e-5d1a-4c3e-9b6f-7a2d4e8c1b3f", "at": [0.125, -13.75, 4096], "n": 1e-06,', '    },'],
};

const texts = fc.constantFrom(...Object.keys(lines)).chain((language) =>
  fc.tuple(
    fc.constant(language),
    fc.array(fc.oneof(fc.constantFrom(...(lines[language] ?? [])), fc.string({ unit: 'grapheme', maxLength: 40 })), {
      minLength: 1,
      maxLength: 60,
    }),
  ),
);

function changeOf(files: readonly (readonly [string, readonly string[]])[]) {
  return readRedactedChange({
    ...{ format: 1, serverId: 'main', number: 7, changelistId: 'main/7', kind: 'submitted', user: 'ada' },
    ...{ description: 'A change', jobs: [], visibility: 'complete', deniedFiles: 0, redactions: {} },
    rules: { version: '1', policyHash: 'p' },
    files: files.map(([language, given], at) => {
      const own = given.map((line) => `+${line.replaceAll('\n', ' ')}`);
      return {
        ...{ path: `//depot/f${at}.${language}`, displayPath: null, oldPath: null, displayOldPath: null },
        ...{ action: 'edit', fileType: 'text', bytes: null, skipped: null, redactions: {}, removedLines: 0 },
        addedLines: own.length,
        hunks: [{ oldStart: 1, oldLines: 0, newStart: 1, newLines: own.length, lines: own }],
        newText: `${own.map((line) => line.slice(1)).join('\n')}\n${given.join(' ').replaceAll('\n', ' ')}\n`,
      };
    }),
  });
}

describe('createTokenCounter', () => {
  it('PR-3: counts no less than the tokenizer, at most 1 % more, and special tokens as text', () => {
    const all = Object.values(lines).flat().join('\n').repeat(20);
    const exact = countTokens(all, plain);
    expect(counter.count(all)).toBeGreaterThanOrEqual(exact);
    expect(counter.count(all)).toBeLessThan(exact * 1.01);
    expect(counter.count('<|endoftext|>')).toBe(countTokens('<|endoftext|>', plain));
    expect(counter.count('')).toBe(0);
  });

  it('PR-3: gives the tokenizer at most 1,000 units at a time and never half a character', () => {
    const seen: string[] = [];
    const { count } = createTokenCounter({ name: 'x', encoding: { countTokens: (text) => seen.push(text) && 1 } });
    const text = `a${'\u{1F600}'.repeat(1_200)}`;
    expect([count(text), seen.join('') === text]).toEqual([3, true]);
    for (const slice of seen) expect([slice.length <= 1_000, !/[\ud800-\udbff]$/.test(slice)]).toEqual([true, true]);
    expect(() => createTokenCounter({ name: 'x', encoding: {} as never })).toThrow(/expected countTokens/);
  });
});

describe('measureRate', () => {
  it('PR-3: no chunk of a plan has more tokens than the plan says, in ten languages', () => {
    fc.assert(
      fc.property(fc.array(texts, { minLength: 1, maxLength: 4 }), (files) => {
        const change = changeOf(files);
        const bytesPerToken = measureRate(change, template, counter);
        const { chunks } = planChunks(change, {
          template,
          budgetTokens: 4_000,
          maxChunks: 8,
          bytesPerToken,
          contextLevel: 'sections',
        });
        for (const chunk of chunks) {
          const tokens = countTokens(promptText(renderChangeForPrompt(change, chunk, template)), plain);
          expect(tokens).toBeLessThanOrEqual(chunk.estimatedTokens);
        }
      }),
      { numRuns: 40 },
    );
  });

  it('PR-3: is two bytes for no text, and no more than that for text that was not all counted', () => {
    expect(measureRate(changeOf([]), template, counter)).toBe(2);
    const long = changeOf([['ts', Array.from({ length: 5 }, () => 'x'.repeat(1 << 20))]]);
    const cheap = { name: 'cheap', count: (text: string) => text.length / 8 };
    expect(measureRate(long, template, cheap)).toBe(2);
    expect(measureRate(changeOf([['ts', ['const a = 1;']]]), template, cheap)).toBe(4);
  });
});

describe('createRateCalibration', () => {
  const model = { id: 'house', model: 'm-1' };
  const sample = (bytesPerToken: number) => ({
    fixedBytes: 10_000,
    userBytes: 40_000,
    inputTokens: 10_000 / 5 + 40_000 / bytesPerToken,
  });

  it('PR-3: plans with fewer bytes a token at once, with more only after 8 samples and 20 % below the lowest', () => {
    const rates = createRateCalibration();
    expect(rates.read(model)).toBe(2);
    for (let n = 0; n < 7; n += 1) rates.learn(model, sample(4));
    expect(rates.read(model)).toBe(2);
    rates.learn(model, sample(3.5));
    expect(rates.read(model)).toBeCloseTo(2.8, 5);
    expect(rates.read({ ...model, model: 'm-2' })).toBe(2);
    rates.learn(model, sample(1.5));
    expect(rates.read(model)).toBeCloseTo(1.5, 5);
    for (let n = 0; n < 16; n += 1) rates.learn(model, sample(9));
    expect(rates.read(model)).toBe(4);
  });

  it('PR-3: learns nothing of short texts and of counts that cannot be', () => {
    const rates = createRateCalibration();
    rates.learn(model, { fixedBytes: 9_000, userBytes: 8_000, inputTokens: 8_000 });
    for (const inputTokens of [0, -5, 2_000, Number.NaN]) rates.learn(model, { ...sample(3), inputTokens });
    expect(rates.read(model)).toBe(2);
  });
});

function scriptedModel(): LlmProvider {
  const unused = (): never => {
    throw new Error('not used here');
  };
  const limits = { contextTokens: 9_000, maxOutputTokens: 900 };
  return { contract: 1, id: 'house', model: 'm-1', modes: ['prompt'], limits, prepare: unused, send: unused };
}

describe('chooseRates', () => {
  const provider = scriptedModel();
  const change = changeOf([['ts', lines['ts'] ?? []]]);
  const choose = (one: LlmProvider) =>
    readRates(chooseRates({ providers: [one], change, template, calibration: createRateCalibration() }))(one);

  it('PR-3: takes the counter of the provider, else the calibration, and two bytes where a counter fails', () => {
    expect(choose(withTokenCounter(provider, counter))).toBeCloseTo(measureRate(change, template, counter), 1);
    expect(choose(provider)).toBe(2);
    const broken = { name: 'x', count: () => Number(undefined) };
    expect(choose({ ...provider, tokens: broken })).toBe(2);
    const throwing = (): number => {
      throw new Error('x');
    };
    expect(choose({ ...provider, tokens: { name: 'x', count: throwing } })).toBe(2);
  });

  it('PR-3: what is frozen stands, and what cannot be read is two bytes', () => {
    expect(readRates(JSON.stringify({ '["house","m-1"]': 2.5 }))(provider)).toBe(2.5);
    for (const text of [undefined, '', '[', '{"a":-1}', 'null']) expect(readRates(text)(provider)).toBe(2);
  });
});
