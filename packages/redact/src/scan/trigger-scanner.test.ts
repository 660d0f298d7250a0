import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { resolvePolicy } from '../policy/resolve-policy.js';
import { rulesFor } from '../rules/rule-set.js';
import { createIsQuiet } from './quiet-text.js';
import { BLOCK } from './scan-program.js';
import { buildTriggerAutomaton, LONGEST_TAIL } from './trigger-automaton.js';
import { createTriggerScanner } from './trigger-scanner.js';

/** The types of Node name none of its values. */
declare const WebAssembly: {
  Memory: new (size: { initial: number; maximum: number }) => { buffer: ArrayBuffer };
  Module: unknown;
};

function found(literals: readonly string[], text: string): string[] {
  const hits: string[] = [];
  createTriggerScanner(literals).scan(text, (trigger, start, end) => hits.push(`${literals[trigger]}@${start}-${end}`));
  return hits.sort();
}

function expected(literals: readonly string[], text: string): string[] {
  const folded = text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
  const hits: string[] = [];
  for (const literal of literals) {
    for (let at = 0; at + literal.length <= text.length; at += 1) {
      if (folded.startsWith(literal.toLowerCase(), at)) hits.push(`${literal}@${at}-${at + literal.length}`);
    }
  }
  return hits.sort();
}

