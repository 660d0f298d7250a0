import { storableText } from '../../foundation/storable-text.js';
import { systemRandom } from '../../foundation/time/system-random.js';
import { memoryStoresOver } from '../../memory/memory-stores.js';
import { createMemoryDatabase, type MemoryDatabase, type MemoryTx } from '../../memory/shared/memory-database.js';
import type { Stores } from '../../stores/stores.js';
import type { HostClockStoresHarness } from '../stores/host-clock-contract.js';
import { collectCases, failedCases } from './collecting-runner.js';
import { createManualClock, type ManualClock } from './manual-clock.js';
import type { Runner } from './runner.js';

type MemoryStores = Stores<MemoryTx>;
/** The facets a fault replaces; the others stay honest. */
export type Replaced = {
  [Facet in keyof MemoryStores]?: MemoryStores[Facet] extends (...args: never[]) => unknown
    ? MemoryStores[Facet]
    : Partial<MemoryStores[Facet]>;
};

/** One bug, the suite that must see it, and the start of the titles of cases that must convict it. */
export interface PlantedFault {
  name: string;
  convictedBy: readonly string[];
  plant(stores: MemoryStores, database: MemoryDatabase, clock: ManualClock): Replaced;
}

function harnessWith(plant: PlantedFault['plant']): HostClockStoresHarness<MemoryTx> {
  return {
    async create() {
      const clock = createManualClock();
      const database = createMemoryDatabase({ storeId: 'memory:planted', clock, random: systemRandom });
      const honest = memoryStoresOver(database);
      const {
        jobs,
        deadLetters,
        changes,
        outbox,
        messages,
        preferences,
        audit,
        auditSeals,
        artifactManifest,
        egress,
        cursors,
        documents,
        samples,
        suppressions,
        limits,
        retention,
        ...rest
      } = plant(honest, database, clock);
      const stores: MemoryStores = {
        ...honest,
        ...rest,
        modules: honest.modules,
        jobs: { ...honest.jobs, ...jobs },
        deadLetters: { ...honest.deadLetters, ...deadLetters },
        changes: { ...honest.changes, ...changes },
        outbox: { ...honest.outbox, ...outbox },
        messages: { ...honest.messages, ...messages },
        preferences: { ...honest.preferences, ...preferences },
        audit: { ...honest.audit, ...audit },
        auditSeals: { ...honest.auditSeals, ...auditSeals },
        artifactManifest: { ...honest.artifactManifest, ...artifactManifest },
        egress: { ...honest.egress, ...egress },
        cursors: { ...honest.cursors, ...cursors },
        documents: { ...honest.documents, ...documents },
        samples: { ...honest.samples, ...samples },
        suppressions: { ...honest.suppressions, ...suppressions },
        limits: { ...honest.limits, ...limits },
        retention: { ...honest.retention, ...retention },
      };
      return { stores, clock, dispose: () => honest.close() };
    },
  };
}

/**
 * The titles of the cases that fail on stores with this fault; with `titles`, only cases that start
 * with one of them are run.
 */
export async function convictions(
  suite: (runner: Runner, harness: HostClockStoresHarness<MemoryTx>) => void,
  fault: Pick<PlantedFault, 'plant'>,
  titles: readonly string[] = [''],
): Promise<string[]> {
  const titled = collectCases(suite, harnessWith(fault.plant)).map((each) => ({
    ...each,
    name: each.name.split(' > ').at(-1) ?? each.name,
  }));
  const cases = titled.filter(({ name }) => titles.some((title) => name.startsWith(title)));
  return (await failedCases(cases)).map(({ name }) => name);
}

/** The same value with its text made storable, as a driver does that encodes what it is given. */
export function storable<T>(value: T): T {
  const made = (inner: unknown): unknown => {
    if (typeof inner === 'string') return storableText(inner);
    if (Array.isArray(inner)) return inner.map(made);
    if (typeof inner !== 'object' || inner === null || inner instanceof Date) return inner;
    return Object.fromEntries(Object.entries(inner).map(([key, one]) => [storableText(key), made(one)]));
  };
  return made(value) as T;
}
