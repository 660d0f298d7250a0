import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseHttpDate, parseRetryAfter } from './retry-after.js';

const nowMs = Date.UTC(2026, 5, 15, 12, 0, 0);
const pad = (value: number): string => String(value).padStart(2, '0');
const days = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

function forms(ms: number): { imf: string; rfc850: string; asctime: string } {
  const at = new Date(ms);
  const [day, month, year] = [at.getUTCDate(), months[at.getUTCMonth()] ?? '', at.getUTCFullYear()];
  const time = `${pad(at.getUTCHours())}:${pad(at.getUTCMinutes())}:${pad(at.getUTCSeconds())}`;
  const long = days[at.getUTCDay()] ?? '';
  return {
    imf: `${long.slice(0, 3)}, ${pad(day)} ${month} ${year} ${time} GMT`,
    rfc850: `${long}, ${pad(day)}-${month}-${pad(year % 100)} ${time} GMT`,
    asctime: `${long.slice(0, 3)} ${month} ${String(day).padStart(2, ' ')} ${time} ${year}`,
  };
}

const inOneMinute = forms(nowMs + 60_000);
const ago = forms(nowMs - 60_000);

describe('parseRetryAfter', () => {
  it.each([
    ['0', 0],
    ['1', 1_000],
    ['120', 120_000],
    ['3600', 3_600_000],
    ['007', 7_000],
    [' 5 ', 5_000],
    ['4294968', 4_294_968_000],
    ['99999999999999999999', Number.MAX_SAFE_INTEGER],
    [inOneMinute.imf, 60_000],
    [inOneMinute.rfc850, 60_000],
    [inOneMinute.asctime, 60_000],
    [ago.imf, 0],
    [ago.rfc850, 0],
    [ago.asctime, 0],
    ['-5', undefined],
    ['+5', undefined],
    ['Infinity', undefined],
    ['NaN', undefined],
    ['soon', undefined],
    ['', undefined],
    ['1e3', undefined],
    ['1.5', undefined],
    ['0x10', undefined],
    ['120, 120', undefined],
    ['2026-06-15T12:01:00Z', undefined],
    ['Mon, 15 Jun 2026 12:01:00 UTC', undefined],
    ['Mon, 15 Jun 2026 12:01:00', undefined],
    ['Tue, 31 Feb 2026 12:01:00 GMT', undefined],
    ['Mon, 15 Jun 2026 24:01:00 GMT', undefined],
    ['Mon, 15 jun 2026 12:01:00 GMT', undefined],
  ])('ERR-3: Retry-After %j is %s ms', (value, expected) => {
    expect(parseRetryAfter({ 'retry-after': value }, nowMs)).toBe(expected);
  });

  it('ERR-3: retry-after-ms counts, and the longer of two headers', () => {
    expect(parseRetryAfter({ 'retry-after-ms': '1500' }, nowMs)).toBe(1_500);
    expect(parseRetryAfter({ 'retry-after-ms': '1500.2' }, nowMs)).toBe(1_501);
    expect(parseRetryAfter({ 'retry-after-ms': '-1' }, nowMs)).toBeUndefined();
    expect(parseRetryAfter({ 'retry-after': '0', 'retry-after-ms': '900' }, nowMs)).toBe(900);
    expect(parseRetryAfter({ 'retry-after': '2', 'retry-after-ms': '900' }, nowMs)).toBe(2_000);
    expect(parseRetryAfter({}, nowMs)).toBeUndefined();
  });

  it('reads back any instant in each of the three forms', () => {
    const seconds = fc.integer({ min: Date.UTC(1980, 0, 1) / 1_000, max: Date.UTC(2075, 0, 1) / 1_000 });
    fc.assert(
      fc.property(seconds, (at) => {
        const { imf, rfc850, asctime } = forms(at * 1_000);
        expect([parseHttpDate(imf, nowMs), parseHttpDate(rfc850, nowMs), parseHttpDate(asctime, nowMs)]).toEqual(
          Array(3).fill(at * 1_000),
        );
      }),
    );
  });

  it('puts a two-digit year at most 50 years ahead', () => {
    expect(parseHttpDate('Sunday, 06-Nov-94 08:49:37 GMT', nowMs)).toBe(Date.UTC(1994, 10, 6, 8, 49, 37));
    expect(parseHttpDate('Friday, 06-Nov-76 08:49:37 GMT', nowMs)).toBe(Date.UTC(2076, 10, 6, 8, 49, 37));
  });
});
