import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addToSlot, pauseUntil, type RateState, readRateState, takePlace } from './rate-window.js';

const empty: RateState = { slots: [], pausedUntilMs: 0 };

describe('takePlace', () => {
  it('ERR-3: whatever comes when, no 60 seconds hold more requests or tokens than the limits', () => {
    const arrivals = fc.array(
      fc.record({ afterMs: fc.integer({ min: 0, max: 20_000 }), tokens: fc.integer({ min: 1, max: 600 }) }),
      { maxLength: 60 },
    );
    fc.assert(
      fc.property(arrivals, fc.integer({ min: 1, max: 9 }), (list, requests) => {
        let state = empty;
        let nowMs = 1_000_000;
        const sent: { atMs: number; tokens: number }[] = [];
        for (const { afterMs, tokens } of list) {
          nowMs += afterMs;
          for (;;) {
            const decision = takePlace(state, { requests, tokens: 1_000 }, tokens, nowMs);
            if (decision.kind === 'taken') {
              state = decision.state;
              break;
            }
            // The wait that is asked for is enough, and not nothing.
            expect(decision.waitMs).toBeGreaterThan(0);
            nowMs += decision.waitMs;
          }
          sent.push({ atMs: nowMs, tokens });
          const recent = sent.filter(({ atMs }) => atMs > nowMs - 60_000);
          expect(recent.length).toBeLessThanOrEqual(requests);
          expect(recent.reduce((sum, one) => sum + one.tokens, 0)).toBeLessThanOrEqual(1_000);
        }
        expect(state.slots.length).toBeLessThanOrEqual(14);
      }),
    );
  });

  it('a request that is larger than the limit of tokens goes in a window of its own', () => {
    const limits = { requests: null, tokens: 100 };
    const first = takePlace(empty, limits, 5_000, 0);
    expect(first.kind).toBe('taken');
    const state = first.kind === 'taken' ? first.state : empty;
    expect(takePlace(state, limits, 1, 5_000)).toEqual({ kind: 'wait', reason: 'tokens', waitMs: 60_000 });
    expect(takePlace(state, limits, 5_000, 65_000).kind).toBe('taken');
  });

  it('waits out a pause; a shorter wish does not end a longer one', () => {
    const state = pauseUntil(pauseUntil(empty, 9_000), 4_000);
    const unlimited = { requests: null, tokens: null };
    expect(takePlace(state, unlimited, 1, 5_000)).toEqual({ kind: 'wait', reason: 'paused', waitMs: 4_000 });
    expect(takePlace(state, unlimited, 1, 9_000).kind).toBe('taken');
  });

  it('counts what was sent before the store’s clock was set back', () => {
    const taken = takePlace(empty, { requests: 1, tokens: null }, 1, 100_000);
    const state = taken.kind === 'taken' ? taken.state : empty;
    expect(takePlace(state, { requests: 1, tokens: null }, 1, 90_000).kind).toBe('wait');
  });

  it('never counts below nothing, and reads a row that nobody can read as empty', () => {
    const state = addToSlot(empty, 0, { requests: -3, tokens: -5 });
    expect(state.slots).toEqual([{ startMs: 0, requests: 0, tokens: 0 }]);
    expect(readRateState(null)).toEqual(empty);
    expect(readRateState({ slots: 'none' })).toEqual(empty);
    expect(readRateState(JSON.parse(JSON.stringify(state)))).toEqual(state);
  });
});
