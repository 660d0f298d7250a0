import { describe, expect, it } from 'vitest';
import { BASE64, madeUp, notHidden, notKept } from '../../testing/redact-line.js';

const V = madeUp(16);
const encode = (text: string): string => Buffer.from(text).toString('base64');

describe('encoded text', () => {
  it('RED-2: text in base64 that holds a secret goes as a whole', () => {
    expect(
      notHidden([['ci.yml', (v) => `  run: echo ${v} | base64 -d`]], encode(`PORT=80\nAPP_PASSWORD=${V}\n`)),
    ).toEqual([]);
    expect(notHidden([['a.yaml', (v) => `uri: ${v}`]], encode(`postgres://svc:${V}@db.internal/main`))).toEqual([]);
  });

  it('RED-8: other text in base64 stays, that with a public key in it too', () => {
    const body = `MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE${madeUp(27, BASE64)}\\n${madeUp(60, BASE64)}`;
    const key = `"public": "-----BEGIN ${'PUBLIC'} KEY-----\\n${body}==\\n-----END ${'PUBLIC'} KEY-----\\n"`;
    expect(
      notKept([
        ['a.yaml', `note: ${encode('the password policy asks for a token of the secret kind')}`],
        ['a.json', `{"target": "${encode(`{"tokens": "https://a.example", ${key}}`)}"}`],
      ]),
    ).toEqual([]);
  });
});
