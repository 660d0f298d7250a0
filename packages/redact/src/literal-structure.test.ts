import { describe, expect, it } from 'vitest';
import { createRedactor } from './redactor.js';
import { madeUp } from './testing/redact-line.js';

const redactor = createRedactor({ fingerprintKey: 'fingerprint-key-of-the-tests' });
const redact = (text: string, path?: string): string => redactor.session().redact(text, { path }).text;
const V = madeUp(18);
const mark = '[REDACTED:password:1]';

describe('literals that secrets stand in', () => {
  it('RED-8: a number under a telling name in JSON becomes a string, in JSON within JSON too', () => {
    for (const document of [
      { password: 73274097 },
      { list: [{ password: 73274097, port: 80 }] },
      { text: JSON.stringify({ password: 73274097 }) },
    ])
      for (const indent of [0, 2]) {
        const redacted = redact(JSON.stringify(document, null, indent), 'a.json');
        expect(redacted).not.toContain('73274097');
        expect(redacted).toBe(
          JSON.stringify(
            JSON.parse(
              JSON.stringify(document).replace(/73274097/, document.text === undefined ? `"${mark}"` : `\\"${mark}\\"`),
            ),
            null,
            indent,
          ),
        );
      }
    expect(redact('DB_PASSWORD=73274097\n', 'a.env')).toBe(`DB_PASSWORD=${mark}\n`);
    expect(redact('password: 73274097\n', 'a.yaml')).toBe(`password: ${mark}\n`);
  });

  it('RED-8: escapes round a secret stay: breaks and tabs, and backslashes before a quote', () => {
    const command = (value: string): string =>
      `echo "mysql-server mysql-server/root_password password ${value}" | debconf-set-selections\n`;
    const compared = (value: string): string => `return "${value}".equals(password);`;
    const relay = (value: string): string => `[smtp.example.org]:587 ann:${value}\n`;
    const config = (value: string): string => `buildConfigField "String", "API_PASSWORD", '"${value}"'\n`;
    for (const text of [command, compared, relay, config])
      for (const [path, written] of [
        ['a.conf', text],
        ['a.json', (value: string) => JSON.stringify([text(value), 'x'])],
        ['a.ipynb', (value: string) => JSON.stringify({ source: JSON.stringify({ cell: text(value) }) }, null, 1)],
      ] as const)
        expect(redact(written(V), path)).toBe(written(mark));
  });

  it('RED-8: of a list of lists and of what stands between two strings nothing is taken for a value', () => {
    for (const text of [
      '{"password":[[null,"Enter it twice","4 to 20 characters"]]}',
      '{"cmd":"if name == db_password:",",614826]],":"headers"}',
      '{"password":["a","b"],"x":1}',
      '{"cmd":[["curl https://api.example.org -u svc:"],45593,"curl"]}',
    ])
      expect(redact(text, 'a.json')).toBe(text);
    expect(redact(`password = [[${V}]]`, 'a.lua')).toBe(`password = [[${mark}]]`);
  });

  it('RED-8: in a diff the value that was replaced and the name of the next are no one literal', () => {
    const text = (first: string, second: string): string => `-\t"Key": "${first}="\n+\t"Key": "${second}="\n \t},`;
    expect(redact(text(madeUp(43), madeUp(43, undefined, 9)), 'a.json')).toBe(
      text('[REDACTED:secret:1]', '[REDACTED:secret:2]').replaceAll('=', ''),
    );
  });

  it('RED-8: a full stop between a literal and the end of the string it stands in joins nothing', () => {
    const text = (value: string): string => `{"note":"VALUE was PASSWORD = '${value}'.","url":"x"}`;
    expect(redact(text(V), 'a.json')).toBe(text(mark));
    expect(redact(`$password = '${V.slice(0, 9)}'.'${V.slice(9)}';`, 'a.php')).toBe(`$password = '${mark}'.'${mark}';`);
  });

  it('RED-4: a line of JSON with a line of a key in one of its strings keeps the others', () => {
    const base64 = madeUp(64, undefined, 7);
    const text = (value: string): string =>
      `{"token":"x","log":"-----BEGIN ${'PRIVATE KEY'}-----\\n${value}","severityOfTheEntry":"information1234","n":7}`;
    expect(redact(text(base64), 'a.json')).toBe(text('[REDACTED:private-key:1]'));
  });

  it('RED-8: an escape that a run of letters and digits begins in keeps its letter and its digits', () => {
    const token = madeUp(32, undefined, 11);
    for (const cut of ['\\ud83d', '\\u000c', '\\b', '\\f'])
      for (const text of [
        (value: string) => `{"note":"twilio${cut}${value}"}`,
        (value: string) =>
          `{"key":"-----BEGIN ${'PRIVATE KEY'}-----\\n${cut}${value}\\n-----END ${'PRIVATE KEY'}-----"}`,
      ]) {
        const redacted = redact(text(token), 'a.json');
        expect(redacted).toMatch(/\[REDACTED:[a-z-]+:1\]/);
        expect(redacted).toBe(text(redacted.match(/\[REDACTED:[a-z-]+:1\]/)?.[0] ?? ''));
        expect(() => JSON.parse(redacted)).not.toThrow();
      }
  });

  it('RED-1: a value between the quotes of an attribute ends on its line', () => {
    const text = (value: string): string => `<a pw=&quot;${value}&quot;>\n<b pw:&quot;no\nend&quot;>`;
    expect(redact(text(V), 'a.html')).toBe(text(mark));
  });

  it('RED-8: a password told in another script ends at a quote', () => {
    for (const text of [
      '{"a":"has\u0142o:","b":"6G12aK9"}',
      '{"a":"\u5bc6\u7801=","b":"n3"}',
      '{"\ube44\ubc88":"c1a-c\u5bc6"}',
    ])
      expect(redact(text, 'a.json')).toBe(text);
    expect(redact(`{"\u5bc6\u7801":"${V}"}`, 'a.json')).toBe(`{"\u5bc6\u7801":"${mark}"}`);
  });
});
