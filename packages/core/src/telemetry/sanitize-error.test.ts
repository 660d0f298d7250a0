import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { CriticizerError } from '../foundation/errors.js';
import { checkJsonObject } from '../foundation/store-input.js';
import { sanitizeError } from './sanitize-error.js';

const secret = `secret-${randomBytes(6).toString('hex')}`;
const redactText = (text: string): string => text.replaceAll(secret, '[REDACTED]');

describe('sanitizeError', () => {
  it('ERR-8: message, stack and causes are redacted, other fields of an error are not taken', () => {
    const cause = Object.assign(new Error(`denied for ${secret}`), { response: { body: secret } });
    const error = Object.assign(new Error(`call with ${secret} failed`, { cause }), {
      request: { headers: { authorization: secret } },
    });
    const sanitized = sanitizeError(error, redactText);
    expect(JSON.stringify(sanitized)).not.toContain(secret);
    expect(sanitized).toMatchObject({ name: 'Error', message: 'call with [REDACTED] failed', details: {} });
    expect(sanitized.stack).toContain('caused by');
    expect(sanitizeError(`plain ${secret}`, redactText).message).toBe('plain [REDACTED]');
  });

  it('ERR-8: a name or a code that quotes a secret is redacted too', () => {
    const named = Object.assign(new Error('x'), { name: `Denied ${secret}`, code: `E_${secret}` });
    const sanitized = sanitizeError(named, redactText);
    expect(sanitized).toMatchObject({ name: 'Denied [REDACTED]', code: 'E_[REDACTED]' });
    expect(JSON.stringify(sanitized)).not.toContain(secret);
  });

  it('ERR-8: what refuses to be read is told by its type', () => {
    const { proxy, revoke } = Proxy.revocable(() => undefined, {});
    revoke();
    expect(sanitizeError(proxy, redactText)).toMatchObject({ name: 'NonError', message: 'function' });
    const object = Proxy.revocable({}, {});
    object.revoke();
    expect(sanitizeError(object.proxy, redactText)).toMatchObject({ name: 'Error', message: '' });
  });

  it('ERR-8: what cannot be redacted is withheld, and long texts are cut', () => {
    const failing = (): string => {
      throw new Error(secret);
    };
    const withheld = sanitizeError(new CriticizerError('A_CODE', `about ${secret}`), failing);
    expect(JSON.stringify(withheld)).not.toContain(secret);
    expect([withheld.name, withheld.code]).toEqual(Array(2).fill('[withheld: redaction failed]'));
    const long = sanitizeError(new Error('ä'.repeat(9_000)), redactText);
    expect(Buffer.byteLength(long.message)).toBeLessThanOrEqual(1_024);
    expect(Buffer.byteLength(long.stack)).toBeLessThanOrEqual(8_192);
  });

  it('ERR-8: what no store could hold is replaced, so that a failure is never too odd to be stored', () => {
    const nul = String.fromCharCode(0);
    const half = String.fromCharCode(0xd83d);
    const details = { [`k${nul}`]: `v${half}`, list: [nul] };
    const error = new CriticizerError('ODD', `a${nul}b${half}`, { details, cause: new Error(nul) });
    const sanitized = sanitizeError(error, (text) => text + nul);
    expect(() => checkJsonObject('sanitized', { ...sanitized })).not.toThrow();
    expect([sanitized.message, sanitized.details]).toEqual([
      'a\ufffdb\ufffd\ufffd',
      { 'k\ufffd': 'v\ufffd\ufffd', list: ['\ufffd\ufffd'] },
    ]);
    expect(sanitizeError(`a${nul}`, String).message).toBe('a\ufffd');
  });

  it('ERR-8: details that are no JSON become it, or nothing', () => {
    const cyclic: Record<string, unknown> = {
      n: Number.NaN,
      big: 10n ** 20n,
      none: undefined,
      at: new Date(0),
      call: () => 1,
      list: [undefined],
    };
    cyclic['self'] = cyclic;
    const odd = sanitizeError(Object.assign(new CriticizerError('ODD', 'm'), { details: cyclic }), redactText).details;
    expect(odd).toMatchObject({ n: 'NaN', big: '100000000000000000000', at: '1970-01-01T00:00:00.000Z', list: [null] });
    expect(() => checkJsonObject('details', odd)).not.toThrow();
    const throwing = Object.defineProperty({}, 'a', {
      enumerable: true,
      get() {
        throw new Error('no');
      },
    });
    for (const details of [throwing, 'text', null, undefined, [1]])
      expect(sanitizeError(Object.assign(new CriticizerError('ODD', 'm'), { details }), redactText).details).toEqual(
        {},
      );
  });
});
