import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countTextWork } from '../../../../../tools/testing/count-text-work.js';
import { extractJson } from './extract-json.js';
import { repairJsonObject } from './repair-json.js';

interface SampleFinding {
  id: string;
  severity: string;
  category: string;
  title: string;
  file: string;
  line: number;
  message: string;
  suggestion?: string;
}

const PHRASES = [
  'The loop reads one element past the end, so the last call returns garbage.',
  "The handle isn't closed when open() fails; use a guard.",
  'Two threads may enter here at once: the flag is read, then set.',
  'if (a[i] == 0) { return; } never runs, because i starts at 1.',
  'Sum of 3, 4 and 5 overflows [see line 12], then wraps.',
  'Use // comment style; see https://example.test/a?b=c#d for why.',
  'Naming: prefer camelCase. “Quoted” words and emoji 🚀 stay.',
  'Path ./src/net/socket.ts imports itself.',
];
const MAX_BYTES = 1_048_576;

function sample(
  count: number,
  seed = 0,
): { schema_version: string; prompt_version: string; summary: string; findings: SampleFinding[] } {
  const at = (index: number): string => PHRASES[index % PHRASES.length] as string;
  return {
    schema_version: '1.0',
    prompt_version: '1.0',
    summary: at(seed),
    findings: Array.from({ length: count }, (_, index) => ({
      id: `f${index + 1}`,
      severity: 'high',
      category: 'correctness',
      title: `Check ${index}: ${at(index + seed + 3).slice(0, 30)}`,
      file: `//depot/main/src/file${index}.c`,
      line: 10 + index,
      message: at(index + seed),
      ...(index % 2 === 0 ? { suggestion: at(index + seed + 1) } : {}),
    })),
  };
}

const DRAFT = JSON.stringify({ schema_version: '1.0', prompt_version: '1.0', findings: [] });
const pretty = (value: unknown): string => JSON.stringify(value, null, 2);

