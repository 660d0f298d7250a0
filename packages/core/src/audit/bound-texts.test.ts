import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isStorable } from '../foundation/storable-text.js';
import { boundTexts } from './bound-texts.js';
import { truncateText } from './truncate-text.js';

const KiB = 1024;
const MiB = 1024 * KiB;
/** UTF-16 units of all texts and names in a value: what a redactor has to read. */
function countCharacters(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 0;
  const names = Array.isArray(value) ? 0 : Object.keys(value).join('').length;
  return Object.values(value).reduce((sum: number, item) => sum + countCharacters(item), names);
}
const keyMarker = (verb: string): string => `-----${verb} RSA PRIVATE KEY-----`;

describe('texts of a payload before redaction', () => {
  it('AUD-3: a text of 10 MiB leaves 60 KiB to read, and says its raw size', () => {
    const { value, cuts, cutCount } = boundTexts({ deep: [{ text: 'x'.repeat(10 * MiB) }], short: 'y' });
    expect(value).toEqual({ deep: [{ text: `${'x'.repeat(60 * KiB)}[TRUNCATED]` }], short: 'y' });
    expect(cuts).toEqual([{ path: '$.deep[0].text', bytes_original: 10 * MiB, bytes_kept: 60 * KiB }]);
    expect(cutCount).toBe(1);
    expect(boundTexts('z'.repeat(64 * KiB)).value).toBe('z'.repeat(64 * KiB));
  });

  it('AUD-3: many texts, names, buried and hidden ones leave little more than 1 MiB in all', () => {
    const long = (): string => 'x'.repeat(50 * KiB);
    const values: unknown[] = [
      Array.from({ length: 500 }, long),
      Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`${at}${long()}`, at])),
      new Map(Array.from({ length: 500 }, (_, at) => [`${at}`, long()])),
      new Set(Array.from({ length: 500 }, (_, at) => `${at}${long()}`)),
      { ['n'.repeat(10 * MiB)]: 1 },
      new Error('m'.repeat(10 * MiB), { cause: Object(long().repeat(200)) }),
      { toJSON: () => ({ text: 'x'.repeat(10 * MiB) }) },
      {
        get text() {
          return 'x'.repeat(10 * MiB);
        },
      },
    ];
    for (const value of values) {
      const bound = boundTexts(value);
      expect(countCharacters(bound.value)).toBeLessThan(MiB + 128 * KiB);
      expect(bound.cutCount).toBeGreaterThan(0);
    }
  });

  it('AUD-3: a cut falls between characters, and a private key that it leaves open goes to its end', () => {
    for (const pad of ['', 'a', 'ab', 'abc']) {
      const { value } = boundTexts(`${pad}${'\u{1F600}'.repeat(40_000)}`);
      expect(isStorable(String(value))).toBe(true);
    }
    const body = 'k'.repeat(MiB);
    const open = `note ${keyMarker('BEGIN')}\n${body}`;
    expect(boundTexts(open).value).toBe('note [REDACTED][TRUNCATED]');
    const closed = `${keyMarker('BEGIN')}\nabc\n${keyMarker('END')} rest ${body}`;
    expect(
      String(boundTexts(closed).value).startsWith(`${keyMarker('BEGIN')}\nabc\n${keyMarker('END')} rest kkk`),
    ).toBe(true);
    expect(
      String(boundTexts(`${closed}`.replace('rest ', `rest ${keyMarker('BEGIN')}`)).value).endsWith(
        'rest [REDACTED][TRUNCATED]',
      ),
    ).toBe(true);
  });

  it('AUD-3: whatever is given, a copy comes back: getters that throw, cycles, depth, prototypes, bytes', () => {
    const cycle: Record<string, unknown> = { name: 'a' };
    cycle['self'] = cycle;
    let deep: unknown = 'end';
    for (let at = 0; at < 10_000; at += 1) deep = { deep };
    const hostile = {
      cycle,
      deep,
      get broken(): never {
        throw new Error('no');
      },
      proxy: new Proxy(
        {},
        {
          ownKeys: () => {
            throw new Error('no');
          },
        },
      ),
      bytes: Buffer.from('abc'),
      date: new Date(0),
      big: 1n,
      pairs: new Map([[{}, 'x']]),
    };
    const value = boundTexts(hostile).value as typeof hostile;
    expect(value).toMatchObject({
      broken: '[UNREADABLE]',
      proxy: '[UNREADABLE]',
      bytes: hostile.bytes,
      date: hostile.date,
      big: 1n,
    });
    expect(value.cycle['self']).toBe(value.cycle);
    expect(value.pairs).toEqual([[{}, 'x']]);
    expect(JSON.stringify(value.deep)).toContain('[TRUNCATED]');
    const { value: parsed } = boundTexts(JSON.parse('{"__proto__": {"polluted": 1}}'));
    expect([Object.getPrototypeOf(parsed), Object.keys(parsed as object)]).toEqual([Object.prototype, ['__proto__']]);
    const wide = boundTexts(Array.from({ length: 300_000 }, () => 0)).value as unknown[];
    expect([wide.length < 210_000, wide.at(-1)]).toEqual([true, '[TRUNCATED]']);
  });

  it('AUD-11: the raw size covers what the copy leaves out, and an object that stands twice counts once', () => {
    const items = Array.from({ length: 30_000 }, (_, at) => ({ text: 'é"'.repeat(20), at }));
    const given = {
      items,
      left: undefined,
      list: [undefined, () => 1, 1n],
      date: new Date(0),
      map: new Map([['a', 'b']]),
    };
    const asJson = { items, list: [null, null, '1'], date: given.date, map: { a: 'b' } };
    const bound = boundTexts(given);
    expect([bound.cutCount > 0, bound.isMinimum]).toEqual([true, false]);
    expect(bound.bytesOriginal).toBe(Buffer.byteLength(JSON.stringify(asJson)));
    const twice = { a: items, b: items };
    expect(boundTexts(twice).bytesOriginal).toBeLessThan(Buffer.byteLength(JSON.stringify(asJson)));
    let deep: unknown = 'end';
    for (let at = 0; at < 10_000; at += 1) deep = { deep };
    expect(boundTexts(deep).bytesOriginal).toBe(10_000 * '{"deep":}'.length + '"end"'.length);
    expect(boundTexts(new Array(4_294_967_295)).isMinimum).toBe(true);
    expect(boundTexts(Buffer.alloc(5_000)).bytesOriginal).toBe(5_000);
  });

  it('AUD-3: JSON that is short enough comes back as it is', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6, stringUnit: 'binary' }), (value) => {
        const bytesOriginal = Buffer.byteLength(JSON.stringify(value));
        expect(boundTexts(value)).toEqual({ value, cutCount: 0, cuts: [], bytesOriginal, isMinimum: false });
      }),
    );
  });
});

describe('truncateText', () => {
  it('AUD-9: cuts at a character, prefix and marker within the cap, and leaves what fits', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', minLength: 80, maxLength: 400, size: 'max' }),
        fc.integer({ min: 160, max: 600 }),
        (text, cap) => {
          const cut = truncateText(text, cap);
          expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(cap);
          if (Buffer.byteLength(text) <= cap) return void expect(cut).toBe(text);
          const [, kept = '', original, bytes] =
            /^(.*)<TRUNCATED bytes_original=(\d+) bytes_kept=(\d+) sha256=[0-9a-f]{64}>$/su.exec(cut) ?? [];
          expect([text.startsWith(kept), Number(original), Number(bytes)]).toEqual([
            true,
            Buffer.byteLength(text),
            Buffer.byteLength(kept),
          ]);
        },
      ),
      { numRuns: 100 },
    );
  });
});
