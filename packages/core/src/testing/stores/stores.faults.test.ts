import { describe, expect, it } from 'vitest';
import { systemRandom } from '../../foundation/time/system-random.js';
import { memoryStoresOver } from '../../memory/memory-stores.js';
import { createMemoryDatabase } from '../../memory/shared/memory-database.js';
import type { ManualClock } from '../support/manual-clock.js';
import { convictions, type PlantedFault } from '../support/planted-fault.js';
import { describeCursorStoreContract } from './cursor-store-contract.js';
import { describeDocumentStoreContract } from './document-store-contract.js';
import { describeEgressLogContract } from './egress-log-contract.js';
import { describeHostClockContract } from './host-clock-contract.js';
import { describeLimitStoreContract } from './jobs/limit-store-contract.js';
import { describeModelBudgetContract } from './model-budget-contract.js';
import { describeModelPaceContract } from './model-pace-contract.js';
import { describeMessageStoreContract } from './outbox/message-store-contract.js';
import { describePreferenceStoreContract } from './outbox/preference-store-contract.js';
import { describeSampleStoreContract } from './sample-store-contract.js';
import { describeStoresOwnContract } from './stores-contract.js';
import { describeSuppressionStoreContract } from './suppression-store-contract.js';

/** Stores whose time is this. */
function storesAt(clock: ManualClock, nowMs: () => number): ReturnType<typeof memoryStoresOver> {
  const own = { ...clock, nowMs, monotonicMs: nowMs };
  return memoryStoresOver(createMemoryDatabase({ storeId: 'memory:planted', clock: own, random: systemRandom }));
}

