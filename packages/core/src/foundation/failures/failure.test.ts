import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRedactor } from '@criticizer/redact';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { CriticizerError, isCriticizerError } from '../errors.js';
import { classifyFailure, type FailureClassifier, maxRetryAfterMs } from './failure.js';

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
    expect(classifyFailure(typed)).toEqual({
      code: 'QUOTA',
      category: 'rate_limit',
      retryable: true,
      parks: true,
      retryAfterMs: 7_000,
    });
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

  it('ERR-1: survives whatever a revoked proxy, alone or inside an error, refuses to say', () => {
    const revoked = (target: object): unknown => {
      const { proxy, revoke } = Proxy.revocable(target, {});
      revoke();
      return proxy;
    };
    const strange = [
      revoked({}),
      revoked(() => undefined),
      new Error('x', { cause: revoked(new Error('y')) }),
      Object.assign(new Error('x'), { errors: revoked([]) }),
      Object.assign(new Error('x'), {
        response: revoked({}),
        headers: revoked({}),
        name: revoked({}),
        code: revoked({}),
      }),
      { [Symbol.for('criticizer.error')]: true, code: revoked({}), category: revoked({}) },
    ];
    for (const error of strange)
      expect(classifyFailure(error)).toMatchObject({ code: 'UNEXPECTED', category: 'bug', retryable: false });
    expect(isCriticizerError(strange[0])).toBe(false);
  });

  it.each([
    ['no number', Number.NaN, undefined],
    ['below 0', -5, undefined],
    ['text', '7', undefined],
    ['endless', Number.POSITIVE_INFINITY, maxRetryAfterMs],
    ['285,000 years', 9e15, maxRetryAfterMs],
    ['a fraction', 0.5, 1],
    ['0', 0, 0],
  ])('ERR-3: a wish to wait that is %s is bounded', (_, retryAfterMs, expected) => {
    const error = Object.assign(new CriticizerError('SLOW', 'x', { category: 'rate_limit' }), { retryAfterMs });
    expect(classifyFailure(error).retryAfterMs).toBe(expected);
    expect(
      classifyFailure(new Error('x'), {
        classify: () => ({ code: 'SLOW', category: 'rate_limit', retryAfterMs }) as never,
      }),
    ).toMatchObject({
      code: 'SLOW',
      retryAfterMs: expected,
    });
  });

  it('ERR-1: the host’s own rows come before the built-in ones, for the error and its causes, and never for a typed error', () => {
    const seen: unknown[] = [];
    const classify: FailureClassifier = (cause) => {
      seen.push(cause);
      return (cause as { vendor?: string }).vendor === 'busy'
        ? { code: 'VENDOR_BUSY', category: 'rate_limit', retryAfterMs: 5 }
        : undefined;
    };
    const inner = Object.assign(withCode('ECONNRESET'), { vendor: 'busy' });
    const outer = new Error('outer', { cause: inner });
    expect(classifyFailure(outer, { classify })).toEqual({
      code: 'VENDOR_BUSY',
      category: 'rate_limit',
      retryable: true,
      parks: false,
      retryAfterMs: 5,
    });
    expect(seen).toEqual([outer, inner]);
    expect(classifyFailure(withCode('ECONNRESET'), { classify })).toMatchObject({ code: 'NETWORK_RESET' });
    const typed = Object.assign(new CriticizerError('EGRESS_BLOCKED', 'x', { category: 'policy' }), { vendor: 'busy' });
    expect(classifyFailure(typed, { classify })).toMatchObject({ code: 'EGRESS_BLOCKED', retryable: false });
  });

  it('ERR-1: a host’s classifier that throws or answers nonsense hides no failure', () => {
    const broken: readonly (() => unknown)[] = [
      () => {
        throw new Error('no');
      },
      () => null,
      () => ({ code: 'X', category: 'weather' }),
      () => 'network',
    ];
    for (const classify of broken)
      expect(classifyFailure(withCode('EPIPE'), { classify: classify as FailureClassifier })).toMatchObject({
        code: 'NETWORK_RESET',
      });
    const parked = classifyFailure(new Error('x'), {
      classify: () => ({ code: 'VENDOR_DOWN', category: 'upstream', parks: true }),
    });
    expect(parked).toMatchObject({ code: 'VENDOR_DOWN', retryable: true, parks: true });
  });

  it('ERR-8: a code that quotes a secret is not kept', () => {
    const secret = `TOKEN_${randomBytes(8).toString('hex').toUpperCase()}`;
    const redactText = (text: string): string => text.replaceAll(secret, '[REDACTED]');
    const error = new CriticizerError(`DENIED_${secret}`, 'x', { category: 'auth' });
    expect(classifyFailure(error, { redactText })).toMatchObject({ code: 'UNEXPECTED', category: 'auth' });
    expect(
      classifyFailure(new CriticizerError('AUTH_DENIED', 'x', { category: 'auth' }), { redactText }),
    ).toMatchObject({
      code: 'AUTH_DENIED',
    });
    const failing = (): string => {
      throw new Error('no');
    };
    expect(classifyFailure(error, { redactText: failing }).code).toBe('UNEXPECTED');
    const withholding = (): string => '[withheld]';
    expect(classifyFailure(withCode('EPIPE'), { redactText: withholding }).code).toBe('NETWORK_RESET');
    expect(classifyFailure(new CriticizerError(`said ${secret}`, 'x'), { redactText: withholding }).code).toBe(
      'UNEXPECTED',
    );
  });

  it('ERR-8: the redactor of the house takes no code of the reference page for a secret', () => {
    const page = readFileSync(new URL('../../../../../docs/reference/errors.md', import.meta.url), 'utf8');
    const codes = [...page.matchAll(/^\| `([A-Z0-9_]+)` \|/gm)].map(([, code = '']) => code);
    const redactor = createRedactor({ fingerprintKey: randomBytes(32) });
    const redactText = (text: string): string => redactor.session().redact(text).text;
    const kept = codes.map((code) => classifyFailure(new CriticizerError(code, 'x'), { redactText }).code);
    expect(codes.length).toBeGreaterThan(100);
    expect(kept).toEqual(codes);
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
