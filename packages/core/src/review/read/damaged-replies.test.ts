import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { coverChange } from '../merge/coverage.js';
import { decideReviewState } from '../merge/review-state.js';
import { parseReview } from './parse-review.js';

const FILES = ['//d/a.c', '//d/b.c'].map((path) => ({
  path,
  skipped: null,
  hunks: [
    {
      oldStart: 0,
      oldLines: 0,
      newStart: 1,
      newLines: 60,
      lines: Array.from({ length: 60 }, (_, at) => `+call_${at}();`),
    },
  ],
}));
const COVERAGE = coverChange({ files: FILES, visibility: 'complete', deniedFiles: 0 }, [
  { outcome: 'read', files: [0, 1].map((file) => ({ file, hunks: [0] })) },
]);
const EXPECTED = { promptVersion: '1.0', schemaVersion: '1.0' };
const EMPTY = '{"schema_version":"1.0","prompt_version":"1.0","findings":[]}';
const MARKS = [
  '{',
  '}',
  '[',
  ']',
  ',',
  ':',
  '"',
  '\\',
  '\n',
  '```',
  '//',
  '/*',
  '*/',
  '...',
  'null',
  '}}',
  '[}',
  '"}',
  "'",
  ';',
  '</think>',
];
const MESSAGES = [
  'The buffer is freed twice.',
  'if (a[i] == 0) { return; } never runs.',
  'Use "x", not {y}.',
  'In C:\\new\\table [1].',
  'One\ntwo',
];

/** Where in a text, 0 to 1, and which of several choices. */
interface Spot {
  at: number;
  choice: number;
}

function pick<T>(list: readonly T[], { choice }: Spot): T {
  return list[choice % list.length] as T;
}

function splice(text: string, { at }: Spot, remove: number, insert: string): string {
  const place = Math.floor(at * text.length);
  return text.slice(0, place) + insert + text.slice(place + remove);
}

function asLines(text: string, change: (lines: string[], at: number) => void, { at }: Spot): string {
  const lines = text.split('\n');
  change(lines, Math.floor(at * lines.length));
  return lines.join('\n');
}

/** Lose nothing: what they leave is the same review in another dress. */
const DRESSES: Record<string, (text: string, spot: Spot) => string> = {
  fence: (text) => `\`\`\`json\n${text}\n\`\`\``,
  'open fence': (text) => `\`\`\`json\n${text}`,
  prose: (text) => `Here is the review:\n${text}\nLet me know.`,
  reasoning: (text) => `<think>hm {"a":1}</think>${text}`,
  wrapper: (text) => `{"review":${text}}`,
  array: (text) => `[${text}]`,
  string: (text) => JSON.stringify(text),
  echo: (text) => `${text}\n${text}`,
};

const DAMAGES: Record<string, (text: string, spot: Spot) => string> = {
  ...DRESSES,
  cut: (text, { at }) => text.slice(0, Math.floor(at * text.length)),
  'lost head': (text, { at }) => text.slice(Math.floor(at * 40)),
  'said twice': (text, spot) =>
    splice(
      text,
      spot,
      0,
      text.slice(Math.floor(spot.at * text.length), Math.floor(spot.at * text.length) + spot.choice),
    ),
  'lost characters': (text, spot) => splice(text, spot, 1 + (spot.choice % 3), ''),
  'stray mark': (text, spot) => splice(text, spot, 0, pick(MARKS, spot)),
  'lost line': (text, spot) => asLines(text, (lines, at) => lines.splice(at, 1), spot),
  'line twice': (text, spot) => asLines(text, (lines, at) => lines.splice(at, 0, lines[at] ?? ''), spot),
  'single quotes': (text) => text.replaceAll('"', "'"),
  'closed early': (text, spot) => text.replace('[', pick(['[}', '[]', '[],', '[]}'], spot)),
  'closed within': (text, spot) => text.replace('},', `}${pick(['}', ']', '}]', ']}'], spot)}`),
  renamed: (text, spot) => text.replace('"findings"', pick(['"issues"', '"Findings"', '"results"', '"bugs"'], spot)),
  'second list': (text) => text.replace(/\}\s*$/, ',"findings":[]}'),
  'first list': (text) => text.replace('{', '{"findings":[],'),
  'empty echo': (text) => `${text}\n${EMPTY}`,
  'empty draft': (text) => `${EMPTY}\n${text}`,
  'trailing commas': (text) => text.replaceAll('}', ',}'),
  comments: (text) => text.replaceAll(',', ', // c\n'),
};

