import { defaultBackoff } from '@criticizer/core/queue';
import { createManualClock, createSeededRandom } from '@criticizer/core/testing';
import { describe, expect, it } from 'vitest';
import { createPolling } from './polling.js';

/** Polls under a manual clock; `fails` says of the n-th poll whether it fails. Gives the instants of the polls. */
function polling(fails: (poll: number) => boolean, next: () => number = createSeededRandom(7).next) {
  const clock = createManualClock(0);
  const stopping = new AbortController();
  const at: number[] = [];
  const failures: unknown[] = [];
  const good: number[] = [];
  const loop = createPolling({
    async poll() {
      at.push(clock.nowMs());
      if (fails(at.length)) throw new Error(`poll ${at.length}`);
    },
    pollMs: () => 30_000,
    backoff: defaultBackoff,
    onFailure: (error) => void failures.push(error),
    onSuccess: () => void good.push(at.length),
    clock,
    random: { ...createSeededRandom(7), next },
    stopping: stopping.signal,
  });
  loop.start();
  const pauses = () => at.slice(1).map((instant, i) => instant - (at[i] ?? 0));
  return { clock, stopping, loop, at, failures, good, pauses };
}

describe('polling', () => {
  it('ERR-2: failures in a row back off with full jitter up to a minute, and a poll that goes well ends that', async () => {
    const { clock, stopping, loop, failures, pauses } = polling(
      (poll) => poll <= 9,
      () => 0.999999,
    );
    await clock.advance(400_000);
    stopping.abort();
    await loop.ended();
    expect(failures).toHaveLength(9);
    expect(pauses().slice(0, 9)).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000, 60_000]);
    expect(pauses()[9]).toBeCloseTo(33_000, 0);
    const lucky = polling(
      (poll) => poll <= 50,
      () => 0,
    );
    await lucky.clock.advance(1);
    expect(lucky.at.length).toBeGreaterThan(50); // no jitter at all: at once
    lucky.stopping.abort();
    await lucky.loop.ended();
  });

  it('reports each poll that went well, and no other', async () => {
    const { clock, stopping, loop, at, good } = polling((poll) => poll === 2);
    await clock.advance(90_000);
    stopping.abort();
    await loop.ended();
    expect(at.length).toBeGreaterThan(3);
    expect(good).toEqual(at.map((_, i) => i + 1).filter((poll) => poll !== 2));
  });

  it('stops in a pause at once and starts once', async () => {
    const { clock, stopping, loop, at } = polling(() => false);
    loop.start();
    await clock.advance(0);
    expect([at.length, clock.sleepers()]).toEqual([1, 1]);
    stopping.abort();
    await loop.ended();
    loop.start();
    await clock.advance(60_000);
    expect([at.length, clock.sleepers()]).toEqual([1, 0]);
  });
});
