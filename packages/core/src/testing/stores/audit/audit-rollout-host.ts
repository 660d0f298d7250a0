import { type AuditTrail, createAuditTrail } from '../../../audit/audit-trail.js';
import type { PrimaryAuditEntry } from '../../../audit/comparison/compare-audit-trails.js';
import { type AuditDelivery, createAuditDelivery } from '../../../audit/delivery/audit-delivery.js';
import { createShadowSink } from '../../../audit/delivery/shadow-sink.js';
import { type AuditFlags, createAuditFlags } from '../../../audit/flags/audit-flags.js';
import { createStoredFlags } from '../../../audit/flags/flag-rules.js';
import { toShadowDestination } from '../../../audit/shadow-destination.js';
import type { AuditSink } from '../../../audit/sinks/audit-sink.js';
import { computeCohort } from '../../../foundation/cohort.js';
import type { JsonValue } from '../../../foundation/json.js';
import type { PayloadRedactor } from '../../../foundation/redactor.js';
import { createOperator, type Operator } from '../../../operate/operator.js';
import type { Stores } from '../../../stores/stores.js';
import { silentLogger } from '../../../telemetry/logger.js';
import { createManualClock } from '../../support/manual-clock.js';
import { createSeededRandom } from '../../support/seeded-random.js';

/** A host before its rollout: one database, two releases of the host on it. */
export interface AuditRolloutUnderTest<Tx> {
  /** The old release: stores without the module `audit`, migrated. */
  before: Stores<Tx>;
  /** The new release: stores of all modules on the same database. Their tables of the audit are not there yet. */
  stores: Stores<Tx>;
  /** A second process of the new release. */
  another: Stores<Tx>;
  /** Moves the clock of all of them forward. */
  clock: { advance(ms: number): void | Promise<void> };
  dispose(): Promise<void>;
}

/** What one action of the host met. */
export interface HostAction {
  requestId: string;
  tenantId: string;
  outcome: string;
  /** Set where the trail stored it. */
  eventId: string | null;
}

/** A far end: keys by event, and how often each was sent. */
export type FarEnd = Map<string, string[]>;

/** Hides a token, so that both logs hold what the redactor left. */
const redactor: PayloadRedactor = {
  ruleVersion: '1',
  redact: (value) => ({
    value: { ...(value as { [member: string]: JsonValue }), token: '[REDACTED]' },
    meta: { rule_version: '1', fields_redacted_count: 1, patterns_redacted_count: 0, redacted_paths: ['$.token'] },
  }),
};
const destination = 'siem';
const actionsAtATime = 3;

/** Tenants whose cohorts lie below 1, 10, 50 and 100 percent: one of each. */
export function findTenants(): readonly string[] {
  const bounds = [0, 1, 10, 50, 100];
  const found = new Map<number, string>();
  for (let n = 0; found.size < bounds.length - 1; n++) {
    const at = bounds.findIndex((bound) => computeCohort(`t-${n}`) < bound);
    if (!found.has(at)) found.set(at, `t-${n}`);
  }
  return [...found.values()];
}

/** Takes every event; of each fifth the answer is lost, and each seventh is refused for now. */
function openFarEnd(end: FarEnd): AuditSink {
  let sends = 0;
  const failure = { code: 'NETWORK_RESET', message: 'the reply was lost', about: 'event' } as const;
  return {
    contract: 1,
    id: destination,
    async send({ id }, { idempotencyKey }) {
      sends += 1;
      if (sends % 7 === 0) return { kind: 'retry', failure };
      end.set(id, [...(end.get(id) ?? []), idempotencyKey]);
      return sends % 5 === 0 ? { kind: 'retry', failure } : { kind: 'delivered' };
    },
  };
}

