import { describe, expect, it } from 'vitest';
import { madeUp, notHidden, notKept } from '../../testing/redact-line.js';

const DIGITS = '0123456789ABCDEF';

describe('license lines', () => {
  it('RED-2: signatures of features, in a column, alone and in groups, on a line that goes on', () => {
    const places = [
      ['a.lic', (v: string) => `SERVER lic1 001122334455 27000\nFEATURE sim cdslmd 23.1 01-jan-2027 4 ${v} HOSTID=ANY`],
      ['a.lic', (v: string) => `INCREMENT sim cdslmd 23.1 permanent 18 HOSTID=ANY \\\n\tSIGN=${v}`],
    ] as const;
    expect(notHidden(places, madeUp(20, DIGITS))).toEqual([]);
    const groups = (madeUp(120, DIGITS).match(/.{4}/g) as string[]).join(' ');
    expect(notHidden([['a.lic', (v) => `INCREMENT sim cdslmd 23.1 permanent 18 SIGN="${v}"`]], groups)).toEqual([]);
  });

  it('RED-8: prose, and other fields of the kind, stay', () => {
    expect(
      notKept([
        ['a.md', 'This feature was added in 23.1 by team 4 as 001122334455AB'],
        ['a.lic', 'SERVER lic1 001122334455 27000'],
        ['a.lic', 'FEATURE sim cdslmd 23.1 permanent uncounted HOSTID=001122334455'],
        ['a.js', 'const sign=001122334455;'],
      ]),
    ).toEqual([]);
  });
});