describe('trigger scanner', () => {
  it('RED-1: reports what a naive search reports, overlapping triggers and any case included', () => {
    const letter = fc.constantFrom('a', 'b', 'A', 'B', '_', 'é', '\u0161');
    const literal = fc.string({ unit: fc.constantFrom('a', 'b', '_'), minLength: 1, maxLength: 30 });
    fc.assert(
      fc.property(
        fc.uniqueArray(literal, { minLength: 1, maxLength: 6 }),
        fc.string({ unit: letter, maxLength: 160 }),
        (literals, text) => {
          expect(found(literals, text)).toEqual(expected(literals, text));
        },
      ),
    );
  });

  it('RED-1: tells what ends first before the rest, and of two with one end the longer, wherever a block or a lane of it ends', () => {
    const literals = ['key', 'apikey', 'k', '_token_'];
    const piece = fc.constantFrom(
      'apikey',
      'key',
      'k',
      '_token_',
      '_token',
      'xyz',
      '\u016b',
      ' '.repeat(97),
      '-'.repeat(1021),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
        const text = pieces.join('');
        for (const inBlocks of [true, false]) {
          const told: [end: number, length: number][] = [];
          createTriggerScanner(literals, inBlocks).scan(text, (trigger, start, end) => {
            expect(text.slice(start, end)).toBe(literals[trigger]);
            told.push([end, end - start]);
          });
          expect(told).toEqual([...told].sort((a, b) => a[0] - b[0] || b[1] - a[1]));
          expect(told).toHaveLength(expected(literals, text).length);
        }
      }),
    );
  });

  it.each([128, BLOCK, BLOCK + 1, 2 * BLOCK + 1])(
    'RED-1: finds a literal at each place of a text of %d characters',
    (length) => {
      const literals = ['key', 'a_longer_literal'];
      const scanner = createTriggerScanner(literals);
      const isNear = (at: number): boolean =>
        length === 128 || [...Array(9).keys()].some((n) => Math.abs(at - (length * n) / 16) < 40);
      for (const literal of literals) {
        for (let at = 0; at + literal.length <= length; at += isNear(at) ? 1 : 13) {
          const told: number[] = [];
          scanner.scan(`${'-'.repeat(at)}${literal}`.padEnd(length, '-'), (_, start) => told.push(start));
          expect(told).toEqual([at]);
        }
      }
    },
  );

  it('RED-1: finds every run of twenty letters and digits, and no character that only ends in the same bits as one', () => {
    const scanner = createTriggerScanner(['not in the text']);
    const withoutBlocks = createTriggerScanner(['not in the text'], false);
    const isQuiet = createIsQuiet(buildTriggerAutomaton(['not in the text']), Number.POSITIVE_INFINITY, () => true);
    const piece = fc.constantFrom(
      'a',
      'Z9',
      'x'.repeat(13),
      'y'.repeat(20),
      'q'.repeat(21),
      '_',
      '\u0141',
      ' '.repeat(1019),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
        const text = pieces.join('');
        const expectedRuns = [...text.matchAll(/[A-Za-z0-9]{20,}/g)].flatMap(({ 0: run, index }) => [
          index,
          index + run.length,
        ]);
        expect(scanner.scan(text, () => undefined)).toEqual(expectedRuns);
        expect(withoutBlocks.scan(text, () => undefined)).toEqual(expectedRuns);
        expect(isQuiet(text)).toBe(expectedRuns.length === 0);
      }),
    );
  });

  it.each([
    ['key ', 'key é \u00e9', true],
    ['key ', 'key \u2014 \ud83d', true],
    ['key '.padEnd(120, '-'), '', false],
  ])(
    'RED-1: of a text dense with literals a copy is told before they are, and it is the same text: %j',
    (unit, last, isDense) => {
      const scanner = createTriggerScanner(['key']);
      const text = unit.repeat(Math.ceil((2 * BLOCK) / unit.length)) + last;
      const copies: string[] = [];
      let told = 0;
      const onTrigger = (): void => {
        told += 1;
        expect(copies).toHaveLength(isDense ? 1 : 0);
      };
      scanner.scan(text, onTrigger, (copy) => copies.push(copy));
      expect(told).toBe(text.split('key').length - 1);
      expect(copies).toEqual(isDense ? [text] : []);
    },
  );

  it('RED-1: a text that a confirmer scans meanwhile is found in as if it were the only one', () => {
    const scanner = createTriggerScanner(['key']);
    const inner = `${'y'.repeat(25)} key ${'z'.repeat(190)}`;
    // Letters whose classes, read once more, are letters too.
    const half = BLOCK / 2 + 8;
    const before = 'a'.repeat(half);
    const runsOfInner: (readonly number[])[] = [];
    const runs = scanner.scan(`${'-'.repeat(half)}${before}key ${'-'.repeat(3000)}`, () => {
      runsOfInner.push(scanner.scan(inner, () => undefined));
    });
    expect(runsOfInner).toEqual([[0, 25, 30, 220]]);
    expect(runs).toEqual([half, 2 * half + 3]);
  });

  it('RED-1: a text that a confirmer scans meanwhile changes nothing, and none stays in memory', () => {
    const { Memory } = WebAssembly;
    const memories: { buffer: ArrayBuffer }[] = [];
    class Noted extends Memory {
      constructor(size: { initial: number; maximum: number }) {
        super(size);
        memories.push(this);
      }
    }
    WebAssembly.Memory = Noted;
    const scanner = createTriggerScanner(['key', 'a longer literal']);
    WebAssembly.Memory = Memory;
    const text = `key ${'x'.repeat(BLOCK)} A longer literal ${'y'.repeat(9000)} key`;
    const told: number[] = [];
    const runs = scanner.scan(text, (_trigger, start) => {
      told.push(start);
      scanner.scan(`${'z'.repeat(300)} key`, () => undefined);
    });
    expect(told).toEqual([0, BLOCK + 5, text.length - 3]);
    expect(runs).toEqual([4, BLOCK + 4, BLOCK + 22, BLOCK + 9022]);
    expect(memories).toHaveLength(1);
    expect(Buffer.from(memories[0]?.buffer as ArrayBuffer).includes('xxxx')).toBe(false);
    expect(Buffer.from(memories[0]?.buffer as ArrayBuffer, 0, BLOCK).every((byte) => byte === 0)).toBe(true);
  });

  it('RED-1: each character is of the class that the program finds for it', () => {
    const plain = Array.from({ length: 128 }, (_, code) => String.fromCharCode(code));
    const text = Array.from({ length: 512 }, (_, code) => String.fromCharCode(code)).join('');
    for (const inBlocks of [true, false]) {
      const scanner = createTriggerScanner([...new Set(plain.map((one) => one.toLowerCase()))], inBlocks);
      const told: number[] = [];
      scanner.scan(text, (_, start) => told.push(start));
      expect(told).toEqual([...plain.keys()]);
    }
  });

  it('RED-1: what a block is filled up with is no part of the text', () => {
    const scanner = createTriggerScanner(['\u007f']);
    for (const length of [200, BLOCK, BLOCK + 1, 3 * BLOCK - 100]) {
      const told: number[] = [];
      scanner.scan('\u007f'.repeat(length), (_, start) => told.push(start));
      expect(told).toEqual([...Array(length).keys()]);
    }
  });

  it('RED-1: a run that lies across the border of two blocks or lanes is one', () => {
    const scanner = createTriggerScanner(['not in the text']);
    for (const border of [BLOCK / 4, BLOCK / 2, BLOCK]) {
      for (let before = 0; before <= 26; before += 1) {
        const start = border - before;
        const text = `${' '.repeat(start)}${'r'.repeat(26)} `.padEnd(2 * BLOCK);
        expect(scanner.scan(text, () => undefined)).toEqual([start, start + 26]);
      }
    }
  });

  it('RED-1: a literal longer than what the automaton reads of it is found where all of it stands', () => {
    const [long, other] = [`${'ab'.repeat(20)}_tail_of_both`, `${'cd'.repeat(20)}_tail_of_both`];
    const text = `${'x'.repeat(200)}${long}  ${'cd'.repeat(19)}_tail_of_both ${other.toUpperCase()}`;
    for (const inBlocks of [true, false]) {
      const told: string[] = [];
      createTriggerScanner([long, other], inBlocks).scan(text, (trigger, start) => told.push(`${trigger} at ${start}`));
      expect(told).toEqual(['0 at 200', `1 at ${text.length - other.length}`]);
    }
  });

  it('RED-1: control characters of literals are told apart, and capitals from what differs from them in the same bit', () => {
    const literals = ['a\n', 'b\t', '\u007f', '@x', '[y', '\0'];
    const unit = fc.constantFrom(
      'a',
      'b',
      '\n',
      '\r',
      '\t',
      '\u007f',
      '\u0080',
      '\u00ff',
      '@',
      '`',
      '[',
      '{',
      'x',
      'Y',
      '\0',
      ' ',
      '\u0100',
    );
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 300 }), (text) => {
        expect(found(literals, text)).toEqual(expected(literals, text));
      }),
    );
  });

  it('RED-1: of more literals than the automaton has states for less is read, and each is found', () => {
    const digits = (n: number): string =>
      [...n.toString(7).padStart(5, '0')].map((digit) => 'tuvwxyz'.charAt(Number(digit))).join('');
    const literals = Array.from({ length: 7 ** 5 }, (_, n) => `${digits(n)}ab`);
    expect(buildTriggerAutomaton(literals).tail).toBeLessThan(LONGEST_TAIL);
    const scanner = createTriggerScanner(literals);
    for (const wanted of [0, 1, 7812, 16_806]) {
      const told: number[] = [];
      scanner.scan(`${'-'.repeat(200)}${literals[wanted]} `, (trigger) => told.push(trigger));
      expect(told).toEqual([wanted]);
    }
  });

  it.each([
    ['Memory', 'RangeError'],
    ['Module', 'CompileError'],
  ] as const)('RED-1: where no %s is to be had it reads by characters, and does not ask again', async (part, name) => {
    let asked = 0;
    class Refused {
      constructor() {
        asked += 1;
        throw Object.assign(new Error('not here'), { name });
      }
    }
    const given = WebAssembly[part];
    Object.assign(WebAssembly, { [part]: Refused });
    try {
      vi.resetModules();
      const { createTriggerScanner: create } = await import('./trigger-scanner.js');
      const told: number[] = [];
      for (let n = 0; n < 3; n += 1) create(['key']).scan(`${'-'.repeat(99)}key`, (_, start) => told.push(start));
      expect(told).toEqual([99, 99, 99]);
      expect(asked).toBe(1);
    } finally {
      Object.assign(WebAssembly, { [part]: given });
    }
  });

  it('RED-1: an empty or non-ASCII literal is refused', () => {
    expect(() => createTriggerScanner([''])).toThrow(TypeError);
    expect(() => createTriggerScanner(['é'])).toThrow(TypeError);
  });

  it('RED-1: the literals of all packs leave room for ends of the full length: shorter ones meet far more words', () => {
    const rules = rulesFor(resolvePolicy({ packs: ['strict', 'pii'] }));
    const literals = [...new Set(rules.flatMap(({ triggers }) => triggers).map((trigger) => trigger.toLowerCase()))];
    expect(buildTriggerAutomaton(literals).tail).toBe(LONGEST_TAIL);
  });
});
