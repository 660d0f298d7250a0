import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  checkDate,
  checkHex,
  checkJson,
  checkJsonObject,
  checkMs,
  checkOneOf,
  checkText,
  checkWhole,
  longestMs,
  pageLimit,
  sweepLimit,
} from './store-input.js';

/** The name of the option that a check complains about. */
function blamed(check: () => unknown): string | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    expect(error).toBeInstanceOf(TypeError);
    return (error as TypeError).message.split(':')[0];
  }
}

describe('store input', () => {
  it('names the option at fault', () => {
    expect(blamed(() => checkText('a', ''))).toBe('a');
    expect(blamed(() => checkText('a', 'x'.repeat(513)))).toBe('a');
    expect(blamed(() => checkWhole('b', 2 ** 31))).toBe('b');
    expect(blamed(() => checkWhole('b', Number.NaN))).toBe('b');
    expect(blamed(() => checkMs('c', longestMs + 1))).toBe('c');
    expect(blamed(() => checkMs('c', Number.POSITIVE_INFINITY))).toBe('c');
    expect(blamed(() => checkDate('d', new Date(Number.NaN)))).toBe('d');
    expect(blamed(() => checkDate('d', '2026-01-01'))).toBe('d');
    expect(blamed(() => checkOneOf('e', 'x', ['y']))).toBe('e');
    expect(blamed(() => checkHex('f', 'AB', 2))).toBe('f');
    expect(blamed(() => checkJsonObject('g', []))).toBe('g');
    expect(blamed(() => pageLimit(1001))).toBe('filter.limit');
    expect(blamed(() => sweepLimit(0))).toBe('options.limit');
  });

  it('accepts the bounds themselves', () => {
    for (const check of [
      () => checkText('a', 'x'.repeat(512)),
      () => checkWhole('b', 2 ** 31 - 1),
      () => checkWhole('b', -(2 ** 31)),
      () => checkMs('c', longestMs),
      () => checkMs('c', 0.5),
      () => checkHex('f', '0af9', 4),
    ]) {
      expect(blamed(check)).toBeUndefined();
    }
    expect([pageLimit(undefined), pageLimit(1), pageLimit(1000)]).toEqual([100, 1, 1000]);
    expect(sweepLimit(undefined)).toBeGreaterThan(1e9);
  });

  it('takes all JSON and nothing that JSON would lose', () => {
    fc.assert(fc.property(fc.jsonValue(), (value) => blamed(() => checkJson('p', value)) === undefined));
    const cycle: Record<string, unknown> = {};
    cycle['self'] = cycle;
    const lossy = [
      undefined,
      Number.NaN,
      1n,
      Symbol('s'),
      () => 1,
      new Date(0),
      new Map(),
      { a: undefined },
      [undefined],
      cycle,
    ];
    for (const value of lossy) expect(blamed(() => checkJson('p', value))?.startsWith('p')).toBe(true);
    const shared = { n: 1 };
    expect(blamed(() => checkJson('p', [shared, shared]))).toBeUndefined();
  });
});
