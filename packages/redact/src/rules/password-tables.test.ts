import { describe, expect, it } from 'vitest';
import { madeUp, notHidden, notKept } from '../testing/redact-line.js';

const V = madeUp(12);

describe('tables of passwords', () => {
  it('RED-3: the column that a head says holds passwords, in Markdown and Gherkin', () => {
    const places = [
      ['a.md', (v: string) => `| User | Password |\n|------|:--------:|\n| ann | \`${v}\` |\n`],
      ['a.md', (v: string) => `| User | Password | Role |\r\n| - | - | - |\r\n| ann | ${v} | admin1 |`],
      ['a.feature', (v: string) => `    Examples:\n      | user | password |\n      | ann  | ${v} |\n`],
      ['a.diff', (v: string) => `+| user | password |\n+| ann  | ${v} |`],
    ] as const;
    expect(notHidden(places, V)).toEqual([]);
  });

  it('RED-3: the column of an export, whatever parts its columns', () => {
    const places = [
      ['logins.csv', (v: string) => `name,url,username,password\nmail,https://mail.example,ann,${v}\n`],
      ['logins.csv', (v: string) => `url,username,password,note\r\nhttps://a.example,ann,"${v}",\r\n`],
      ['a.txt', (v: string) => `login\tpassword\trole\nann\t${v}\tadmin\n`],
      ['a.csv', (v: string) => `user;password\nann;${v}`],
    ] as const;
    expect(notHidden(places, V)).toEqual([]);
    expect(
      notKept([
        ['a.csv', 'field,password\nlength,long\n'],
        ['a.txt', `He asked for name,password and got ${madeUp(9)}`],
        ['a.csv', `user,password\nann;${madeUp(9)}`],
        ['a.ts', `user,password\nann,${madeUp(9)}`],
      ]),
    ).toEqual([]);
  });

  it('RED-8: words, other columns and what follows the table stay', () => {
    expect(
      notKept([
        ['a.md', '| Field | Password |\n|---|---|\n| type | string |\n| stored | hashed |'],
        ['a.md', `| Password | Id |\n|---|---|\n| required | ${madeUp(8)} |`],
        ['a.md', `| User | Password |\n|---|---|\n\nbuild | ${madeUp(8)} |`],
        ['a.md', 'a | password | b'],
      ]),
    ).toEqual([]);
  });
});
