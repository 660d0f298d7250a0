import { describe, expect, it } from 'vitest';
import { madeUp, redactLine } from '../testing/redact-line.js';

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
});