/** A host that acts all the time, keeps its own log, and has two processes with workers. */
export class RolloutHost<Tx> {
  readonly tenants = findTenants();
  /** The host's own log: primary until the rollout is over. */
  readonly log: PrimaryAuditEntry[] = [];
  readonly actions: HostAction[] = [];
  readonly production: FarEnd = new Map();
  readonly staging: FarEnd = new Map();
  readonly operator: Operator;
  readonly redactor = redactor;
  private readonly given: AuditRolloutUnderTest<Tx>;
  private readonly clock = createManualClock();
  private readonly trail: AuditTrail<Tx>;
  private readonly workers: readonly AuditDelivery[];

  constructor(given: AuditRolloutUnderTest<Tx>) {
    this.given = given;
    const { trail, delivery } = this.openProcess(given.stores);
    this.trail = trail;
    this.workers = [delivery, this.openProcess(given.another).delivery];
    this.operator = createOperator({ stores: given.stores, audit: trail });
  }

  async now(): Promise<Date> {
    return this.given.stores.now();
  }

  async advance(ms: number): Promise<void> {
    await this.given.clock.advance(ms);
    await this.clock.advance(ms);
  }

  /** An action of the old release: it knows no trail. */
  async actBefore(n: number): Promise<void> {
    await this.given.before.jobs.enqueue([{ kind: 'old', payload: n, stage: 's', idempotencyKey: `old-${n}` }]);
  }

  /** Actions of all tenants, each while workers deliver; halfway `flip` is called. */
  async runLoad(count: number, flip: () => Promise<void> = async () => undefined): Promise<void> {
    let started = 0;
    let flipping: Promise<void> | undefined;
    let delivering: Promise<void> | undefined;
    const write = async (): Promise<void> => {
      while (started < count) {
        started += 1;
        if (started === Math.ceil(count / 2)) flipping = flip();
        delivering ??= this.deliver().finally(() => {
          delivering = undefined;
        });
        await this.act();
      }
    };
    await Promise.all(Array.from({ length: actionsAtATime }, write));
    await flipping;
    await delivering;
  }

  /** Each worker sends what is due; then five seconds pass. */
  async deliver(): Promise<void> {
    await Promise.all(this.workers.map((worker) => worker.runDue()));
    await this.advance(5_000);
  }

  private openProcess(stores: Stores<Tx>): { trail: AuditTrail<Tx>; delivery: AuditDelivery } {
    const flags = this.openFlags(stores);
    const trail = createAuditTrail({
      ...{ store: stores.audit, redactor, flags, random: createSeededRandom(1), logger: silentLogger },
      destinations: [destination, toShadowDestination(destination)],
    });
    const sinks = [openFarEnd(this.production), createShadowSink(openFarEnd(this.staging))];
    const parts = { clock: this.clock, random: createSeededRandom(2), mayDeliver: flags.mayDeliver };
    return { trail, delivery: createAuditDelivery({ store: stores.audit, sinks, ...parts }) };
  }

  private openFlags({ documents }: Stores<Tx>): AuditFlags {
    return createAuditFlags({
      provider: createStoredFlags({ documents, clock: this.clock }),
      defaults: { write: false, worker: false },
      deadlineMs: 10_000,
      clock: this.clock,
    });
  }

  /** One action, its job and its event in one transaction. */
  private async act(): Promise<void> {
    const n = this.actions.length;
    const tenantId = this.tenants[n % this.tenants.length] ?? '';
    const requestId = `r-${n}`;
    const action: HostAction = { requestId, tenantId, outcome: 'begun', eventId: null };
    this.actions.push(action);
    const entry = {
      ...({ actorType: 'admin_user', actorId: 'ada', action: 'user.update', resultStatus: 'success' } as const),
      ...{ tenantId, requestId, payload: { n, token: `of ${n}` } },
    };
    const { stores } = this.given;
    const job = { kind: 'new', payload: n, stage: 's', idempotencyKey: requestId };
    const recorded = await stores.transaction(async (tx) => {
      await stores.jobs.enqueue([job], { tx });
      return this.trail.record(entry, { tx });
    });
    action.outcome = recorded.outcome;
    if (recorded.outcome === 'recorded') action.eventId = recorded.event.id;
    this.log.push({ ...entry, occurredAt: await this.now() });
  }
}
