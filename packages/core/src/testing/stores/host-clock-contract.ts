import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { contractCases } from '../support/contract-cases.js';
import type { Runner } from '../support/runner.js';
import { auditClaim, claimedDelivery, recorded } from './audit/audit-samples.js';
import {
  claimedRow,
  claimRequest,
  enqueued,
  leaseMs,
  newArtifact,
  newOutboxRow,
  outboxClaim,
  running,
  sentRow,
} from './sample-rows.js';
import type { StoresHarness, StoresUnderTest } from './stores-harness.js';

/** Stores without a clock of their own, whose time comes from the host's. */
export interface HostClockStoresUnderTest<Tx> extends StoresUnderTest<Tx> {
  clock: StoresUnderTest<Tx>['clock'] & {
    /** Sets the host's wall clock forward, or back where `ms` is negative; no time passes. */
    step(ms: number): void;
  };
}

/** Makes stores whose clock is the host's, so that cases can set it. */
export interface HostClockStoresHarness<Tx> extends StoresHarness<Tx> {
  create(): Promise<HostClockStoresUnderTest<Tx>>;
}

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** How many rows another would get now. */
type Others = () => Promise<number>;

async function leasedJob<Tx>({ stores }: HostClockStoresUnderTest<Tx>): Promise<Others> {
  await running(stores);
  return async () => (await stores.jobs.claim(claimRequest())).length;
}

async function leasedMail<Tx>({ stores }: HostClockStoresUnderTest<Tx>): Promise<Others> {
  await stores.outbox.add([newOutboxRow()]);
  await claimedRow(stores);
  return async () => (await stores.outbox.claim(outboxClaim())).length;
}

async function mailUnderLookUp<Tx>({ stores, clock }: HostClockStoresUnderTest<Tx>): Promise<Others> {
  const lookUp = { purpose: { reconcile: { olderThanMs: minuteMs } } } as const;
  await sentRow(stores);
  await clock.advance(minuteMs + 1);
  await claimedRow(stores, lookUp);
  return async () => (await stores.outbox.claim(outboxClaim(lookUp))).length;
}

async function leasedDelivery<Tx>({ stores }: HostClockStoresUnderTest<Tx>): Promise<Others> {
  await recorded(stores);
  await claimedDelivery(stores);
  return async () => (await stores.audit.claim(auditClaim())).length;
}

/** How many artifacts a sweeper gets now; none as orphans. */
async function swept<Tx>({ stores }: HostClockStoresUnderTest<Tx>): Promise<number> {
  const claim = { owner: 'sweeper', token: randomUUID(), leaseMs, limit: 10, orphanMs: 30 * dayMs };
  return (await stores.artifactManifest.claimExpired(claim)).length;
}

async function sweptArtifact<Tx>(given: HostClockStoresUnderTest<Tx>): Promise<Others> {
  await given.stores.artifactManifest.reserve([newArtifact({ ttlMs: 1_000 })]);
  await given.clock.advance(1_000);
  assert.equal(await swept(given), 1);
  return () => swept(given);
}

const leases = [
  ['a job', leasedJob],
  ['a mail', leasedMail],
  ['a mail that is looked up', mailUnderLookUp],
  ['an audit delivery', leasedDelivery],
  ['an expired artifact', sweptArtifact],
] as const;

/**
 * For stores that have the host's clock and no other: a step of it takes no lease from its holder
 * and keeps none from ending.
 */
export function describeHostClockContract<Tx>(runner: Runner, harness: HostClockStoresHarness<Tx>): void {
  const it = contractCases(runner, harness);
  runner.describe('Stores on the host’s clock', () => {
    for (const [what, lease] of leases) {
      it(`INV-6: a clock that is set forward takes no lease of ${what}, which ends after its own length`, async (given) => {
        const others = await lease(given);
        await given.clock.advance(leaseMs / 2);
        given.clock.step(hourMs);
        assert.equal(await others(), 0);
        await given.clock.advance(leaseMs / 2 - 1);
        assert.equal(await others(), 0);
        await given.clock.advance(1);
        assert.equal(await others(), 1);
      });

      it(`INV-6: under a clock that is set back the lease of ${what} ends an eighth late at most`, async (given) => {
        const others = await lease(given);
        given.clock.step(-hourMs);
        await given.clock.advance(leaseMs - 1);
        assert.equal(await others(), 0);
        await given.clock.advance(leaseMs / 8);
        assert.equal(await others(), 1);
      });
    }

    it('INV-6: a clock that goes to and fro takes no lease, and its steps do not add up', async (given) => {
      const { stores, clock } = given;
      const before = await stores.now();
      const others = await leasedJob(given);
      for (let turn = 0; turn < 20; turn++)
        for (const ms of [10 * minuteMs, -10 * minuteMs]) {
          clock.step(ms);
          await clock.advance(10);
          assert.equal(await others(), 0);
        }
      const movedMs = (await stores.now()).getTime() - before.getTime();
      assert.ok(movedMs >= 0 && movedMs <= 10 * minuteMs + 400, `stored time moved ${movedMs} ms`);
    });

    it('INV-6: a lease that had ended before a clock was set forward is ended', async (given) => {
      const others = await leasedJob(given);
      await given.clock.advance(leaseMs);
      given.clock.step(hourMs);
      assert.equal(await others(), 1);
    });

    it('ART-7: a clock that jumps days ahead for seconds expires nothing, and stored time does not stay ahead', async (given) => {
      const { stores, clock } = given;
      const before = await stores.now();
      await stores.artifactManifest.reserve([newArtifact({ ttlMs: 7 * dayMs })]);
      clock.step(8 * dayMs);
      for (let second = 0; second < 6; second++) {
        await clock.advance(1_000);
        assert.equal(await swept(given), 0);
        await enqueued(stores);
      }
      clock.step(-8 * dayMs);
      for (let second = 0; second < 6; second++) {
        await clock.advance(1_000);
        assert.equal(await swept(given), 0);
      }
      const movedMs = (await stores.now()).getTime() - before.getTime();
      assert.ok(movedMs >= 6_000 && movedMs <= 15_000, `stored time moved ${movedMs} ms`);
      await clock.advance(7 * dayMs);
      assert.equal(await swept(given), 1);
    });

    it('INV-1: stored time does not fall with the clock', async ({ stores, clock }) => {
      const { updatedAt } = await enqueued(stores);
      clock.step(-hourMs);
      await clock.advance(1_000);
      const later = await enqueued(stores);
      assert.ok(later.createdAt.getTime() > updatedAt.getTime());
      assert.ok((await stores.now()).getTime() >= later.createdAt.getTime());
    });
  });
}
