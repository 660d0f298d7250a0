import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createMemoryStores } from '../memory/memory-stores.js';
import { newOutboxRow } from '../testing/stores/sample-rows.js';
import type { AttemptResult } from './deliver-attempt.js';
import { defaultDeliverySettings, settlementFor } from './deliver-settlement.js';

const hourMs = 3_600_000;
const capabilities = { idempotency: 'none', lookup: 'key', settleMs: 1_000, retentionMs: 10_000 } as const;

describe('settlementFor', () => {
  it('NOT-9: no server, whatever it asks for, is left alone for longer than an hour', async () => {
    const added = await createMemoryStores().outbox.add([newOutboxRow()]);
    const [{ row } = { row: null }] = added;
    if (row === null) throw new TypeError('the row was added');
    const failure = { scope: 'transport', code: 'X', category: 'rate_limit', message: 'x' } as const;
    const answers = (retryAfterMs: number): AttemptResult[] => [
      { kind: 'not-sent', code: 'X', retryAfterMs },
      { kind: 'ambiguous', failure, retryAfterMs },
      { kind: 'rejected', failure, permanent: false, retryAfterMs },
      { kind: 'rejected', failure: { ...failure, scope: 'recipient' }, permanent: false, retryAfterMs },
    ];
    fc.assert(
      fc.property(fc.oneof(fc.nat(), fc.constant(Number.MAX_SAFE_INTEGER)), fc.nat({ max: 3 }), (retryAfterMs, at) => {
        const result = answers(retryAfterMs)[at];
        if (result === undefined || result.kind === 'lease-lost') return;
        const facts = { row, sender: { id: 'mine', capabilities }, how: 'certain' as const };
        const settled = settlementFor(facts, result, defaultDeliverySettings);
        const delayMs = 'delayMs' in settled ? settled.delayMs : Number.NaN;
        expect(delayMs).toBeLessThanOrEqual(hourMs);
        expect(delayMs).toBeGreaterThanOrEqual(Math.min(retryAfterMs, hourMs));
      }),
    );
  });
});
