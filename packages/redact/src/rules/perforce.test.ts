import { describe, expect, it } from 'vitest';
import { madeUp, notHidden, notKept, redactLine } from '../testing/redact-line.js';

const TICKET = madeUp(32, '0123456789ABCDEF');
const MARK = '[REDACTED:perforce-ticket:1]';

describe('Perforce credentials', () => {
  it('RED-2: tickets in ticket files and after a login are found', () => {
    expect(redactLine(`localhost:1666=alice:${TICKET}`, 'p4tickets.txt')).toEqual({
      text: `localhost:1666=alice:${MARK}`,
      rules: ['perforce-ticket:high'],
    });
    expect(redactLine(`$ p4 login -ap\nEnter password:\n${TICKET}\n`).text).toContain(MARK);
  });

  it('RED-3: passwords in the environment and piped into a login are found', () => {
    expect(redactLine(`p4 set P4PASSWD=${madeUp(12)}`).text).toBe('p4 set P4PASSWD=[REDACTED:password:1]');
    expect(redactLine(`echo ${madeUp(12)} | p4 -u svc login`, 'ci.sh').text).toBe('echo [REDACTED:perforce-password:1] | p4 -u svc login');
  });

  it('RED-3: the password field of a form is one whatever stands in it', () => {
    const places = [
      ['a.txt', (v: string) => `User:\tann\n\nPassword:\t${v}\n`],
      ['a.txt', (v: string) => `Password:\t${v}\n\nUpdate:\t2026/01/02\n`],
      ['a.txt', (v: string) => `SearchBindDN:\tcn=a\n\nSearchPasswd:\t${v}\n`],
    ] as const;
    for (const value of [madeUp(12), `${madeUp(4, 'lnrst')}${madeUp(5, 'aeiou', 3)}`]) expect(notHidden(places, value)).toEqual([]);
    expect(
      notKept([
        ['a.txt', 'User:\tann\n\nPassword:\t******\n'],
        ['a.txt', 'Password:\tlabel\nWidth:\t12'],
      ]),
    ).toEqual([]);
  });

  it('RED-8: digests, revisions and ports stay', () => {
    for (const text of [`//depot/main/a.c#3 ${TICKET}`, 'P4PORT=ssl:perforce:1666', 'echo "$P4PASS" | p4 login', '//depot/main/...@12345'])
      expect(redactLine(text).text).toBe(text);
  });
});
