import { describe, expect, it } from 'vitest';
import { isCriticizerError } from '../../foundation/errors.js';
import { silentLogger } from '../../telemetry/logger.js';
import { createMemoryTelemetry } from '../../telemetry/memory-telemetry.js';
import { metric } from '../../telemetry/names.js';
import { createManualClock } from '../../testing/support/manual-clock.js';
import { createSeededRandom } from '../../testing/support/seeded-random.js';
import { createLeaseLoop } from './lease-loop.js';
import type { LeaseSource } from './lease-source.js';
import type { Hold } from './slots.js';

interface Work {
  id: number;
}

/** A scripted source: hands out what is queued, answers heartbeats as told. */
interface Script {
  concurrency?: number;
  handle?: (work: Work, signal: AbortSignal, hold: Hold) => Promise<void>;
  claim?: (limit: number) => Promise<Work[]>;
  hangBeats?: boolean;
  hangUnsubscribe?: boolean;
  prefetch?: number;
  failSubscribe?: () => boolean;
  nextLeaseMs?: () => number;
}

function harness(options: Script = {}) {
  const clock = createManualClock();
  const queued: Work[] = [];
  const claims: { at: number; limit: number; token: string; leaseMs: number }[] = [];
  const asked: number[] = [];
  const beats: number[] = [];
  const beaten: number[][] = [];
  const lost = new Set<number>();
  const subscriptions = { begun: 0, ended: 0 };
  let failBeats = false;
  let answerBeats: Promise<void> = Promise.resolve();
  const telemetry = createMemoryTelemetry();
  let hint: (() => void) | undefined;
  const source: LeaseSource<Work> = {
    async claim({ limit, token, leaseMs }) {
      claims.push({ at: clock.nowMs(), limit, token, leaseMs });
      if (options.claim !== undefined) return options.claim(limit);
      return queued.splice(0, limit);
    },
    async heartbeat(work, leaseMs) {
      asked.push(leaseMs);
      beats.push(work.length);
      beaten.push(work.map(({ id }) => id));
      if (options.hangBeats === true) return new Promise(() => undefined);
      if (failBeats) throw new Error('store down');
      await answerBeats;
      return work.map((w) => (lost.has(w.id) ? 'lease-lost' : 'renewed'));
    },
    async subscribe(listener) {
      if (options.failSubscribe?.() === true) throw new Error('store down');
      hint = listener;
      subscriptions.begun++;
      return async () => {
        if (options.hangUnsubscribe === true) return new Promise(() => undefined);
        subscriptions.ended++;
      };
    },
  };
  const handled: { id: number; reason?: string | undefined }[] = [];
  const release: (() => void)[] = [];
  const handle =
    options.handle ??
    ((work: Work, signal: AbortSignal): Promise<void> =>
      new Promise((resolve) => {
        release.push(() => {
          handled.push({ id: work.id });
          resolve();
        });
        const onAbort = (): void => {
          handled.push({ id: work.id, reason: isCriticizerError(signal.reason) ? signal.reason.code : 'other' });
          resolve();
        };
        if (signal.aborted) onAbort();
        else signal.addEventListener('abort', onAbort);
      }));
  const loop = createLeaseLoop<Work>({
    name: 'test',
    source,
    handle: (work, hold) => handle(work, hold.signal, hold),
    concurrency: options.concurrency ?? 2,
    prefetch: options.prefetch,
    leaseMs: 30_000,
    nextLeaseMs: options.nextLeaseMs,
    poll: { minMs: 100, maxMs: 1_000 },
    clock,
    random: createSeededRandom(1),
    logger: silentLogger,
    telemetry,
  });
  return {
    clock,
    queued,
    claims,
    beats,
    asked,
    beaten,
    lost,
    loop,
    handled,
    release,
    subscriptions,
    wakeUp: () => hint?.(),
    breakBeats: () => (failBeats = true),
    /** Heartbeats answer once the function given is called. */
    holdBeats() {
      let answer: () => void = () => undefined;
      answerBeats = new Promise((resolve) => {
        answer = resolve;
      });
      return answer;
    },
    lateBeats: () => telemetry.measurements.filter(({ name }) => name === metric.beatLate).length,
  };
}

