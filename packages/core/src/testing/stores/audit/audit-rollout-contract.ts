import assert from 'node:assert/strict';
import { type AuditComparison, compareAuditTrails } from '../../../audit/comparison/compare-audit-trails.js';
import { type AuditFlagName, auditFlagNames } from '../../../audit/flags/audit-flags.js';
import { computeCohort } from '../../../foundation/cohort.js';
import { contractCases } from '../../support/contract-cases.js';
import type { Runner } from '../../support/runner.js';
import { type AuditRolloutUnderTest, type FarEnd, type HostAction, RolloutHost } from './audit-rollout-host.js';

/** Percent of the tenants for each flag. */
interface Phase {
  name: string;
  write: number;
  shadow: number;
  worker: number;
}

const cutover = (worker: number): Phase => ({ name: `D at ${worker} %`, write: 100, shadow: 100, worker });
/** The phases of AUD-19 in their order. */
const phases: readonly Phase[] = [
  { name: 'A', write: 0, shadow: 0, worker: 0 },
  { name: 'B', write: 100, shadow: 0, worker: 0 },
  { name: 'C', write: 100, shadow: 100, worker: 0 },
  ...[1, 10, 50, 100].map(cutover),
  { name: 'E', write: 100, shadow: 0, worker: 100 },
];

const actionsPerFlip = 3;
const actionsPerPhase = 4;
/** Between what belongs to a phase and what belongs to a flip. */
const gapMs = 90_000;
/** Long enough for whatever waits: the longest hold of a tenant that was not in. */
const roundsToDrain = 400;

/** One walk: what the phases promise, asked of the database after each. */
class Walk<Tx> {
  flips = 0;
  private readonly host: RolloutHost<Tx>;
  private readonly given: AuditRolloutUnderTest<Tx>;

  constructor(given: AuditRolloutUnderTest<Tx>) {
    this.given = given;
    this.host = new RolloutHost(given);
  }

  /** Phase A: the tables are added while the old release works, which goes on working. */
  async expand(): Promise<void> {
    const { before, stores } = this.given;
    let n = 0;
    let isMigrated = false;
    const work = async (): Promise<void> => {
      while (!isMigrated) await this.host.actBefore(n++);
    };
    const migrating = stores.migrate().finally(() => {
      isMigrated = true;
    });
    await Promise.all([work(), migrating]);
    await this.host.actBefore(n++);
    assert.equal((await before.jobs.stats()).due, n);
    assert.deepEqual(await before.migrationPlan(), []);
  }

  /** From one phase to a neighbour while the host acts and workers deliver. */
  async flip(from: Phase, to: Phase): Promise<void> {
    const turned = (['write', 'shadow', 'worker'] as const).filter((flag) => from[flag] !== to[flag]);
    await this.host.runLoad(actionsPerFlip, async () => {
      for (const flag of turned) await this.setFlag(auditFlagNames[flag], to[flag]);
    });
  }

  /** The host acts in one phase; then what the phase promises is checked. */
  async hold(phase: Phase): Promise<void> {
    await this.host.advance(gapMs);
    const since = await this.host.now();
    const from = this.host.actions.length;
    await this.host.runLoad(actionsPerPhase);
    await this.host.advance(1_000);
    const until = await this.host.now();
    const actions = this.host.actions.slice(from);
    const outcome = phase.write === 100 ? 'recorded' : 'off';
    assert.deepEqual(new Set(actions.map((action) => action.outcome)), new Set([outcome]), phase.name);
    if (phase.write === 100) {
      await this.checkComparison(since, until, actions.length);
      await this.checkDeliveries(phase, actions);
    }
  }

