import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { CriticizerError, isCriticizerError } from './errors.js';
import { classifyFailure } from './failure.js';

const withCode = (code: string) => Object.assign(new Error('x'), { code });

describe('classifyFailure', () => {
  it.each([
    ['ECONNRESET', 'NETWORK_RESET'],
    ['ECONNREFUSED', 'NETWORK_REFUSED'],
    ['ETIMEDOUT', 'NETWORK_TIMEOUT'],
    ['EAI_AGAIN', 'NETWORK_DNS'],
    ['ENOTFOUND', 'NETWORK_DNS'],
    ['UND_ERR_BODY_TIMEOUT', 'NETWORK_TIMEOUT'],
  ])('ERR-1: Node and undici %s is a network failure, retryable', (code, expected) => {
    expect(classifyFailure(withCode(code))).toMatchObject({ code: expected, category: 'network', retryable: true });
  });

  it('ERR-1: finds what was wrapped, and lets a typed error speak for itself', () => {
    expect(classifyFailure(new Error('outer', { cause: withCode('EPIPE') }))).toMatchObject({ code: 'NETWORK_RESET' });
    const typed = new CriticizerError('QUOTA', 'x', { category: 'rate_limit', retryAfterMs: 7_000, parks: true });
    expect(classifyFailure(typed)).toEqual({ code: 'QUOTA', category: 'rate_limit', retryable: true, parks: true, retryAfterMs: 7_000 });
  });

  it('ERR-1: schema errors are not retryable; the unknown is a bug', () => {
    expect(classifyFailure(z.string().safeParse(1).error)).toMatchObject({
      code: 'SCHEMA_INVALID',
      category: 'validation',
      retryable: false,
    });
    for (const strange of [new Error('x'), 'text', undefined, null, 42, new TypeError('x'), {}])
      expect(classifyFailure(strange)).toMatchObject({ code: 'UNEXPECTED', category: 'bug', retryable: false });
  });

  it('survives hostile values: getters that throw, causes in a circle', () => {
    const circular: { cause?: unknown } = {};
    circular.cause = circular;
    const throwing = Object.defineProperty({}, 'code', {
      get() {
        throw new Error('no');
      },
    });
    for (const hostile of [circular, throwing]) expect(classifyFailure(hostile).code).toBe('UNEXPECTED');
  });

  it('knows a CriticizerError of another copy of the SDK by its brand', () => {
    const foreign = Object.assign(new Error('x'), {
      code: 'FOREIGN',
      category: 'upstream',
      parks: false,
      [Symbol.for('criticizer.error')]: true,
    });
    expect(isCriticizerError(foreign)).toBe(true);
    expect(classifyFailure(foreign)).toMatchObject({ code: 'FOREIGN', retryable: true });
  });
});
