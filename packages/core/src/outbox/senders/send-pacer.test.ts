import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createManualClock } from '../../testing/support/manual-clock.js';
import { createSendPacer } from './send-pacer.js';

/**
 * Sends rows as a worker does: each is tried at its arrival and again whenever its wait is over.
 * Gives the instants by row.
 */
async function drain(maxPerMinute: number, arrivals: readonly number[]): Promise<number[]> {
  const clock = createManualClock();
  const pacer = createSendPacer({ maxPerMinute, clock });
  const startMs = clock.monotonicMs();
  const sent: number[] = [];
  const due = arrivals.map((atMs, row) => ({ row, atMs }));
  for (;;) {
    due.sort((a, b) => a.atMs - b.atMs || a.row - b.row);
    const next = due.shift();
    if (next === undefined) return sent;
    const elapsed = clock.monotonicMs() - startMs;
    if (next.atMs > elapsed) await clock.advance(next.atMs - elapsed);
    const waitMs = pacer.reserve(`row-${next.row}`);
    const nowMs = clock.monotonicMs() - startMs;
    if (waitMs === 0) sent[next.row] = nowMs;
    else due.push({ row: next.row, atMs: nowMs + waitMs });
  }
}

describe('createSendPacer', () => {
  it('NOT-9: sends at once what fits, and the rest of a backlog evenly, first come first served', async () => {
    const sent = await drain(
      4,
      Array.from({ length: 12 }, () => 0),
    );
    expect(sent.slice(0, 4)).toEqual([0, 0, 0, 0]);
    expect(sent.slice(4)).toEqual([60_000, 75_000, 90_000, 105_000, 120_000, 135_000, 150_000, 165_000]);
  });

  it('a new mail does not overtake those in line', async () => {
    const sent = await drain(1, [0, 0, 59_000, 60_000]);
    expect(sent).toEqual([0, 60_000, 120_000, 180_000]);
  });

  it('NOT-9: never sends more than the limit in any 60 seconds, and leaves nobody behind', async () => {
    const limit = fc.integer({ min: 1, max: 7 });
    const arrivals = fc.array(fc.integer({ min: 0, max: 300_000 }), { minLength: 1, maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(limit, arrivals, async (maxPerMinute, at) => {
        const sent = await drain(maxPerMinute, at);
        expect(sent.filter((ms) => ms !== undefined)).toHaveLength(at.length);
        const sorted = [...sent].sort((a, b) => a - b);
        for (let n = maxPerMinute; n < sorted.length; n++)
          expect((sorted[n] ?? 0) - (sorted[n - maxPerMinute] ?? 0)).toBeGreaterThanOrEqual(60_000);
      }),
      { numRuns: 200 },
    );
  });

  it('drops the place of a row that never came back', async () => {
    const clock = createManualClock();
    const pacer = createSendPacer({ maxPerMinute: 1, clock });
    expect([pacer.reserve('a'), pacer.reserve('b'), pacer.reserve('c')]).toEqual([0, 60_000, 120_000]);
    await clock.advance(3_600_000);
    expect([pacer.reserve('d'), pacer.reserve('c')]).toEqual([0, 60_000]);
  });

  it.each([0, 1.5, -1, Number.NaN, 100_001])('refuses %j', (maxPerMinute) => {
    expect(() => createSendPacer({ maxPerMinute, clock: createManualClock() })).toThrow(TypeError);
  });
});