/** Each damages the text of a review so that every finding is still there to be read. */
const DAMAGES: Record<string, (review: ReturnType<typeof sample>) => string> = {
  fence: (review) => `\`\`\`json\n${pretty(review)}\n\`\`\``,
  'fence not closed': (review) => `\`\`\`json\n${pretty(review)}`,
  'byte order mark': (review) => `\uFEFF${pretty(review)}`,
  'prose before': (review) => `Here is the review you asked for:\n\n${pretty(review)}`,
  'prose around': (review) => `Sure! I looked at it.\n${pretty(review)}\nLet me know if {anything} is unclear, "ok"?`,
  'prose with a lone quote': (review) => `It's "done:\n${pretty(review)}`,
  'brace decoy': (review) => `I checked \${{ github.token }} and {x} and { "a" }.\n${pretty(review)}`,
  'object decoy': (review) => `With {"retries": 3} set:\n${pretty(review)}`,
  'open decoy': (review) => `The literal {"retries": is cut.\n${pretty(review)}`,
  'other fence first': (review) => `\`\`\`ts\nconst a = { b: 1 };\n\`\`\`\n\`\`\`json\n${pretty(review)}\n\`\`\``,
  reasoning: (review) => `<think>Maybe {"findings": []}? No { wait.</think>\n${pretty(review)}`,
  'reasoning without its opening': (review) => `So ${DRAFT} would do. No.</think>${pretty(review)}`,
  'draft, then final': (review) => `${DRAFT}\n\nOn reflection:\n${pretty(review)}`,
  'final, then an empty echo': (review) => `${pretty(review)}\n${DRAFT}`,
  'two objects': (review) => pretty({ ...review, findings: [] }) + pretty(review),
  'string layer': (review) => JSON.stringify(JSON.stringify(review)),
  'string layer without quotes': (review) => JSON.stringify(JSON.stringify(review)).slice(1, -1),
  'array of one': (review) => `[${pretty(review)}]`,
  'raw line feeds': (review) =>
    pretty({ ...review, findings: review.findings.map(withTail('~')) }).replaceAll('~', '\n'),
  'raw control characters': (review) =>
    pretty({ ...review, findings: review.findings.map(withTail('~')) }).replaceAll('~', '\t\u0001'),
  'trailing commas': (review) => pretty(review).replace(/([}\]"\d])\n(\s*[}\]])/g, '$1,\n$2'),
  'missing commas between findings': (review) => pretty(review).replaceAll('    },\n    {', '    }\n    {'),
  'missing commas between members': (review) => pretty(review).replace(/,\n(\s+"(?:line|message|file)")/g, '\n$1'),
  comments: (review) =>
    pretty(review)
      .replace('"findings": [', '// all of them\n  "findings": [ /* here */')
      .replace(/,\n/g, ', // next\n'),
  'hash comments': (review) => pretty(review).replace('"findings": [', '# all\n  "findings": ['),
  ellipsis: (review) => pretty(review).replace(/\n {2}\]/, ',\n    ...\n  ]'),
  'single quotes': (review) =>
    pretty(review).replace(/"((?:[^"\\]|\\.)*)"/g, (_, inner) => `'${inner.replaceAll("'", "\\'")}'`),
  'smart quotes': (review) =>
    pretty(review).replace(/"((?:[^"\\]|\\.)*)"/g, (_, inner) => `“${inner.replace(/[“”]/g, "'")}”`),
  backticks: (review) => pretty(review).replace(/: "((?:[^"\\]|\\.)*)"/g, ': `$1`'),
  'unquoted keys': (review) => pretty(review).replace(/"(\w+)":/g, '$1:'),
  'Python literals': (review) =>
    pretty({ ...review, meta: { a: true, b: false, c: null } })
      .replace('true', 'True')
      .replace('false', 'False')
      .replace('null', 'None'),
  'not a number': (review) => pretty({ ...review, meta: { score: 1 } }).replace('"score": 1', '"score": NaN'),
  'unescaped quotes': (review) =>
    pretty({ ...review, findings: review.findings.map(withTail(' call ~open~ first, then ~close~.')) }).replaceAll(
      '~',
      '"',
    ),
  'unescaped quotes at an end': (review) =>
    pretty({ ...review, findings: review.findings.map(withTail(' say ~hello~')) }).replaceAll('~', '"'),
  'invalid escapes: path': (review) =>
    pretty({ ...review, findings: review.findings.map(withTail(' in C:~Users~dev~new~table.txt')) }).replaceAll(
      '~',
      '\\',
    ),
  'invalid escapes: pattern': (review) =>
    pretty({ ...review, findings: review.findings.map(withTail(' use ~b~d+~.~w*~s here')) }).replaceAll('~', '\\'),
  'invalid escapes: share': (review) =>
    pretty({ ...review, findings: review.findings.map(withTail(' on ~~server~share~x')) }).replaceAll('~', '\\'),
  'full-width punctuation': (review) => pretty(review).replace(/": /g, '"： ').replace(/",\n/g, '"，\n'),
  'no-break spaces': (review) => pretty(review).replaceAll('\n  ', '\n\u00a0 '),
  'missing last brackets': (review) => pretty(review).replace(/\s*\]\s*\}$/, ''),
  'missing closing quote': (review) => pretty({ ...review, summary: 'Short~~' }).replace('~~"', ''),
};

function withTail(tail: string): (finding: SampleFinding) => SampleFinding {
  return (finding) => ({ ...finding, message: `${finding.message}${tail}` });
}

/** What the damaged findings must read as: the tails with their marks undone. */
const TAILS: Record<string, string> = {
  'raw line feeds': '\n',
  'raw control characters': '\t\u0001',
  'unescaped quotes': ' call "open" first, then "close".',
  'unescaped quotes at an end': ' say "hello"',
  'invalid escapes: path': ' in C:\\Users\\dev\\new\\table.txt',
  'invalid escapes: pattern': ' use \\b\\d+\\.\\w*\\s here',
  'invalid escapes: share': ' on \\\\server\\share\\x',
};

