import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CriticizerError, type FailureCategory } from '../../foundation/errors.js';
import { classifyFailure } from '../../foundation/failures/failure.js';
import { createSeededRandom } from '../../testing/support/seeded-random.js';
import { defaultBackoff } from './backoff.js';
import { decideRetry, type RetryPolicy } from './retry-policy.js';

const policy: RetryPolicy = { maxAttemptsPerStage: 5, maxLostLeases: 3, parkMs: 30_000, backoff: defaultBackoff };
const failing = (category: FailureCategory, options = {}) =>
  classifyFailure(new CriticizerError('SOME_CODE', 'x', { category, ...options }));
const retryable: FailureCategory[] = ['network', 'rate_limit', 'upstream', 'conflict'];
const final: FailureCategory[] = ['validation', 'auth', 'not_found', 'policy', 'bug'];

describe('decideRetry', () => {
  it('ERR-5: a retryable failure is retried up to the fifth attempt, which is the last', () => {
    for (const category of retryable) {
      const kinds = [1, 2, 3, 4, 5].map(
        (attempt) => decideRetry(policy, failing(category), attempt, null, createSeededRandom(1)).kind,
      );
      expect(kinds).toEqual(['retry', 'retry', 'retry', 'retry', 'dead-letter']);
    }
  });

  it('ERR-4: a non-retryable failure ends at the attempt that showed it', () => {
    fc.assert(
      fc.property(fc.constantFrom(...final), fc.integer({ min: 1, max: 5 }), (category, attempt) => {
        expect(decideRetry(policy, failing(category), attempt, null, createSeededRandom(1)).kind).toBe('dead-letter');
      }),
    );
  });

  it('ERR-7: a bug pages, policy and credentials ask for an operator', () => {
    const escalation = (category: FailureCategory) =>
      decideRetry(policy, failing(category), 1, null, createSeededRandom(1));
    expect(escalation('bug')).toMatchObject({ escalation: 'page' });
    expect(escalation('policy')).toMatchObject({ escalation: 'operator' });
    expect(escalation('auth')).toMatchObject({ escalation: 'operator' });
    expect(escalation('validation')).toMatchObject({ escalation: 'none' });
  });

  it('ERR-10: a replay that fails again with the same non-retryable class is escalated, another class is not', () => {
    expect(decideRetry(policy, failing('validation'), 1, 'SOME_CODE', createSeededRandom(1))).toMatchObject({
      escalation: 'operator',
    });
    expect(decideRetry(policy, failing('validation'), 1, 'OTHER', createSeededRandom(1))).toMatchObject({
      escalation: 'none',
    });
  });

  it('INT-4: a parked failure waits whatever its category and attempt, at least as long as the upstream asked', () => {
    for (const category of [...retryable, ...final])
      expect(
        decideRetry(policy, failing(category, { parks: true, retryAfterMs: 90_000 }), 5, null, createSeededRandom(1)),
      ).toEqual({
        kind: 'wait',
        delayMs: 90_000,
        reason: 'SOME_CODE',
      });
  });
});
