import { describe, expect, it } from 'vitest';
import { madeUp, notHidden, notKept, redactLine } from '../../testing/redact-line.js';

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

  it('RED-3: quoted heads, several secret columns, keys beside passwords', () => {
    const other = madeUp(24, undefined, 5);
    const write = (v: string, key: string): string =>
      `"User","Password","API Key"\r\n"ann, of tools","${v}","${key}"\r\n`;
    const hidden = redactLine(write(V, other), 'accounts.csv').text;
    expect(hidden).toBe(write('[REDACTED:password:1]', '[REDACTED:key:1]'));
    expect(
      notHidden([['a.md', (v) => `| **Service** | **Client secret** |\n|---|---|\n| mail | \`${v}\` |`]], other),
    ).toEqual([]);
    expect(notHidden([['a.csv', (v) => `host,ssh_password\n10.0.0.1,${v}\n10.0.0.2,${v}`]], V)).toEqual([]);
  });

  it('RED-3: rows of settings, whose names stand in one cell and values in the next', () => {
    const places = [
      ['a.md', (v: string) => `| Setting | Value |\n|---|---|\n| SMTP password | \`${v}\` |\n`],
      ['a.csv', (v: string) => `id;name;value;by\n7;api_key;${v};ann\n`],
    ] as const;
    expect(notHidden(places, madeUp(24))).toEqual([]);
    expect(
      notKept([
        ['a.md', '| Name | Meaning |\n|---|---|\n| `password` | MD5-hashed |\n| api_key | enabled |'],
        ['a.csv', 'id;name;type;by\n7;password;Varchar255;ann\n'],
      ]),
    ).toEqual([]);
  });

  it('RED-3: heads in other languages and with two bars between their cells', () => {
    const places = [
      ['cuentas.tsv', (v: string) => `sistema\tusuario\tcontraseña\ncorreo\tann\t${v}\n`],
      ['a.wiki', (v: string) => `||System||User||Password||\n|Mail|ann|${v}|\n`],
    ] as const;
    expect(notHidden(places, V)).toEqual([]);
  });

  it('RED-8: a row that names a secret is no head for the rows below it', () => {
    expect(
      notKept([
        ['a.csv', `field,what it holds\nuser,password\nann,${madeUp(9)}`],
        ['a.md', `| Field | Secret |\n|---|---|\n| id | no |\n| label | token |\n| build | ${madeUp(9)} |`],
        ['a.csv', `id,next token\n1,${madeUp(9)}`],
        ['yarn.lock', `name,password\nann,${madeUp(9)}`],
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
