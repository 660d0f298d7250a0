import { describe, expect, it } from 'vitest';
import { BASE64, madeUp, redactLine } from '../../testing/redact-line.js';

const LINES = [madeUp(64, BASE64, 1), madeUp(64, BASE64, 2), `${madeUp(34, BASE64, 3)}==`];
const begin = (label = 'RSA PRIVATE KEY'): string => `-----BEGIN ${label}-----`;
const end = (label = 'RSA PRIVATE KEY'): string => `-----END ${label}-----`;
const MARK = '[REDACTED:private-key:1]';
const whole = [begin(), ...LINES, end()];
const hidden = [begin(), MARK, MARK, MARK, end()];

describe('private keys', () => {
  const shapes: Record<string, (lines: readonly string[]) => string> = {
    plain: (lines) => lines.join('\n'),
    'with CRLF': (lines) => lines.join('\r\n'),
    indented: (lines) => lines.map((line) => `\t  ${line}`).join('\n'),
    'escaped on one line': (lines) => `key: "${lines.join('\\n')}"`,
    'escaped twice': (lines) => `{\\"key\\": \\"${lines.join('\\\\n')}\\"}`,
    'concatenated literals': (lines) => lines.map((line) => `  '${line}\\n' +`).join('\n'),
    'line comments': (lines) => lines.map((line) => `# ${line}`).join('\n'),
    'block comment': (lines) => `/*\n${lines.map((line) => ` * ${line}`).join('\n')}\n */`,
    'one line with spaces': (lines) => lines.join(' '),
    'log lines': (lines) =>
      lines
        .map((line) => `12:00:01 INFO ${line}`)
        .slice(0, 3)
        .join('\n'),
  };
  for (const [name, write] of Object.entries(shapes)) {
    it(`RED-4: ${name}: the body goes, the markers and everything round it stay`, () => {
      const { text, rules } = redactLine(write(whole));
      expect(text).toBe(write(hidden));
      expect(rules).toEqual(['private-key:high']);
    });
  }

  it('RED-4: diff marks stay in front of every line', () => {
    for (const mark of ['+', '-', ' ']) {
      const write = (lines: readonly string[]): string => lines.map((line) => mark + line).join('\n');
      expect(redactLine(write(whole), undefined, true).text).toBe(write(hidden));
    }
    expect(redactLine(whole.map((line) => `+${line}`).join('\n')).text).toBe(
      hidden.map((line) => `+${line}`).join('\n'),
    );
  });

  it('RED-4: a key cut off before its END hides its lines and no code after it', () => {
    const code = ['', 'function processPayment(order) {', '  return order.total;', '}'];
    expect(redactLine([begin(), ...LINES.slice(0, 2), ...code].join('\n')).text).toBe(
      [begin(), MARK, MARK, ...code].join('\n'),
    );
  });

  it('RED-4: a key cut off after its BEGIN hides its lines and no code before it', () => {
    const code = ['const before = call(thing);', ''];
    expect(redactLine([...code, ...LINES, end()].join('\n')).text).toBe([...code, MARK, MARK, MARK, end()].join('\n'));
  });

  it('RED-4: armor headers, every label and OpenPGP blocks are understood', () => {
    const encrypted = [begin(), 'Proc-Type: 4,ENCRYPTED', 'DEK-Info: AES-128-CBC,0123', '', ...LINES, end()];
    expect(redactLine(encrypted.join('\n')).text).toContain(
      `Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,0123\n\n${MARK}\n`,
    );
    for (const label of [
      'PRIVATE KEY',
      'EC PRIVATE KEY',
      'OPENSSH PRIVATE KEY',
      'ENCRYPTED PRIVATE KEY',
      'PGP PRIVATE KEY BLOCK',
    ]) {
      expect(redactLine([begin(label), ...LINES, end(label)].join('\n')).text).toBe(
        [begin(label), MARK, MARK, MARK, end(label)].join('\n'),
      );
    }
  });

  it('RED-4: PuTTY lines, JWK members and PEM in base64 are hidden', () => {
    expect(redactLine(['Private-Lines: 2', ...LINES.slice(0, 2), 'Private-MAC: 00'].join('\n')).text).toBe(
      `Private-Lines: 2\n${MARK}\n${MARK}\nPrivate-MAC: 00`,
    );
    expect(redactLine(`{"kty":"EC","d":"${madeUp(43)}"}`).text).toBe(`{"kty":"EC","d":"${MARK}"}`);
    expect(redactLine(`{kty:'EC', crv: 'P-256', d:'${madeUp(43)}'}`, 'a.js').text).toBe(
      `{kty:'EC', crv: 'P-256', d:'${MARK}'}`,
    );
    expect(redactLine(`tls.key: ${Buffer.from(whole.join('\n')).toString('base64')}`, 'a.yaml').text).toBe(
      `tls.key: ${MARK}`,
    );
  });

  it('RED-4: keys of OpenVPN, whole and cut off; of minisign and signify, below the comment that says so', () => {
    const hex = [1, 2, 3, 4].map((seed) => madeUp(32, '0123456789abcdef', seed));
    const label = 'OpenVPN Static key V1';
    const write = (lines: readonly string[]): string =>
      `<tls-auth>\n${[begin(label), ...lines, end(label)].join('\n')}\n</tls-auth>`;
    expect(redactLine(write(hex), 'client.ovpn').text).toBe(write(hex.map(() => MARK)));
    expect(redactLine([...hex, end(label)].join('\n')).text).toBe([...hex.map(() => MARK), end(label)].join('\n'));
    expect(redactLine([begin('OpenVPN tls-crypt-v2 client key'), ...LINES].join('\n')).text).toBe(
      [begin('OpenVPN tls-crypt-v2 client key'), MARK, MARK, MARK].join('\n'),
    );
    const body = `RW${madeUp(140, BASE64)}`;
    for (const maker of ['minisign encrypted', 'signify'])
      expect(redactLine(`untrusted comment: ${maker} secret key\n${body}==\n`).text).toBe(
        `untrusted comment: ${maker} secret key\n${MARK}\n`,
      );
    const open = `untrusted comment: minisign public key\n${body.slice(0, 56)}\n`;
    expect(redactLine(open, 'minisign.pub').text).toBe(open);
  });

  it('RED-8: certificates, public keys and mentions stay', () => {
    const innocent = [
      ['-----BEGIN CERTIFICATE-----', ...LINES, '-----END CERTIFICATE-----'].join('\n'),
      ['-----BEGIN PUBLIC KEY-----', ...LINES, '-----END PUBLIC KEY-----'].join('\n'),
      `if (text.startsWith('${begin()}')) {\n  parseKeyMaterial(text);\n}`,
      `Paste it between ${begin()} and ${end()}.`,
      `${begin()}\n...\n${end()}`,
    ];
    for (const text of innocent) expect(redactLine(text, 'a.ts').text).toBe(text);
  });
});
