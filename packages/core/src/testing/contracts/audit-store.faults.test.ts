import { describe, expect, it } from 'vitest';
import { describeAuditStoreContract } from './audit-store-contract.js';
import { convictions, type PlantedFault } from './planted-fault.js';

const faults: readonly PlantedFault[] = [
  {
    name: 'a requeue that repeats the delivery key',
    convictedBy: ['AUD-15: each requeue is a fresh delivery'],
    plant: ({ audit }, database) => ({
      audit: {
        requeue: async (id, by, options) => {
          const outcome = await audit.requeue(id, by, options);
          await database.write(options?.tx, ({ tables }) => {
            for (const held of tables.auditDeliveries.rows()) {
              const idempotencyKey = held.delivery.idempotencyKey.replace(/:v\d+$/, ':v1');
              tables.auditDeliveries.put(held.delivery.id, { ...held, delivery: { ...held.delivery, idempotencyKey } });
            }
          });
          return outcome;
        },
      },
    }),
  },
  {
    name: 'a dead letter that a requeue rewrites',
    convictedBy: ['AUD-16: nothing of a dead letter changes'],
    plant: ({ audit }, database) => ({
      audit: {
        requeue: async (id, by, options) => {
          const outcome = await audit.requeue(id, by, options);
          await database.write(options?.tx, ({ tables, now }) => {
            const letter = tables.auditDeadLetters.get(id);
            if (letter) tables.auditDeadLetters.put(id, { ...letter, deadLetteredAt: now });
          });
          return outcome;
        },
      },
    }),
  },
  {
    name: 'a failed record that dooms the host’s transaction',
    convictedBy: ['AUD-3: a record that fails leaves'],
    plant: ({ audit, jobs }) => {
      const doomed = new WeakSet<object>();
      return {
        audit: {
          record: async (event, destinations, options) => {
            try {
              return await audit.record(event, destinations, options);
            } catch (error) {
              if (options?.tx) doomed.add(options.tx);
              throw error;
            }
          },
        },
        jobs: {
          enqueue: async (wanted, options) => {
            if (options?.tx && doomed.has(options.tx)) throw new Error('current transaction is aborted');
            return jobs.enqueue(wanted, options);
          },
        },
      };
    },
  },
  {
    name: 'one delivery for all destinations',
    convictedBy: ['AUD-2: record writes the event and one pending delivery'],
    plant: ({ audit }) => ({ audit: { record: (event, destinations, options) => audit.record(event, destinations.slice(0, 1), options) } }),
  },
];

describe('the audit contract convicts', () => {
  for (const fault of faults) {
    it(fault.name, async () => {
      const convicted = await convictions(describeAuditStoreContract, fault, fault.convictedBy);
      for (const title of fault.convictedBy) expect(convicted.filter((name) => name.startsWith(title))).not.toEqual([]);
    });
  }

  it('no honest store', async () => {
    expect(await convictions(describeAuditStoreContract, { plant: () => ({}) })).toEqual([]);
  });
});