describe('lease loop', () => {
  it('WQ-11: an empty claim backs off, doubling with jitter up to the cap', async () => {
    const t = harness();
    await t.loop.start();
    await t.clock.advance(10_000);
    const gaps = t.claims.slice(1).map((c, i) => c.at - (t.claims[i]?.at ?? 0));
    expect(gaps[0]).toBeLessThanOrEqual(100);
    expect(Math.max(...gaps)).toBeLessThanOrEqual(1_000);
    expect(gaps.at(-1)).toBeGreaterThanOrEqual(500);
    expect(t.claims.length).toBeLessThan(30);
    await t.loop.stop();
  });

  it('never holds more work than its concurrency, and claims again as soon as a slot is free', async () => {
    const t = harness({ concurrency: 2 });
    t.queued.push({ id: 1 }, { id: 2 }, { id: 3 });
    await t.loop.start();
    await t.clock.advance(1);
    expect(t.loop.running()).toBe(2);
    expect(t.claims.every((c) => c.limit <= 2)).toBe(true);
    t.release[0]?.();
    await t.clock.advance(1);
    expect(t.loop.running()).toBe(2);
    for (const finish of t.release.slice(1)) finish();
    await t.loop.stop();
    expect(t.handled.map((h) => h.id).sort()).toEqual([1, 2, 3]);
  });

  it('does not spin while all slots are taken', async () => {
    const t = harness({ concurrency: 1 });
    t.queued.push({ id: 1 });
    await t.loop.start();
    await t.clock.advance(1);
    t.wakeUp();
    t.wakeUp();
    await t.clock.advance(5_000);
    expect(t.claims.length).toBe(1);
    t.release[0]?.();
    await t.loop.stop();
  });

  it('a wake-up ends the sleep at once, also one that comes during a claim', async () => {
    const t = harness();
    await t.loop.start();
    await t.clock.advance(5_000);
    const before = t.claims.length;
    t.queued.push({ id: 1 });
    t.wakeUp();
    await t.clock.advance(0);
    expect(t.claims.length).toBeGreaterThan(before);
    expect(t.loop.running()).toBe(1);
    t.release[0]?.();
    await t.loop.stop();
  });

  it('WQ-5: beats every third of a lease while work runs', async () => {
    const t = harness();
    t.queued.push({ id: 1 });
    await t.loop.start();
    await t.clock.advance(60_000);
    expect(t.beats).toEqual([1, 1, 1, 1, 1, 1]);
    t.release[0]?.();
    await t.loop.stop();
  });

  it('AUD-14: a measured lease is asked for at each claim and beat, which keep the pace of the shortest', async () => {
    let nextLeaseMs = 90_000;
    const t = harness({ concurrency: 1, hangBeats: true, nextLeaseMs: () => nextLeaseMs });
    t.queued.push({ id: 1 });
    await t.loop.start();
    await t.clock.advance(1);
    nextLeaseMs = 1_000; // below the shortest
    await t.clock.advance(60_000);
    expect([t.claims[0]?.leaseMs, t.asked[0], t.beats.length]).toEqual([90_000, 30_000, 6]);
    expect(t.handled).toEqual([]); // its lease of 90 s still runs, proven or not
    await t.clock.advance(30_000);
    expect(t.handled).toEqual([{ id: 1, reason: 'LEASE_LOST' }]);
    await t.loop.stop();
  });

  it('WQ-6: a lost lease aborts that handler alone, with LEASE_LOST', async () => {
    const t = harness();
    t.queued.push({ id: 1 }, { id: 2 });
    t.lost.add(1);
    await t.loop.start();
    await t.clock.advance(10_001);
    expect(t.handled).toEqual([{ id: 1, reason: 'LEASE_LOST' }]);
    expect(t.loop.running()).toBe(1);
    t.release[1]?.();
    await t.loop.stop();
  });

  it('WQ-6: ownership that cannot be proven for a whole lease is given up', async () => {
    const t = harness();
    t.queued.push({ id: 1 });
    await t.loop.start();
    t.breakBeats();
    await t.clock.advance(29_000);
    expect(t.handled).toEqual([]);
    await t.clock.advance(2_000);
    expect(t.handled).toEqual([{ id: 1, reason: 'LEASE_LOST' }]);
    await t.loop.stop();
  });

  it('every claim has a token of its own', async () => {
    const t = harness();
    await t.loop.start();
    await t.clock.advance(3_000);
    expect(new Set(t.claims.map((c) => c.token)).size).toBe(t.claims.length);
    await t.loop.stop();
  });

  it('stop claims nothing more, keeps beating while work drains, and aborts with SHUTDOWN after the grace', async () => {
    const t = harness();
    t.queued.push({ id: 1 });
    await t.loop.start();
    await t.clock.advance(1);
    const claims = t.claims.length;
    const stopped = t.loop.stop({ graceMs: 25_000 });
    await t.clock.advance(24_000);
    expect(t.beats.length).toBe(2);
    expect(t.handled).toEqual([]);
    await t.clock.advance(2_000);
    await stopped;
    expect(t.handled).toEqual([{ id: 1, reason: 'SHUTDOWN' }]);
    expect(t.claims.length).toBe(claims);
  });

  it('WQ-6: a heartbeat that never answers is no proof: the handler is aborted when its lease is over', async () => {
    const t = harness({ hangBeats: true });
    t.queued.push({ id: 1 });
    await t.loop.start();
    await t.clock.advance(29_999);
    expect(t.handled).toEqual([]);
    await t.clock.advance(2);
    expect(t.handled).toEqual([{ id: 1, reason: 'LEASE_LOST' }]);
    await t.loop.stop();
  });

  it('work claimed while stopping is handed over aborted, and stop waits for it', async () => {
    let answer: (work: Work[]) => void = () => undefined;
    const t = harness({
      claim: () =>
        new Promise((resolve) => {
          answer = resolve;
        }),
    });
    await t.loop.start();
    const stopped = t.loop.stop({ graceMs: 1_000 });
    let over = false;
    void stopped.then(() => {
      over = true;
    });
    await t.clock.advance(10);
    expect(over).toBe(false);
    answer([{ id: 1 }]);
    await stopped;
    expect(t.handled).toEqual([{ id: 1, reason: 'SHUTDOWN' }]);
    expect(t.loop.running()).toBe(0);
  });

  it('stop does not wait for a subscription that will not end before it aborts what runs', async () => {
    const t = harness({ hangUnsubscribe: true });
    t.queued.push({ id: 1 });
    await t.loop.start();
    await t.clock.advance(1);
    const stopped = t.loop.stop({ graceMs: 1_000 });
    await t.clock.advance(1_001);
    expect(t.handled).toEqual([{ id: 1, reason: 'SHUTDOWN' }]);
    await t.clock.advance(5_000);
    await stopped;
  });

  it('WQ-6: work that a claim of a whole lease brought is not begun: it may be another’s by now', async () => {
    let claims = 0;
    const t = harness({
      claim: async () => {
        if (claims++ > 0) return [];
        await t.clock.sleep(30_000);
        return [{ id: 1 }];
      },
    });
    await t.loop.start();
    await t.clock.advance(30_000);
    expect(t.handled).toEqual([{ id: 1, reason: 'LEASE_LOST' }]);
    await t.loop.stop();
  });

  it('a little prefetch leaves no slot idle while work waits', async () => {
    const t = harness({ concurrency: 16, prefetch: 4 });
    for (let id = 1; id <= 40; id++) t.queued.push({ id });
    await t.loop.start();
    await t.clock.advance(1);
    expect(t.loop.running()).toBe(20);
    for (const finish of t.release) finish();
    const stopped = t.loop.stop({ graceMs: 0 });
    await t.clock.advance(1);
    await stopped;
  });

  it('WQ-5: work that waits for a slot is kept up as long as it waits, and begins with a lease of its own', async () => {
    const t = harness({ concurrency: 1, prefetch: 4 });
    for (let id = 1; id <= 5; id++) t.queued.push({ id });
    await t.loop.start();
    await t.clock.advance(60_000); // two leases
    expect(t.beaten).toEqual(Array.from({ length: 6 }, () => [1, 2, 3, 4, 5]));
    expect([t.handled, t.release.length]).toEqual([[], 1]);
    for (let n = 0; n < 5; n++) {
      t.release[n]?.();
      await t.clock.advance(0);
    }
    expect(t.handled).toEqual([1, 2, 3, 4, 5].map((id) => ({ id })));
    await t.loop.stop();
  });

  it('WQ-6: work whose lease is lost while it waits never begins', async () => {
    const t = harness({ concurrency: 1, prefetch: 2 });
    for (let id = 1; id <= 3; id++) t.queued.push({ id });
    t.lost.add(2);
    await t.loop.start();
    await t.clock.advance(10_000);
    expect([t.loop.running(), t.handled]).toEqual([2, []]);
    for (let n = 0; n < 2; n++) {
      t.release[n]?.();
      await t.clock.advance(0);
    }
    expect(t.handled).toEqual([{ id: 1 }, { id: 3 }]);
    await t.loop.stop();
  });

  it.each([
    [3, 5],
    [1, 1],
    [4, 1],
    [2, 0],
  ])(
    'WQ-5: with %i at a time and %i beyond them no more leases than these are ever asked for',
    async (concurrency, prefetch) => {
      let id = 0;
      let most = 0;
      const t = harness({
        concurrency,
        prefetch,
        claim: async (limit) => {
          most = Math.max(most, id - t.handled.length + limit);
          return Array.from({ length: limit }, () => ({ id: ++id }));
        },
      });
      await t.loop.start();
      for (let n = 0; n < 40; n++) {
        await t.clock.advance(1);
        t.release[n]?.();
      }
      expect([t.handled.length, most]).toEqual([40, concurrency + prefetch]);
      const stopped = t.loop.stop({ graceMs: 0 });
      await t.clock.advance(1);
      await stopped;
    },
  );

  it('WQ-5: a store that is slow to settle is not flooded: beyond so many settlements under way nothing is claimed', async () => {
    let id = 0;
    const settle: (() => void)[] = [];
    const t = harness({
      concurrency: 2,
      prefetch: 2,
      claim: async (limit) => Array.from({ length: limit }, () => ({ id: ++id })),
      handle: async (_work, _signal, hold) => {
        hold.free();
        await new Promise<void>((resolve) => settle.push(resolve));
      },
    });
    await t.loop.start();
    await t.clock.advance(60_000);
    const claimed = id;
    expect(claimed).toBeGreaterThan(32);
    expect(claimed).toBeLessThanOrEqual(32 + 4);
    for (const done of settle.splice(0)) done();
    await t.clock.advance(1);
    expect(id).toBeGreaterThan(claimed);
    const stopped = t.loop.stop();
    for (const done of settle.splice(0)) done();
    await t.clock.advance(1);
    await stopped;
  });

  it('WQ-12: a stop hands over what waits at once, aborted, and leaves what runs its grace', async () => {
    const t = harness({ concurrency: 1, prefetch: 2 });
    for (let id = 1; id <= 3; id++) t.queued.push({ id });
    await t.loop.start();
    await t.clock.advance(1);
    const stopped = t.loop.stop({ graceMs: 1_000 });
    expect(t.handled).toEqual([2, 3].map((id) => ({ id, reason: 'SHUTDOWN' })));
    await t.clock.advance(999);
    expect(t.loop.running()).toBe(1);
    t.release[0]?.();
    await stopped;
    expect(t.handled.at(-1)).toEqual({ id: 1 });
  });

  it('stop does not hang on a handler that ignores its signal', async () => {
    const t = harness({ handle: () => new Promise(() => undefined) });
    t.queued.push({ id: 1 });
    await t.loop.start();
    await t.clock.advance(1);
    const stopped = t.loop.stop({ graceMs: 1_000 });
    await t.clock.advance(6_001);
    await stopped;
    expect(t.loop.running()).toBe(1);
  });

  it('starts once however often it is asked, and ends its subscription when stopped while starting', async () => {
    const t = harness({ concurrency: 1 });
    t.queued.push({ id: 1 }, { id: 2 });
    await Promise.all([t.loop.start(), t.loop.start()]);
    await t.clock.advance(1);
    expect(t.loop.running()).toBe(1);
    expect(t.subscriptions.begun).toBe(1);
    for (const finish of t.release) finish();
    await t.loop.stop();
    const early = harness();
    await Promise.all([early.loop.start(), early.loop.stop()]);
    expect(early.subscriptions).toEqual({ begun: 1, ended: 1 });
    expect(early.claims).toEqual([]);
  });

  it('starts again where a start failed', async () => {
    let isDown = true;
    const t = harness({ failSubscribe: () => isDown });
    await expect(t.loop.start()).rejects.toThrow('store down');
    await t.clock.advance(1_000);
    expect(t.claims).toEqual([]);
    isDown = false;
    await t.loop.start();
    await t.clock.advance(1);
    expect(t.claims).toHaveLength(1);
    await t.loop.stop();
  });

  it('WQ-5: a process whose beat comes more than half a lease late claims nothing until a beat has succeeded', async () => {
    const t = harness();
    t.queued.push({ id: 1 });
    await t.loop.start();
    await t.clock.advance(1);
    const answer = t.holdBeats();
    const claims = t.claims.length;
    t.queued.push({ id: 2 });
    t.clock.freeze(25_001); // the beat was due at 10 s, the claim long before
    t.wakeUp();
    await t.clock.advance(3_000);
    expect([t.lateBeats(), t.beats, t.claims.length]).toEqual([1, [1], claims]);
    answer();
    await t.clock.advance(0);
    expect([t.claims.length, t.loop.running()]).toEqual([claims + 1, 2]);
    expect(t.handled).toEqual([]); // the lease was renewed in time
    for (const finish of t.release) finish();
    await t.loop.stop();
  });

  it('WQ-5: a beat that is less than half a lease late holds nothing up', async () => {
    const t = harness();
    t.queued.push({ id: 1 });
    await t.loop.start();
    await t.clock.advance(1);
    t.holdBeats();
    t.queued.push({ id: 2 });
    t.clock.freeze(24_998);
    await t.clock.advance(0);
    expect([t.lateBeats(), t.loop.running()]).toEqual([0, 2]);
    for (const finish of t.release) finish();
    await t.loop.stop();
  });

  it('WQ-9: a frozen process that held nothing, or lost what it held, claims again as soon as it wakes', async () => {
    const idle = harness();
    await idle.loop.start();
    await idle.clock.advance(1);
    idle.queued.push({ id: 1 });
    idle.clock.freeze(600_000);
    await idle.clock.advance(0);
    expect([idle.lateBeats(), idle.loop.running()]).toEqual([1, 1]);
    idle.release[0]?.();
    await idle.loop.stop();
    const busy = harness({ hangBeats: true });
    busy.queued.push({ id: 1 });
    await busy.loop.start();
    await busy.clock.advance(10_000); // a beat is under way and hangs
    busy.queued.push({ id: 2 });
    busy.clock.freeze(600_000);
    await busy.clock.advance(0);
    expect(busy.handled).toEqual([{ id: 1, reason: 'LEASE_LOST' }]);
    expect(busy.loop.running()).toBe(1);
    busy.release[1]?.();
    await busy.loop.stop();
  });
});