describe('extractJson: damage', () => {
  for (const [name, damage] of Object.entries(DAMAGES)) {
    it(`R7: every finding survives: ${name}`, () => {
      for (let seed = 0; seed < 41; seed += 1) {
        const review = sample((seed % 5) + 2, seed);
        const outcome = extractJson(damage(review), 'complete', MAX_BYTES);
        const tail = TAILS[name];
        const plain =
          name === 'smart quotes'
            ? (text: string): string => text.replace(/[“”]/g, "'")
            : (text: string): string => text;
        const expected = JSON.parse(
          plain(JSON.stringify(tail === undefined ? review.findings : review.findings.map(withTail(tail)))),
        );
        expect(outcome.kind).toBe('extracted');
        if (outcome.kind !== 'extracted') return;
        expect((outcome.extracted.value as { findings: unknown }).findings).toEqual(expected);
        if (name !== 'byte order mark' && name !== 'string layer')
          expect(outcome.extracted.repairs.length).toBeGreaterThan(0);
      }
    });
  }

  it('R7: a text that holds no review is no review', () => {
    for (const text of [
      '',
      'No issues found.',
      'I cannot help with that.',
      '{',
      '[]]',
      'null true',
      '{"a" 1',
      '"just text"',
      '`{x}`',
      '{}{}',
    ]) {
      const outcome = extractJson(text, 'complete', MAX_BYTES);
      const value = outcome.kind === 'extracted' ? outcome.extracted.value : null;
      const findings = typeof value === 'object' && value !== null && 'findings' in value;
      expect(findings).toBe(false);
    }
  });

  it('OUT-9: equal candidates with different findings are told, and the empty one never wins', () => {
    const review = sample(2);
    for (const text of [`${DRAFT}\n${pretty(review)}`, `${pretty(review)}\n${DRAFT}`]) {
      const outcome = extractJson(text, 'complete', MAX_BYTES);
      if (outcome.kind !== 'extracted') throw new Error('expected a review');
      expect(outcome.extracted.ambiguous).not.toBeNull();
      expect((outcome.extracted.value as { findings: unknown[] }).findings).toHaveLength(2);
    }
    const twice = `{"schema_version":"1.0","prompt_version":"1.0","findings":[{"id":"a"}],"findings":[]}`;
    const repeated = extractJson(twice, 'complete', MAX_BYTES);
    expect(repeated.kind === 'extracted' && repeated.extracted.ambiguous !== null).toBe(true);
  });

  it('R7: refused and empty replies are never read, large ones never parsed', () => {
    const text = pretty(sample(1));
    expect(extractJson(text, 'refused', MAX_BYTES)).toEqual({ kind: 'nothing', cause: 'no_answer', state: 'refused' });
    expect(extractJson(text, 'empty', MAX_BYTES)).toEqual({ kind: 'nothing', cause: 'no_answer', state: 'empty' });
    expect(extractJson(text, 'complete', 20)).toEqual({ kind: 'nothing', cause: 'oversize', state: 'complete' });
  });
});

describe('extractJson: any content', () => {
  const content = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 30 }),
    fc
      .array(
        fc.constantFrom('"', '\\', '{', '}', '[', ']', ',', ':', ' ', '\n', "'", '“', '//', '#', '"a": 1', '...', 'x'),
        {
          maxLength: 20,
        },
      )
      .map((parts) => parts.join('')),
  );
  const findings = fc.array(fc.record({ id: content, line: fc.nat(), message: content, suggestion: content }), {
    minLength: 1,
    maxLength: 4,
  });
  const inserts: Record<string, (text: string) => string> = {
    'trailing commas in every object': (text) => text.replace(/"\n {4}\}/g, '",\n    }').replace(/\n {2}\]/, ',\n  ]'),
    'unquoted keys': (text) => text.replace(/^( +)"(id|line|message|suggestion|findings)":/gm, '$1$2:'),
    'comments between members': (text) => text.replace(/,\n/g, ', // "note": {\n'),
    'missing commas': (text) => text.replace(/,\n/g, '\n'),
  };
  for (const [name, insert] of Object.entries(inserts)) {
    it(`R7: well-escaped strings of any content survive ${name}`, () => {
      fc.assert(
        fc.property(findings, (sent) => {
          const text = insert(pretty({ schema_version: '1.0', prompt_version: '1.0', findings: sent }));
          expect(() => JSON.parse(text)).toThrow(SyntaxError);
          const outcome = extractJson(text, 'complete', MAX_BYTES);
          if (outcome.kind !== 'extracted') throw new Error('expected a review');
          expect((outcome.extracted.value as { findings: unknown }).findings).toEqual(sent);
          expect(outcome.extracted.state).toBe('complete');
        }),
        { numRuns: 200 },
      );
    });
  }
});

