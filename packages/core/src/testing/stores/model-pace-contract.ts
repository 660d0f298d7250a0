import assert from 'node:assert/strict';
import { isCriticizerError } from '../../foundation/errors.js';
import { systemClock } from '../../foundation/time/system-clock.js';
import { resolveSettings } from '../../settings/settings.js';
import { createSharedPace, type PacePlace, type SharedPace } from '../../stages/llm/pacing/shared-pace.js';
import type { Stores } from '../../stores/stores.js';
import { noTelemetry } from '../../telemetry/telemetry.js';
import { contractCases } from '../support/contract-cases.js';
import type { Runner } from '../support/runner.js';
import type { StoresHarness } from './stores-harness.js';

const provider = { id: 'house' };
const { signal } = new AbortController();
/** No place of a row counts any more once so much time has passed. */
const windowMs = 65_000;

/** One process's pace over the stores, which never waits: what has no place is refused at once. */
function openPace<Tx>(
  stores: Pick<Stores<Tx>, 'documents' | 'now'>,
  limits: { requests?: number | null; tokens?: number | null },
): SharedPace {
  const rateLimit = { perMinute: [{ provider: provider.id, ...limits }], maxWaitMs: 0 };
  return createSharedPace({
    settings: resolveSettings({ llm: { rateLimit } }).llm.rateLimit,
    waitsOutPauses: true,
    documents: stores.documents,
    storeNow: () => stores.now(),
    clock: systemClock,
    telemetry: noTelemetry,
  });
}

/** The places that so many processes get at once, each with so many requests; what is refused is left out. */
async function reserveAtOnce(paces: readonly SharedPace[], each: number, tokens = 1): Promise<readonly PacePlace[]> {
  const requests = paces.flatMap((pace) =>
    Array.from({ length: each }, async () => {
      try {
        return [await pace.reserve(provider, tokens, signal)];
      } catch (error) {
        if (isCriticizerError(error) && error.code === 'LLM_RATE_LIMITED') return [];
        throw error;
      }
    }),
  );
  return (await Promise.all(requests)).flat();
}

/** What a rate that all processes share needs of the stores. */
export function describeModelPaceContract<Tx>(runner: Runner, harness: StoresHarness<Tx>): void {
  runner.describe('Model pace contract', () => {
    const it = contractCases(runner, harness);

    it('ERR-3: processes together never take more places than a minute has', async ({ stores, clock, another }) => {
      const paces = [stores, another?.() ?? stores, stores].map((one) => openPace(one, { requests: 4 }));
      assert.equal((await reserveAtOnce(paces, 4)).length, 4);
      await clock.advance(59_000);
      assert.equal((await reserveAtOnce(paces, 1)).length, 0);
      await clock.advance(windowMs - 59_000);
      assert.equal((await reserveAtOnce(paces, 2)).length, 4);
    });

    it('ERR-3: tokens count as estimated until the reply says how many there were', async ({ stores }) => {
      const paces = [openPace(stores, { tokens: 1_000 }), openPace(stores, { tokens: 1_000 })];
      const [place, ...more] = await reserveAtOnce(paces, 2, 400);
      assert.equal(more.length, 1);
      await place?.settle(100);
      assert.equal((await reserveAtOnce(paces, 2, 400)).length, 1);
      // 900 are taken: what was not sent gives its place back.
      await more[0]?.release();
      assert.equal((await reserveAtOnce(paces, 1, 500)).length, 1);
    });

    it('ERR-3: what a vendor asks of one process holds the others back too', async ({ stores, clock, another }) => {
      const [one, other] = [openPace(stores, {}), openPace(another?.() ?? stores, {})];
      await one.pause(provider, 30_000);
      await other.pause(provider, 10_000); // the longer wish stands
      const paused = { code: 'RATE_LIMITED', parks: true, retryAfterMs: 20_000 };
      await clock.advance(10_000);
      await assert.rejects(other.reserve(provider, 1, signal), paused);
      await other.reserve({ id: 'another' }, 1, signal);
      await clock.advance(20_000);
      assert.equal((await reserveAtOnce([one, other], 1)).length, 2);
    });
  });
}
