import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type DeliveryFacts, type DeliveryPolicy, decideAfterLookup, decideDelivery } from './delivery-decision.js';
import type { LookupOutcome, MailerCapabilities } from './senders/mailer.js';

const now = Date.UTC(2026, 0, 1);
const date = fc.integer({ min: -200_000, max: 200_000 }).map((offset) => new Date(now + offset));
const orNull = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | null> => fc.option(arbitrary, { nil: null });

const capabilities: fc.Arbitrary<MailerCapabilities> = fc.record({
  idempotency: fc.oneof(
    fc.constant('none' as const),
    fc.constant('receiver' as const),
    fc.record({ ttlMs: fc.integer({ min: 1, max: 100_000 }) }),
  ),
  lookup: fc.constantFrom('none' as const, 'id' as const, 'key' as const),
  settleMs: fc.integer({ min: 0, max: 100_000 }),
  retentionMs: fc.integer({ min: 0, max: 300_000 }),
});
const anyFacts: fc.Arbitrary<DeliveryFacts> = fc.record({
  row: fc.record({
    status: fc.constantFrom('pending' as const, 'sending', 'sent', 'failed', 'unknown', 'cancelled'),
    attempts: fc.integer({ min: 0, max: 30 }),
    lastFailure: orNull(fc.constant({ scope: 'message', code: 'X', category: 'upstream', message: 'x' } as const)),
    phase: fc.constantFrom('none' as const, 'envelope', 'data'),
    dataAt: orNull(date),
    updatedAt: date,
    notificationId: orNull(fc.constant('id')),
    notifiedAt: orNull(date),
    provider: fc.constantFrom(null, 'mine', 'other'),
    providerKeyExpiresAt: orNull(date),
  }),
  sender: fc.record({ id: fc.constant('mine'), capabilities }),
  nowMs: fc.constant(now),
});
const anyPolicy: fc.Arbitrary<DeliveryPolicy> = fc.record({
  ambiguity: fc.constantFrom('resend' as const, 'hold'),
  maxAttempts: fc.integer({ min: 1, max: 6 }),
  replayMarginMs: fc.integer({ min: 0, max: 60_000 }),
  lookupRetryMs: fc.integer({ min: 1, max: 60_000 }),
});
const anyFound: fc.Arbitrary<LookupOutcome | 'failed'> = fc.oneof(
  fc.constant('failed' as const),
  fc.constant({ kind: 'found' as const, id: 'x' }),
  fc.boolean().map((conclusive) => ({ kind: 'absent' as const, conclusive })),
);
const runs = { numRuns: 3_000 };

describe('decideDelivery', () => {
  it('NOT-4: a row with notifiedAt is never sent, looked up or changed', () => {
    fc.assert(
      fc.property(anyFacts, date, anyPolicy, (facts, notifiedAt, policy) => {
        expect(decideDelivery({ ...facts, row: { ...facts.row, notifiedAt } }, policy)).toEqual({
          do: 'skip',
          why: 'notified',
        });
      }),
      runs,
    );
  });

  it('NOT-6: a row that may have been sent is sent again only inside a window or where the policy accepts a second copy', () => {
    fc.assert(
      fc.property(anyFacts, anyPolicy, (facts, policy) => {
        const { row, sender } = facts;
        const decision = decideDelivery(facts, policy);
        if (row.phase !== 'data' && row.notificationId === null) return;
        if (decision.do === 'send') {
          expect(decision.certain).toBe(false);
          expect(policy.ambiguity).toBe('resend');
        }
        if (decision.do === 'replay') {
          expect(row.provider).toBe('mine');
          const open = row.providerKeyExpiresAt !== null && row.providerKeyExpiresAt.getTime() > now;
          expect(sender.capabilities.idempotency === 'receiver' || open).toBe(true);
        }
        expect(decision.do).not.toBe('exhausted');
      }),
      runs,
    );
  });

  it('NOT-6: a row whose send never reached the data phase is sent without a look-up, until its attempts are spent', () => {
    fc.assert(
      fc.property(
        anyFacts,
        anyPolicy,
        fc.constantFrom('none' as const, 'envelope' as const),
        (facts, policy, phase) => {
          const row = { ...facts.row, phase, notificationId: null, notifiedAt: null, status: 'sending' as const };
          const allowed = row.lastFailure === null ? 4 * policy.maxAttempts : policy.maxAttempts;
          const expected = row.attempts > allowed ? { do: 'exhausted' } : { do: 'send', certain: true };
          expect(decideDelivery({ ...facts, row }, policy)).toEqual(expected);
        },
      ),
      runs,
    );
  });

  it('NOT-6: an id without notifiedAt is looked up first wherever the provider can tell', () => {
    fc.assert(
      fc.property(anyFacts, anyPolicy, (facts, policy) => {
        const row = {
          ...facts.row,
          status: 'sending' as const,
          notificationId: 'id',
          notifiedAt: null,
          dataAt: new Date(now),
        };
        const able = { ...facts.sender, capabilities: { ...facts.sender.capabilities, lookup: 'id' as const } };
        expect(decideDelivery({ ...facts, row, sender: able }, policy)).toEqual({ do: 'lookup' });
      }),
      runs,
    );
  });

  it('rows of a closed status are left alone', () => {
    fc.assert(
      fc.property(
        anyFacts,
        anyPolicy,
        fc.constantFrom('sent' as const, 'failed', 'unknown', 'cancelled'),
        (facts, policy, status) => {
          expect(decideDelivery({ ...facts, row: { ...facts.row, status } }, policy).do).toBe('skip');
        },
      ),
      runs,
    );
  });
});

describe('decideAfterLookup', () => {
  it('NOT-7: what was found is never sent again', () => {
    fc.assert(
      fc.property(anyFacts, anyPolicy, (facts, policy) => {
        expect(decideAfterLookup(facts, policy, { kind: 'found', id: 'x' })).toEqual({ do: 'recover', id: 'x' });
      }),
      runs,
    );
  });

  it('NOT-7: neither a failed look-up nor an absence that proves nothing ever sends', () => {
    fc.assert(
      fc.property(anyFacts, anyPolicy, (facts, policy) => {
        const row = { ...facts.row, provider: 'mine' };
        for (const found of ['failed', { kind: 'absent', conclusive: false }] as const) {
          const decision = decideAfterLookup({ ...facts, row }, policy, found);
          expect(decision.do).toBe('wait');
          if (decision.do === 'wait') expect(decision.delayMs).toBeGreaterThan(0);
        }
      }),
      runs,
    );
  });

  it('NOT-7: sends again, flagged, only after conclusive absence at the same provider; failed for good only then', () => {
    fc.assert(
      fc.property(anyFacts, anyPolicy, anyFound, (facts, policy, found) => {
        const decision = decideAfterLookup(facts, policy, found);
        const proven =
          found !== 'failed' && found.kind === 'absent' && found.conclusive && facts.row.provider === 'mine';
        // The server's own queue may lag longer than its settle time: no look-up proves that no copy exists.
        if (decision.do === 'send') expect(decision.certain).toBe(false);
        if (decision.do === 'resend') expect(proven).toBe(true);
        if (decision.do === 'exhausted') expect(proven).toBe(true);
        if (decision.do === 'send' && !decision.certain) expect(policy.ambiguity).toBe('resend');
      }),
      runs,
    );
  });
});
