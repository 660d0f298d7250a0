import { jsonWebToken, opaqueToken, password, vendorToken } from '@criticizer/redact/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CriticizerError } from '../foundation/errors.js';
import { errorFacts } from './error-facts.js';

describe('errorFacts', () => {
  it('SEC-3: says the name and the code of an error, and nothing of what it quotes', () => {
    const secrets = fc.oneof(vendorToken(), jsonWebToken(), opaqueToken(), password());
    fc.assert(
      fc.property(secrets, ({ text }) => {
        const quoting = new TypeError(`401 for ${text}`, { cause: new Error(text) });
        const errors: unknown[] = [
          quoting,
          Object.assign(new Error(text), { code: 'ECONNRESET', config: { password: text }, stack: text }),
          new CriticizerError('LLM_REJECTED', `said ${text}`, { category: 'upstream', cause: quoting }),
          Object.assign(new Error('x'), { code: text.toLowerCase(), name: `E ${text}` }),
          new CriticizerError(`said ${text}`, 'x'),
          text,
          { message: text, toString: () => text },
        ];
        for (const error of errors) expect(JSON.stringify(errorFacts(error))).not.toContain(text.slice(-8));
      }),
    );
    expect(errorFacts(Object.assign(new TypeError('x'), { code: 'ECONNRESET' }))).toEqual({
      error: 'TypeError',
      code: 'ECONNRESET',
    });
  });

  it('SEC-3: answers for whatever is thrown', () => {
    const hostile = {
      get name(): string {
        throw new Error('no');
      },
    };
    for (const thrown of [null, undefined, 7, hostile, Symbol('s')])
      expect(errorFacts(thrown)).toEqual({ error: 'Error', code: 'UNKNOWN' });
  });
});
