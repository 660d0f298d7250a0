import assert from 'node:assert/strict';
import type { Clock } from '../../foundation/time/clock.js';
import type { Random } from '../../foundation/time/random.js';
import type { Runner } from '../support/runner.js';

/** What every Clock must do. `pass` lets `ms` go by: real waiting for a real clock, `advance` for a manual one. */
export function describeClockContract(
  { describe, it }: Runner,
  harness: { clock: Clock; pass(ms: number): Promise<void> },
): void {
  const { clock, pass } = harness;
  describe('Clock contract', () => {
    it('monotonicMs never falls and grows with time', async () => {
      const before = clock.monotonicMs();
      await pass(5);
      assert.ok(clock.monotonicMs() > before);
    });
    it('a sleep ends when its time has come, not before', async () => {
      const began = clock.monotonicMs();
      const slept = clock.sleep(20).then(() => clock.monotonicMs() - began);
      await pass(40);
      assert.ok((await slept) >= 19);
    });
    it('an aborted sleep rejects with the reason at once, before or during', async () => {
      const reason = new RangeError('enough');
      await assert.rejects(clock.sleep(1e9, AbortSignal.abort(reason)), reason);
      const controller = new AbortController();
      const sleeping = assert.rejects(clock.sleep(1e9, controller.signal), reason);
      controller.abort(reason);
      await sleeping;
    });
  });
}

/** What every Random must do. */
export function describeRandomContract({ describe, it }: Runner, random: Random): void {
  describe('Random contract', () => {
    it('next stays in [0, 1) and is not constant', () => {
      const draws = Array.from({ length: 1_000 }, () => random.next());
      assert.ok(draws.every((x) => x >= 0 && x < 1));
      assert.ok(new Set(draws).size > 900);
    });
    it('bytes has the length asked for and does not repeat', () => {
      assert.equal(random.bytes(33).length, 33);
      assert.notDeepEqual(random.bytes(16), random.bytes(16));
    });
    it('uuid is a version 4 UUID, new each time', () => {
      const made = Array.from({ length: 100 }, () => random.uuid());
      for (const uuid of made)
        assert.match(uuid, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
      assert.equal(new Set(made).size, 100);
    });
  });
}
