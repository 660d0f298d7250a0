import { describe, expect, it } from 'vitest';
import { countTextWork } from './count-text-work.js';

const growth = (read: (text: string) => unknown): number => {
  const [small, large] = [1_000, 4_000].map((length) => countTextWork(() => read('a'.repeat(length)))) as [
    number,
    number,
  ];
  return large / small;
};

describe('countTextWork', () => {
  it.each<[string, (text: string) => unknown]>([
    ['charCodeAt', (text) => [...text].map((_, at) => text.charCodeAt(at))],
    ['one search', (text) => [text.indexOf('b'), text.includes('b'), text.lastIndexOf('b')]],
    ['one expression', (text) => /b/.test(text)],
    [
      'sticky expressions',
      (text) => {
        const sticky = /b/y;
        for (let at = 0; at < text.length; at += 1) {
          sticky.lastIndex = at;
          sticky.test(text);
        }
      },
    ],
  ])('grows as the length for %s', (_name, read) => {
    expect(growth(read)).toBeCloseTo(4, 1);
  });

  it.each<[string, (text: string) => unknown]>([
    ['a search from every place', (text) => [...text].map((_, at) => text.indexOf('b', at))],
    [
      'an expression from every place',
      (text) => [...text].map((_, at) => Object.assign(/b/g, { lastIndex: at }).test(text)),
    ],
    ['the rest copied at every place', (text) => [...text].map((_, at) => text.slice(at))],
    ['a search backwards from every place', (text) => [...text].map((_, at) => text.lastIndexOf('b', at))],
  ])('grows as its square for %s', (_name, read) => {
    expect(growth(read)).toBeGreaterThan(12);
  });

  it('changes no result, and leaves the methods as they were, after an error too', () => {
    const { slice } = String.prototype;
    const { exec } = RegExp.prototype;
    countTextWork(() => {
      expect([
        'abc'.slice(1, 2),
        'abc'.indexOf('c'),
        'abc'.includes('d'),
        'aba'.lastIndexOf('a'),
        'abc'.endsWith('c'),
      ]).toEqual(['b', 2, false, 2, true]);
      expect([...'a1b22'.matchAll(/\d+/g)].map(([digits]) => digits)).toEqual(['1', '22']);
    });
    expect(() =>
      countTextWork(() => {
        throw new RangeError('x');
      }),
    ).toThrow(RangeError);
    expect([String.prototype.slice, RegExp.prototype.exec]).toEqual([slice, exec]);
  });
});