  /** After the last phase: everything that was recorded has arrived once, under one key, and nothing waits. */
  async checkEnd(): Promise<void> {
    for (let round = 0; round < roundsToDrain && (await this.backlog()) > 0; round++) {
      await this.host.deliver();
      await this.host.advance(60_000);
    }
    const { stores } = this.given;
    const rows = await readAll(stores.audit.listDeliveries);
    assert.deepEqual(new Set(rows.map(({ state }) => state)), new Set(['delivered']));
    const events = await readAll(stores.audit.list);
    assert.deepEqual([...this.host.production.keys()].sort(), events.map(({ id }) => id).sort());
    const shadowed = rows.filter((row) => row.destination.startsWith('shadow:'));
    assert.deepEqual([...this.host.staging.keys()].sort(), shadowed.map((row) => row.auditEventId).sort());
    for (const end of [this.host.production, this.host.staging]) checkKeys(end);
    const recorded = this.host.actions.filter((action) => action.outcome === 'recorded');
    const stored = events.filter(({ action }) => action === 'user.update').map(({ requestId }) => requestId);
    assert.deepEqual(stored.sort(), recorded.map((action) => action.requestId).sort());
    assert.ok(this.host.actions.every((action) => ['recorded', 'off'].includes(action.outcome)));
    assert.equal(events.filter(({ action }) => action === 'audit.flag.set').length, this.flips);
  }

  private async setFlag(flag: AuditFlagName, percentage: number): Promise<void> {
    const actor = { type: 'admin_user', id: 'ada' } as const;
    const done = await this.host.operator.setAuditFlag({ flag, percentage, actor, reason: 'rollout' });
    assert.deepEqual([done.outcome, done.audit], ['set', 'recorded']);
    this.flips += 1;
  }

  private async checkComparison(since: Date, until: Date, count: number): Promise<void> {
    const { host } = this;
    const parts = { store: this.given.stores.audit, redactor: host.redactor, primary: host.log };
    const report: AuditComparison = await compareAuditTrails({ ...parts, since, until, toleranceMs: gapMs / 2 });
    assert.deepEqual([report.verdict, report.matchedCount, report.hashes.distance], ['same', count, 0]);
  }

  /** One row for production, one for the shadow where the phase has one; sent only to tenants that are in. */
  private async checkDeliveries({ name, shadow, worker }: Phase, actions: readonly HostAction[]): Promise<void> {
    const { audit } = this.given.stores;
    for (const { eventId, tenantId } of actions) {
      assert.ok(eventId);
      const rows = await audit.listDeliveries({ auditEventId: eventId });
      const expected = shadow === 100 ? ['shadow:siem', 'siem'] : ['siem'];
      assert.deepEqual(rows.map(({ destination }) => destination).sort(), expected, name);
      const isIn = computeCohort(tenantId) < worker;
      if (!isIn) assert.equal(this.host.production.has(eventId), false, `${name}: ${tenantId} is not in`);
    }
  }

  private async backlog(): Promise<number> {
    return (await this.given.stores.audit.stats()).reduce((sum, { pending }) => sum + pending, 0);
  }
}

/** Every row of a list, by pages. */
async function readAll<Row extends { id: string }>(
  list: (page: { before?: string; limit: number }) => Promise<readonly Row[]>,
): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (let page = await list({ limit: 1_000 }); page.length > 0; ) {
    rows.push(...page);
    page = await list({ limit: 1_000, before: page.at(-1)?.id ?? '' });
  }
  return rows;
}

/** Repeats have one key, which is production’s. */
function checkKeys(end: FarEnd): void {
  for (const [eventId, keys] of end) assert.deepEqual(new Set(keys), new Set([`siem:${eventId}:v1`]));
}

/**
 * The rollout of the audit trail, phases A to E, on one database while a host acts: its tables are
 * added under the old release; each pair of neighbouring phases is flipped forwards, back and
 * forwards again (AUD-19).
 */
export function describeAuditRolloutContract<Tx>(
  runner: Runner,
  harness: { create(): Promise<AuditRolloutUnderTest<Tx>> },
): void {
  runner.describe('Audit rollout contract', () => {
    const it = contractCases(runner, harness);
    it('AUD-19: phases A to E lose nothing, send nothing under two keys, leave no row behind, and audit each flip', async (given) => {
      const walk = new Walk(given);
      await walk.expand();
      for (const [at, phase] of phases.entries()) {
        const next = phases[at + 1];
        await walk.hold(phase);
        if (next === undefined) break;
        await walk.flip(phase, next);
        await walk.flip(next, phase);
        await walk.flip(phase, next);
      }
      await walk.checkEnd();
    });
  });
}
