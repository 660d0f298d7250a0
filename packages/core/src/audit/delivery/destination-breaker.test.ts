import { describe, expect, it } from 'vitest';
import { createManualClock } from '../../testing/support/manual-clock.js';
import type { SinkAnswer, SinkFailure } from '../sinks/audit-sink.js';
import { createDestinationBreaker } from './destination-breaker.js';

const policy = { outageAfter: 3, parkMs: 60_000, drainPerSecond: 10 };

function retry(
  code = 'UPSTREAM_ERROR',
  about: SinkFailure['about'] = 'destination',
  retryAfterMs?: number,
): SinkAnswer {
  return { kind: 'retry', failure: { code, message: 'no', about }, retryAfterMs };
}
const denied: SinkAnswer = { kind: 'confirm', failure: { code: 'AUTH_DENIED', message: 'no', about: 'destination' } };
const delivered: SinkAnswer = { kind: 'delivered' };

function make(over: Partial<Parameters<typeof createDestinationBreaker>[0]> = {}) {
  const clock = createManualClock();
  return { clock, breaker: createDestinationBreaker({ ...policy, ...over }, { clock, probeMs: 20_000 }) };
}

describe('the breaker of a destination', () => {
  it('R9: opens after failures in a row, at once where nobody answers or the credential is refused', () => {
    const { breaker } = make();
    expect([breaker.observe(retry()), breaker.observe(retry()), breaker.observe(delivered)]).toEqual(
      Array(3).fill('present'),
    );
    expect([retry(), retry(), retry()].map(breaker.observe)).toEqual(['present', 'present', 'out']);
    expect(breaker.admit(10)).toBe(0);
    expect(make().breaker.observe(retry('NETWORK_REFUSED'))).toBe('out');
    expect(make().breaker.observe(denied)).toBe('out');
  });

  it('R9: a failure of the event says that the destination is there', () => {
    const { breaker } = make();
    for (let n = 0; n < 10; n++) expect(breaker.observe(retry('HTTP_TOO_LARGE', 'event'))).toBe('present');
    expect(breaker.admit(10)).toBe(10);
  });

  it('R9: one probe at a time, its pauses double to parkMs, and Retry-After is waited for', async () => {
    const { breaker, clock } = make();
    breaker.observe(retry('NETWORK_REFUSED'));
    for (const pauseMs of [5_000, 10_000, 20_000, 40_000, 60_000, 60_000]) {
      await clock.advance(pauseMs - 1);
      expect(breaker.admit(10)).toBe(0);
      await clock.advance(1);
      expect([breaker.admit(10), breaker.admit(10)]).toEqual([1, 0]);
      breaker.claimed(1);
      expect(breaker.observe(retry())).toBe('out');
    }
    await clock.advance(60_000);
    expect(breaker.admit(10)).toBe(1);
    breaker.claimed(1);
    breaker.observe(retry('RATE_LIMITED', 'destination', 600_000));
    await clock.advance(599_999);
    expect(breaker.admit(10)).toBe(0);
    await clock.advance(1);
    expect(breaker.admit(10)).toBe(1);
  });

  it('R9: what was under way when the outage began does not put the probe off', async () => {
    const { breaker, clock } = make();
    for (let n = 0; n < 8; n++) breaker.observe(retry('NETWORK_REFUSED'));
    await clock.advance(5_000);
    expect(breaker.admit(10)).toBe(1);
  });

  it('R9: a probe that finds nothing due, or whose worker died, gives way to the next', async () => {
    const { breaker, clock } = make();
    breaker.observe(retry('NETWORK_REFUSED'));
    await clock.advance(5_000);
    expect(breaker.admit(10)).toBe(1);
    breaker.claimed(0);
    expect(breaker.admit(10)).toBe(1);
    breaker.claimed(1);
    expect(breaker.admit(10)).toBe(0);
    await clock.advance(20_000);
    expect(breaker.admit(10)).toBe(1);
  });

  it('R9: after an outage the backlog leaves at its pace, until it is gone', async () => {
    const { breaker, clock } = make();
    breaker.observe(retry('NETWORK_REFUSED'));
    await clock.advance(5_000);
    breaker.admit(10);
    breaker.claimed(1);
    expect(breaker.observe(delivered)).toBe('recovered');
    expect(breaker.admit(100)).toBe(0);
    let left = 0;
    for (let tick = 0; tick < 100; tick++) {
      await clock.advance(100);
      const taken = breaker.admit(100);
      breaker.claimed(taken);
      left += taken;
    }
    expect(left).toBe(100); // 10 s at 10 a second
    await clock.advance(60_000);
    expect(breaker.admit(100)).toBe(10); // a quiet minute saves up no more than a second's worth
    breaker.claimed(3);
    expect(breaker.admit(100)).toBe(100);
  });

  it('R9: turned off it never holds anything up', () => {
    const { breaker } = make({ outageAfter: null });
    for (let n = 0; n < 20; n++) expect(breaker.observe(retry('NETWORK_REFUSED'))).toBe('present');
    expect(breaker.admit(10)).toBe(10);
  });
});