const review = fc
  .record({
    messages: fc.array(fc.constantFrom(...MESSAGES), { maxLength: 4 }),
    order: fc.nat(6),
    summary: fc.boolean(),
    spaced: fc.boolean(),
  })
  .map(({ messages, order, summary, spaced }) => {
    const findings = messages.map((message, at) => {
      const fields = Object.entries({
        id: `f${at}`,
        severity: 'high',
        category: 'style',
        title: `TAG${at}X`,
        file: '//d/a.c',
        line: at + 1,
        message,
      });
      return Object.fromEntries([...fields.slice(order), ...fields.slice(0, order)]);
    });
    const document = {
      schema_version: '1.0',
      prompt_version: '1.0',
      ...(summary ? { summary: 'Adds a cache.' } : {}),
      findings,
    };
    return { findings, text: spaced ? JSON.stringify(document, null, 2) : JSON.stringify(document) };
  });
const spot = fc.record({ at: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), choice: fc.nat(200) });

function damage(names: readonly string[]): fc.Arbitrary<readonly { name: string; spot: Spot }[]> {
  return fc.array(fc.record({ name: fc.constantFrom(...names), spot }), { maxLength: 3 });
}

function read(text: string): { titles: readonly string[]; doubts: readonly string[] } {
  const parsed = parseReview({ text, stop: 'complete', expected: EXPECTED, changedFiles: FILES });
  const titles = parsed.outcome === 'accepted' ? parsed.result.findings.map(({ title }) => title) : [];
  return { titles, doubts: decideReviewState([parsed], COVERAGE, titles.length).doubts };
}

const bare = (text: string): string => text.replace(/\s+/g, '');

describe('damaged replies', () => {
  it('OUT-9: a finding whose text is whole in a damaged reply is in the review, or the review has a doubt', () => {
    fc.assert(
      fc.property(review, damage(Object.keys(DAMAGES)), ({ findings, text }, damages) => {
        const damaged = damages.reduce((so, { name, spot: at }) => DAMAGES[name]?.(so, at) ?? so, text);
        const { titles, doubts } = read(damaged);
        const whole = findings.filter(
          (one) => damaged.includes(String(one['title'])) && bare(damaged).includes(bare(JSON.stringify(one))),
        );
        const lost = whole.filter((one) => !titles.includes(String(one['title'])));
        expect({ damaged, lost: doubts.length > 0 ? [] : lost }).toEqual({ damaged, lost: [] });
      }),
      { numRuns: 3_000 },
    );
  });

  it('OUT-9: a reply that lost nothing has no doubt, with findings or without', () => {
    fc.assert(
      fc.property(review, damage(Object.keys(DRESSES)), ({ findings, text }, dresses) => {
        const [dress] = dresses;
        const dressed = dress === undefined ? text : (DRESSES[dress.name]?.(text, dress.spot) ?? text);
        expect({ dressed, ...read(dressed) }).toEqual({
          dressed,
          titles: findings.map((one) => one['title']),
          doubts: [],
        });
      }),
      { numRuns: 500 },
    );
  });

  it('OUT-9: a finding that swallowed the next one through a lost quote is a doubt', () => {
    const found = (at: number) => ({
      severity: 'low',
      title: `TAG${at}X`,
      message: 'M',
      id: `f${at}`,
      file: '//d/b.c',
      line: 11,
    });
    const findings = [
      { category: 'style', ...found(0) },
      { ...found(1), category: 'style' },
    ];
    const text = JSON.stringify({ schema_version: '1.0', prompt_version: '1.0', findings }, null, 2).replace(
      '"category": "',
      '"categor: "',
    );
    expect(read(text).doubts).toEqual(['findings_unread']);
  });
});