const faults: readonly (PlantedFault & { suite: Parameters<typeof convictions>[0] })[] = [
  {
    name: 'a cursor that moves without comparing',
    suite: describeCursorStoreContract,
    convictedBy: ['INV-1: a cursor moves only', 'INV-1: of twenty concurrent moves'],
    plant: (_, database) => ({
      cursors: {
        advance: (name, _expected, next, options) =>
          database.write(options?.tx, ({ tables, now }) => {
            tables.cursors.put(name, { value: next, updatedAt: now });
            return 'advanced';
          }),
      },
    }),
  },
  {
    name: 'a limit set without comparing',
    suite: describeLimitStoreContract,
    convictedBy: ['OPS-1: set with an expected value'],
    plant: ({ limits }) => ({
      limits: { set: (name, value, options) => limits.set(name, value, { tx: options?.tx }) },
    }),
  },
  {
    name: 'a document written without comparing',
    suite: describeDocumentStoreContract,
    convictedBy: ['PR-4: a write takes where', 'EGR-4: of twenty concurrent writes'],
    plant: (_, database) => ({
      documents: {
        write: (name, _expected, value, options) =>
          database.write(options?.tx, ({ tables, now }) => {
            const version = (tables.documents.get(name)?.version ?? 0) + 1;
            tables.documents.put(name, { name, version, value, updatedAt: now });
            return { outcome: 'written', version };
          }),
      },
    }),
  },
  {
    name: 'a document whose name and version nobody checks',
    suite: describeDocumentStoreContract,
    convictedBy: ['PR-4: a name, a version or a value'],
    plant: ({ documents }) => ({
      documents: {
        write: (name, expected, value, options) =>
          documents.write(
            `${name}-`.slice(0, 128),
            Number.isInteger(expected) && expected > 0 ? expected : 0,
            value,
            options,
          ),
      },
    }),
  },
  {
    name: 'suppressions that never expire',
    suite: describeSuppressionStoreContract,
    convictedBy: ['GRD-8: one that expired or was withdrawn'],
    plant: ({ suppressions }) => ({
      suppressions: {
        listInForce: async (changelistId) =>
          (await suppressions.list({})).filter(
            ({ scope, withdrawnAt }) =>
              withdrawnAt === null && (scope.kind === 'rule' || scope.changelistId === changelistId),
          ),
      },
    }),
  },
  {
    name: 'messages that are pruned whatever refers to them',
    suite: describeMessageStoreContract,
    convictedBy: ['OPS-4: prune removes what is old'],
    plant: (_, database) => ({
      messages: {
        prune: ({ limit }) =>
          database.write(undefined, ({ tables }) => {
            const ids = [...tables.messages.entries()].map(([id]) => id).slice(0, limit);
            for (const id of ids) tables.messages.remove(id);
            return ids.length;
          }),
      },
    }),
  },
  {
    name: 'a preference of everybody',
    suite: describePreferenceStoreContract,
    convictedBy: ['NOT-10: keeps the last preference'],
    plant: ({ preferences }) => ({ preferences: { find: () => preferences.list({}).then((all) => [...all, ...all]) } }),
  },
  {
    name: 'samples that replace each other',
    suite: describeSampleStoreContract,
    convictedBy: ['PR-5: samples of one bucket'],
    plant: ({ samples: honest }, database) => ({
      samples: {
        add: async (samples, options) => {
          await database.write(undefined, ({ tables }) => {
            for (const [key] of [...tables.samples.entries()]) tables.samples.remove(key);
          });
          return honest.add(samples, options);
        },
      },
    }),
  },
  {
    name: 'samples of a settlement that are added before its fence is checked',
    suite: describeSampleStoreContract,
    convictedBy: ['PR-5: a settlement adds its samples once'],
    plant: ({ jobs, samples }) => ({
      jobs: {
        settle: async (settlements, options) => {
          for (const { effects } of settlements)
            if (effects?.samples) await samples.add(effects.samples.add, effects.samples);
          return jobs.settle(
            settlements.map((one) => ({ ...one, effects: { ...one.effects, samples: undefined } })),
            options,
          );
        },
      },
    }),
  },
  {
    name: 'samples that drop a call that comes during another',
    suite: describeModelBudgetContract,
    convictedBy: ['OUT-9: processes share the budget'],
    plant({ samples: honest }) {
      let isBusy = false;
      return {
        samples: {
          async add(samples, options) {
            if (isBusy) return;
            isBusy = true;
            await honest.add(samples, options);
            isBusy = false;
          },
        },
      };
    },
  },
  {
    name: 'samples that are read for an hour less',
    suite: describeModelBudgetContract,
    convictedBy: ['OUT-9: what was spent within 24 hours'],
    plant: ({ samples }) => ({
      samples: { read: (name, { sinceMs }) => samples.read(name, { sinceMs: sinceMs - 3_600_000 }) },
    }),
  },
  {
    name: 'documents that two writers of one version both write',
    suite: describeModelBudgetContract,
    convictedBy: ['OUT-9: processes share the budget'],
    plant: ({ documents }) => ({
      documents: {
        write: async (name, expected, value, options) => {
          await documents.write(name, expected, value, options);
          return { outcome: 'written', version: expected + 1 };
        },
      },
    }),
  },
  {
    name: 'a row of a provider’s rate that two processes write at once',
    suite: describeModelPaceContract,
    convictedBy: ['ERR-3: processes together never take'],
    plant: ({ documents }) => ({
      documents: {
        async write(name, _expected, value, options) {
          for (;;) {
            const { version } = await documents.read(name);
            const answer = await documents.write(name, version, value, options);
            if (answer.outcome === 'written') return answer;
          }
        },
      },
    }),
  },
  {
    name: 'a row of a provider’s rate that forgets what a process wrote',
    suite: describeModelPaceContract,
    convictedBy: ['ERR-3: processes together never take', 'ERR-3: what a vendor asks'],
    plant: ({ documents }) => ({
      documents: { read: async (name) => ({ ...(await documents.read(name)), value: null }) },
    }),
  },
  {
    name: 'an egress record that forgets which prompt it was made by',
    suite: describeEgressLogContract,
    convictedBy: ['EGR-1: a record is kept whole'],
    plant: ({ egress }) => ({
      egress: {
        append: (records, options) =>
          egress.append(
            records.map((record) => ({ ...record, promptVersion: '1.1' })),
            options,
          ),
      },
    }),
  },
  {
    name: 'an egress record that forgets what the bytes hold',
    suite: describeEgressLogContract,
    convictedBy: ['EGR-1: the record of a mail is kept whole'],
    plant: ({ egress }) => ({
      egress: {
        append: (records, options) =>
          egress.append(
            records.map((record) => ({ ...record, content: 'code' })),
            options,
          ),
      },
    }),
  },
  {
    name: 'a list of egress records that ignores the destination',
    suite: describeEgressLogContract,
    convictedBy: ['EGR-1: the record of a mail is kept whole'],
    plant: ({ egress }) => ({ egress: { list: ({ destination: _, ...filter }) => egress.list(filter) } }),
  },
  {
    name: 'an egress record that is overwritten',
    suite: describeEgressLogContract,
    convictedBy: ['EGR-1: a record is never overwritten'],
    plant: ({ egress }, database) => ({
      egress: {
        append: async (records, options) => {
          await database.write(options?.tx, ({ tables }) => {
            for (const { id } of records) tables.egress.remove(id);
          });
          return egress.append(records, options);
        },
      },
    }),
  },
  {
    name: 'a process that starts with another limit',
    suite: describeLimitStoreContract,
    convictedBy: ['WQ-10: agree records the first', 'WQ-10: of processes that start at once'],
    plant: ({ limits }) => ({
      limits: {
        agree: async (name, value) => {
          const answer = await limits.agree(name, value);
          if (answer.outcome === 'disagrees') await limits.set(name, value);
          return answer.outcome === 'disagrees' ? { outcome: 'agreed' } : answer;
        },
      },
    }),
  },
  {
    name: 'facets of two databases',
    suite: describeStoresOwnContract,
    convictedBy: ['AUD-2: all facets carry one storeId'],
    plant: () => ({ outbox: { storeId: 'memory:another' } }),
  },
  {
    name: 'options whose unknown keys nobody reads',
    suite: describeStoresOwnContract,
    convictedBy: ['WQ-2: an unknown key is a TypeError', 'WQ-2: a misspelt tx'],
    plant: ({ jobs }) => ({
      jobs: {
        enqueue: (list, options) => jobs.enqueue(list, options?.tx === undefined ? undefined : { tx: options.tx }),
      },
    }),
  },
  {
    name: 'rows and settlements whose unknown keys nobody reads',
    suite: describeStoresOwnContract,
    convictedBy: [
      'WQ-2: an unknown key is a TypeError',
      'WQ-2: a misspelt delay',
      'WQ-2: a settlement with a misspelt key',
    ],
    plant: ({ jobs }) => ({
      jobs: {
        enqueue: (list, options) =>
          jobs.enqueue(
            list.map(({ kind, payload, stage, idempotencyKey }) => ({ kind, payload, stage, idempotencyKey })),
            options,
          ),
        settle: (list, options) =>
          jobs.settle(
            list.map((one) =>
              one.kind === 'done'
                ? { lease: one.lease, kind: 'done', result: one.result, requireNotified: false }
                : one,
            ),
            options,
          ),
      },
    }),
  },
  {
    name: 'a clock of its own',
    suite: describeStoresOwnContract,
    convictedBy: ['INV-6: now is the store’s clock'],
    plant: () => ({ now: async () => new Date() }),
  },
  {
    name: 'time that is the host’s wall clock',
    suite: describeHostClockContract,
    convictedBy: [
      'INV-6: a clock that is set forward takes no lease of a job',
      'INV-6: a clock that is set forward takes no lease of an audit',
      'INV-6: under a clock that is set back the lease of a mail',
      'INV-1: stored time does not fall',
    ],
    plant: (_, __, clock) => storesAt(clock, clock.nowMs),
  },
  {
    name: 'time that stands still until a clock that was set back has caught up',
    suite: describeHostClockContract,
    convictedBy: [
      'INV-6: under a clock that is set back the lease of a job',
      'INV-6: under a clock that is set back the lease of an expired',
    ],
    plant(_, __, clock) {
      let latestMs = 0;
      return storesAt(clock, () => {
        latestMs = Math.max(latestMs, clock.nowMs());
        return latestMs;
      });
    },
  },
  {
    name: 'time that counts each step forward again',
    suite: describeHostClockContract,
    convictedBy: ['INV-6: a clock that goes to and fro'],
    plant(_, __, clock) {
      let lookedAt = clock.nowMs();
      let storedMs = lookedAt;
      return storesAt(clock, () => {
        storedMs += Math.max(0, clock.nowMs() - lookedAt) / 2;
        lookedAt = clock.nowMs();
        return storedMs;
      });
    },
  },
];

describe('the contracts of the small stores convict', () => {
  for (const { suite, ...fault } of faults) {
    it(fault.name, async () => {
      const convicted = await convictions(suite, fault, fault.convictedBy);
      for (const title of fault.convictedBy) expect(convicted.filter((name) => name.startsWith(title))).not.toEqual([]);
    });
  }

  it('no honest store', async () => {
    for (const suite of new Set(faults.map((fault) => fault.suite)))
      expect(await convictions(suite, { plant: () => ({}) })).toEqual([]);
  });
});