describe('extractJson: truncation', () => {
  it('OUT-9: cut at every character, a review keeps its complete findings and no half one', () => {
    for (const format of [JSON.stringify, pretty]) {
      const review = sample(3);
      const text = format(review);
      const ends = review.findings.map((finding) => {
        const own = JSON.stringify(finding);
        for (let cut = 1; cut <= text.length; cut += 1)
          if (
            text
              .slice(0, cut)
              .replace(/\n\s*|(?<=":) /g, '')
              .endsWith(own)
          )
            return cut;
        throw new Error('finding not in its own text');
      });
      for (let cut = 0; cut < text.length; cut += 1) {
        const whole = ends.filter((end) => end <= cut).length;
        for (const stop of ['truncated_output', 'complete'] as const) {
          const outcome = extractJson(text.slice(0, cut), stop, MAX_BYTES);
          if (outcome.kind === 'nothing') {
            expect(whole).toBe(0);
            continue;
          }
          const { value, state } = outcome.extracted;
          const findings = (value as { findings?: unknown[] }).findings;
          expect(findings ?? []).toEqual(review.findings.slice(0, whole));
          if (Array.isArray(findings)) expect(state).toBe('truncated_output');
        }
      }
    }
  });

  it('OUT-9: a damaged and cut reply shows no half finding either', () => {
    const review = sample(3);
    const messages = new Set(review.findings.map((finding) => `${finding.message} return {"a":"b"} and more`));
    const damaged = pretty({
      ...review,
      findings: review.findings.map(withTail(' return {~a~:~b~} and more')),
    }).replaceAll('~', '"');
    for (let cut = 0; cut < damaged.length; cut += 1) {
      const outcome = extractJson(damaged.slice(0, cut), 'truncated_output', MAX_BYTES);
      if (outcome.kind === 'nothing') continue;
      const findings = (outcome.extracted.value as { findings?: SampleFinding[] }).findings ?? [];
      for (const finding of findings) expect(messages.has(finding.message)).toBe(true);
    }
  });

  it('OUT-9: a value that ran into the end is not kept', () => {
    const outcome = extractJson('{"schema_version":"1.0","findings":[],"prompt_version":"1.0', 'complete', MAX_BYTES);
    if (outcome.kind !== 'extracted') throw new Error('expected a review');
    expect(outcome.extracted.value).toEqual({ schema_version: '1.0', findings: [] });
    expect(outcome.extracted.state).toBe('truncated_output');
  });
});

describe('extractJson: strict JSON', () => {
  it('R7: a strictly valid reply is exactly what JSON.parse gives', () => {
    fc.assert(
      fc.property(
        fc.array(fc.jsonValue(), { maxLength: 4 }),
        fc.jsonValue(),
        fc.boolean(),
        (findings, meta, spaced) => {
          const text = JSON.stringify(
            { schema_version: '1.0', prompt_version: '1.0', findings, meta },
            null,
            spaced ? 2 : undefined,
          );
          const outcome = extractJson(text, 'complete', MAX_BYTES);
          if (outcome.kind !== 'extracted') throw new Error('expected a review');
          expect(JSON.stringify(outcome.extracted.value)).toBe(JSON.stringify(JSON.parse(text)));
          expect(outcome.extracted.repairs).toEqual([]);
        },
      ),
      { numRuns: 300 },
    );
  });

  it('R7: the tolerant reader agrees with JSON.parse on every strictly valid object', () => {
    const options = { watchKey: 'findings', knownKeys: new Set<string>() };
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.string(), (object, tail) => {
        const text = JSON.stringify(object);
        const read = repairJsonObject(`${text}${tail}`, 0, options);
        expect(JSON.stringify(read?.value)).toBe(JSON.stringify(JSON.parse(text)));
        expect(read?.repairs).toEqual([]);
        expect(read?.end).toBe(text.length);
      }),
      { numRuns: 500 },
    );
  });

  it('R7: `__proto__` stays data, strict or mended', () => {
    for (const text of [
      '{"findings":[],"__proto__":{"polluted":1}}',
      '{"findings":[],"__proto__":{"polluted":1},}',
      "{findings:[],'__proto__':{polluted:1}",
    ]) {
      const outcome = extractJson(text, 'complete', MAX_BYTES);
      if (outcome.kind !== 'extracted') throw new Error('expected a review');
      const value = outcome.extracted.value as Record<string, unknown>;
      expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
      expect('polluted' in value).toBe(false);
    }
    expect('polluted' in {}).toBe(false);
  });
});

