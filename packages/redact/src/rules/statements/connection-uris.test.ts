import { describe, expect, it } from 'vitest';
import { HEX, madeUp, notHidden, notKept, redactLine } from '../../testing/redact-line.js';
import { textFromSeed } from '../../testing/secret-generators.js';

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
const MARK = '[REDACTED:uri-password:1]';

describe('connection URIs', () => {
  it('RED-5: the password goes; scheme, user, host and path stay', () => {
    for (const scheme of ['postgres', 'mongodb+srv', 'jdbc:mysql', 'amqps', 'smtp', 'https', 'redis', 'acme']) {
      expect(redactLine(`url = "${scheme}://svc:${madeUp(14)}@db.example:5432/main?x=1"`)).toEqual({
        text: `url = "${scheme}://svc:${MARK}@db.example:5432/main?x=1"`,
        rules: ['uri-password:high'],
      });
    }
  });

  it('RED-5: an empty user, an @ or a slash in the password and escaped slashes are understood', () => {
    const secret = madeUp(12);
    expect(redactLine(`redis://:${secret}@cache:6379`).text).toBe(`redis://:${MARK}@cache:6379`);
    expect(redactLine(`mysql://u:${secret}@${secret}@h/d`).text).toBe(`mysql://u:${MARK}@h/d`);
    expect(redactLine(`postgres://u:${secret}/${secret}@h/d`).text).toBe(`postgres://u:${MARK}@h/d`);
    expect(redactLine(`"mongodb:\\/\\/u:${secret}@h\\/d"`).text).toBe(`"mongodb:\\/\\/u:${MARK}@h\\/d"`);
    expect(redactLine(`dsn = "u:${secret}@tcp(db:3306)/main"`).text).toBe(`dsn = "u:${MARK}@tcp(db:3306)/main"`);
  });

  it('RED-5: a token in place of the user is hidden, a user name is not', () => {
    expect(redactLine(`https://${madeUp(32)}@git.example/r.git`).text).toBe(`https://${MARK}@git.example/r.git`);
    expect(redactLine('https://alice@git.example/r.git').rules).toEqual([]);
  });

  it('RED-5: a token in place of the user is hidden beside a password, too', () => {
    const token = madeUp(32);
    const password = madeUp(14, HEX);
    expect(redactLine(`https://${token}:${password}@git.example/1`).text).toBe(
      `https://${MARK}:${MARK.replace('1]', '2]')}@git.example/1`,
    );
    expect(redactLine(`https://service-account-of-the-build-01:${password}@git.example/1`).text).toBe(
      `https://service-account-of-the-build-01:${MARK}@git.example/1`,
    );
  });

  it('RED-5: a URI escaped for a query, registrations of Asterisk, logins of drivers for Oracle', () => {
    const secret = madeUp(12);
    expect(redactLine(`next=https%3A%2F%2Fann%3A${secret}%40git.example%2F`).text).toBe(
      `next=https%3A%2F%2Fann%3A${MARK}%40git.example%2F`,
    );
    expect(redactLine(`register => ann:${secret}@sip.example/100`).text).toBe(
      `register => ann:${MARK}@sip.example/100`,
    );
    expect(redactLine(`cx_Oracle.connect("app/${secret}@db/XE")`).text).toBe(`cx_Oracle.connect("app/${MARK}@db/XE")`);
    const plain = 'next=https%3A%2F%2Fa.example%3A8080%2Fx%40y';
    expect(redactLine(plain).text).toBe(plain);
  });

  it('RED-5: the secret of a one-time password, and of nothing that only looks like one', () => {
    const places = [
      ['a.txt', (v: string) => `otpauth://totp/Acme:ann@example.com?secret=${v}&issuer=Acme`],
      ['a.ts', (v: string) => `const uri = 'otpauth://hotp/ann?counter=1&secret=${v}';`],
    ] as const;
    for (const length of [16, 32, 52]) expect(notHidden(places, textFromSeed(3, BASE32, length))).toEqual([]);
    expect(notKept([['a.md', `otpauth://totp/name?secret=${'A'.repeat(16)}`]])).toEqual([]);
  });

  it('RED-5: the port of a database in place of a scheme, a password in quotes', () => {
    const secret = madeUp(12);
    for (const port of [5432, 3306, 27017, 6379, 5672])
      expect(redactLine(`db: ann:${secret}@db.example:${port}/main`).text).toBe(
        `db: ann:${MARK}@db.example:${port}/main`,
      );
    expect(redactLine(`sqlplus app/\\"${secret}\\"@db/XE`).text).toBe(`sqlplus app/\\"${MARK}\\"@db/XE`);
    expect(redactLine(`CONNECT app/"${secret}"@XE`).text).toBe(`CONNECT app/"${MARK}"@XE`);
    for (const text of [
      'listens at 10.0.0.1:5432',
      'image: "postgres@db.example:5432"',
      `ann:${secret}@db.example:54321`,
    ])
      expect(redactLine(text).text).toBe(text);
  });

  it('RED-8: templates, documentation, ports and scoped paths stay', () => {
    for (const text of [
      'postgres://user:password@host/db',
      `postgres://u:\${PASS}@host`,
      'https://u:<password>@host',
      'http://localhost:8080/@scope/name',
      'ssh://git@host/x',
      '"http://%s:%s@host"',
      'https://a.example:443/x?y=@z',
    ]) {
      expect(redactLine(text).text).toBe(text);
    }
  });

  it('RED-8: a password masked with bullets stays', () => {
    const text = `https://ann:${'\u2022'.repeat(8)}@example.com`;
    expect(redactLine(text).text).toBe(text);
  });

  it('RED-5: a user that chance made is a token, the name of an account is none', () => {
    const token = madeUp(24);
    expect(redactLine(`https://${token}@git.studio.com/x`).rules).toEqual(['uri-password:high']);
    for (const user of ['build-agent-linux-01', 'anna.lindqvist2026', 'continuousintegration7'])
      expect(redactLine(`https://${user}@git.studio.com/x`).rules).toEqual([]);
  });

  it('RED-5: a password that should have been changed is reported low, where its host may take it', () => {
    expect(redactLine('url: postgres://app:changeme@db.studio.com/app').rules).toEqual(['uri-password:low']);
    for (const host of ['localhost', 'db.studio.example', 'example.com', 'your-host.com', '<host>.com', 'db'])
      expect(redactLine(`url: postgres://app:changeme@${host}/app`).rules).toEqual([]);
  });
});
