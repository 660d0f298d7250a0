import { describe, expect, it } from 'vitest';
import { classifyStatus, httpFailure } from './http-failure.js';

describe('classifyStatus', () => {
  it.each([
    [400, 'HTTP_REJECTED', 'validation'],
    [401, 'AUTH_DENIED', 'auth'],
    [402, 'HTTP_PAYMENT_REQUIRED', 'policy'],
    [403, 'AUTH_DENIED', 'auth'],
    [404, 'HTTP_NOT_FOUND', 'not_found'],
    [408, 'NETWORK_TIMEOUT', 'network'],
    [409, 'HTTP_CONFLICT', 'conflict'],
    [413, 'HTTP_REJECTED', 'validation'],
    [425, 'UPSTREAM_UNAVAILABLE', 'network'],
    [429, 'RATE_LIMITED', 'rate_limit'],
    [500, 'UPSTREAM_ERROR', 'upstream'],
    [502, 'UPSTREAM_UNAVAILABLE', 'network'],
    [503, 'UPSTREAM_UNAVAILABLE', 'network'],
    [504, 'UPSTREAM_UNAVAILABLE', 'network'],
    [529, 'UPSTREAM_OVERLOADED', 'upstream'],
    [302, 'HTTP_REDIRECTED', 'bug'],
    [600, 'HTTP_MALFORMED', 'upstream'],
  ])('ERR-1: %i is %s, %s', (status, code, category) => {
    expect(classifyStatus(status)).toEqual({ code, category });
  });

  it('ERR-3: carries the delay the peer asked for, and no body', () => {
    const error = httpFailure({ status: 503, headers: { 'retry-after': '7' } }, { host: 'models.example', nowMs: 0 });
    expect(error).toMatchObject({
      code: 'UPSTREAM_UNAVAILABLE',
      retryAfterMs: 7_000,
      details: { status: 503, host: 'models.example' },
    });
  });
});
