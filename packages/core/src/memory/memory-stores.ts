import { checkOptions, type OptionShape } from '../foundation/check-options.js';
import { checkedElsewhere, observerShape } from '../foundation/option-checks.js';
import type { Clock } from '../foundation/time/clock.js';
import type { Random } from '../foundation/time/random.js';
import { systemClock } from '../foundation/time/system-clock.js';
import { systemRandom } from '../foundation/time/system-random.js';
import { checkedStores } from '../stores/checked/checked-stores.js';
import { type StoreModule, selectModules, storeModules } from '../stores/modules.js';
import type { Stores } from '../stores/stores.js';
import { createMemoryArtifactManifest } from './artifacts/memory-artifact-manifest.js';
import { createMemoryAuditSealStore } from './audit/memory-audit-seal-store.js';
import { createMemoryAuditStore } from './audit/memory-audit-store.js';
import { createMemoryChangeStore } from './jobs/memory-change-store.js';
import { createMemoryDeadLetterStore } from './jobs/memory-dead-letter-store.js';
import { createMemoryJobStore } from './jobs/memory-job-store.js';
import { createMemoryLimitStore } from './jobs/memory-limit-store.js';
import { createMemoryRetentionStore } from './jobs/memory-retention-store.js';
import { createMemoryMessageStore } from './outbox/memory-message-store.js';
import { createMemoryNotifyOutbox } from './outbox/memory-notify-outbox.js';
import { createMemoryPreferenceStore } from './outbox/memory-preference-store.js';
import { createMemoryCursorStore } from './review/memory-cursor-store.js';
import { createMemoryDocumentStore } from './review/memory-document-store.js';
import { createMemoryEgressLog } from './review/memory-egress-log.js';
import { createMemorySampleStore } from './review/memory-sample-store.js';
import { createMemorySuppressionStore } from './review/memory-suppression-store.js';
import { createMemoryDatabase, type MemoryDatabase, type MemoryTx } from './shared/memory-database.js';

/** Clock and random source of memory stores; each has a default. */
export interface MemoryStoresOptions {
  /** The store's clock: it begins at the wall clock's time and goes on by the monotonic one. Default: the machine's. */
  clock?: Clock | undefined;
  /** Ids come from it. Default: the machine's. */
  random?: Random | undefined;
  /** The modules that this process uses; facets of others reject with `MODULE_ABSENT`. Default: all. */
  modules?: readonly StoreModule[] | undefined;
}

const optionShape: OptionShape<MemoryStoresOptions> = {
  clock: observerShape.clock,
  random: observerShape.random,
  modules: checkedElsewhere,
};

/**
 * All facets in the memory of one process, for tests, first steps and simulations: the whole
 * contract, transactions with rollback included, and nothing survives the process. Inside
 * `transaction`, writes must be given its `tx`: one without it rejects with `TRANSACTION_BYPASSED`
 * instead of waiting for itself; reads without it see what was committed. After `close` calls
 * reject with `STORE_CLOSED`.
 */
export function createMemoryStores(options: MemoryStoresOptions = {}): Stores<MemoryTx> {
  checkOptions('createMemoryStores', options, optionShape);
  const { clock = systemClock, random = systemRandom } = options;
  const modules = selectModules('createMemoryStores', options.modules);
  return memoryStoresOver(createMemoryDatabase({ storeId: `memory:${random.uuid()}`, clock, random }), modules);
}

/** The facets over a database that the caller holds: how tests plant a fault under one of them. */
export function memoryStoresOver(
  database: MemoryDatabase,
  modules: readonly StoreModule[] = storeModules,
): Stores<MemoryTx> {
  return checkedStores({
    contract: 1,
    storeId: database.storeId,
    modules,
    jobs: createMemoryJobStore(database),
    deadLetters: createMemoryDeadLetterStore(database),
    changes: createMemoryChangeStore(database),
    outbox: createMemoryNotifyOutbox(database),
    messages: createMemoryMessageStore(database),
    preferences: createMemoryPreferenceStore(database),
    audit: createMemoryAuditStore(database),
    auditSeals: createMemoryAuditSealStore(database),
    artifactManifest: createMemoryArtifactManifest(database),
    egress: createMemoryEgressLog(database),
    cursors: createMemoryCursorStore(database),
    documents: createMemoryDocumentStore(database),
    samples: createMemorySampleStore(database),
    suppressions: createMemorySuppressionStore(database),
    limits: createMemoryLimitStore(database),
    retention: createMemoryRetentionStore(database),
    transaction: (work) => database.transaction(work),
    now: async () => database.now(),
    migrationPlan: async () => [],
    migrate: async () => [],
    close: async () => database.close(),
  });
}
