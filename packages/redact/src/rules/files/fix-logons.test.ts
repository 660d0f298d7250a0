import { describe, expect, it } from 'vitest';
import { madeUp, notHidden, notKept } from '../../testing/redact-line.js';

describe('FIX logons', () => {
  it('RED-3: passwords in the logon of a session, whatever a log sets its fields off with', () => {
    for (const separator of ['|', '\u0001', '^', '^A', '<SOH>'])
      for (const field of ['554', '925', '96'])
        expect(
          notHidden(
            [
              [
                'fix.log',
                (v) =>
                  ['09:00:00 8=FIX.4.4', '9=112', '35=A', '553=ann', `${field}=${v}`, '10=031', ''].join(separator),
              ],
            ],
            madeUp(9),
          ),
        ).toEqual([]);
  });

  it('RED-8: other messages and other fields stay', () => {
    expect(
      notKept([
        ['fix.log', '8=FIX.4.4|9=112|35=D|554=value1of2|10=031|'],
        ['fix.log', '8=FIX.4.4|9=112|35=A|1554=value1of2|10=031|'],
        ['a.ts', 'const width = 554=value1of2|'],
      ]),
    ).toEqual([]);
  });
});