describe('extractJson: hostile text', () => {
  const head = '{"schema_version":"1.0","prompt_version":"1.0","findings":[';
  const units = [
    '"',
    '{',
    '[',
    '\\',
    ',',
    '1',
    '{"a"',
    '{"findings":[',
    '"b" ',
    '\\"',
    '{"id":"',
    '}',
    ']',
    '[[',
    '/*',
    '//',
    '#\n',
    '...',
    ' ',
    '\n',
    '“',
    "'",
    '","',
    '"}',
    '{"id":"a","line":1},',
    '{"id":"x"y"},',
    '<think>',
    '{findings:',
    ':',
    '""',
    '\\u',
    '`',
    '```',
    'a"\n"id":',
    '{{"',
    'C:\\d ',
    '\\d',
    '{"summary":"x" ',
  ];

  it('R7: the work on a hostile run grows as its length, and 200,000 characters of it throw no RangeError', () => {
    const size = 8_000;
    for (const unit of units) {
      for (const prefix of ['', `${head}{"message":"`]) {
        const read = (length: number) => {
          const text = (prefix + unit.repeat(Math.ceil(length / unit.length))).slice(0, length);
          return extractJson(text, 'complete', MAX_BYTES);
        };
        const [small, large] = [size, 4 * size].map((length) => countTextWork(() => read(length))) as [number, number];
        // Four times the text costs four times the work, and a little for where it is cut; a
        // quadratic reading costs sixteen times.
        expect({ unit, growth: large / small < 4.3, perCharacter: large / (4 * size) < 200 }).toEqual({
          unit,
          growth: true,
          perCharacter: true,
        });
        expect(['extracted', 'nothing']).toContain(read(200_000).kind);
      }
    }
  });

  it('R7: any text at all is answered, never thrown at', () => {
    const unit = fc.constantFrom(...units, ...PHRASES, DRAFT, head);
    fc.assert(
      fc.property(
        fc.array(fc.oneof(unit, fc.string()), { maxLength: 30 }),
        fc.constantFrom('complete', 'truncated_output'),
        (parts, stop) => {
          const outcome = extractJson(parts.join(''), stop as 'complete', MAX_BYTES);
          expect(['extracted', 'nothing']).toContain(outcome.kind);
        },
      ),
      { numRuns: 500 },
    );
  });

  it('R7: depth is no danger', () => {
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    for (const text of [
      deep,
      `{"findings":${deep}}`,
      `{"findings":${deep},}`,
      `{"findings":[],"meta":{"a":${deep}}} and`,
    ]) {
      expect(['extracted', 'nothing']).toContain(extractJson(text, 'complete', MAX_BYTES).kind);
    }
  });
});
