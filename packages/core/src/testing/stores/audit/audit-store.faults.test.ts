import { describe, expect, it } from 'vitest';
import { convictions, type PlantedFault } from '../../support/planted-fault.js';
import { describeAuditStoreContract } from './audit-store-contract.js';

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
    plant: ({ audit }) => ({
      audit: { record: (event, destinations, options) => audit.record(event, destinations.slice(0, 1), options) },
    }),
  },
  {
    name: 'a store that spells addresses in its own way',
    convictedBy: ['AUD-2: every address is kept in one spelling'],
    plant: ({ audit }) => ({
      audit: {
        record: async (event, destinations, options) => {
          const stored = await audit.record(event, destinations, options);
          return { ...stored, sourceIp: stored.sourceIp?.replace(/^::a1b2:0$/, '::161.178.0.0') ?? null };
        },
      },
    }),
  },
  {
    name: 'a store that keeps what another could not hold',
    convictedBy: ['AUD-2: what not every store could hold is a TypeError'],
    plant: ({ audit }) => ({
      audit: {
        record: (event, destinations, options) => audit.record({ ...event, sourceIp: null }, destinations, options),
      },
    }),
  },
  {
    name: 'a store that refuses an empty text',
    convictedBy: ['AUD-3: whatever an entry holds at run time is stored'],
    plant: ({ audit }) => ({
      audit: {
        record: async (event, destinations, options) => {
          if (event.targetId === '') throw new Error('null value in column');
          return audit.record(event, destinations, options);
        },
      },
    }),
  },
  {
    name: 'a store that takes any text of a failure',
    convictedBy: ['AUD-16: a failure’s text that not every store could hold'],
    plant: ({ audit }) => ({
      audit: {
        settle: (settlements) =>
          audit.settle(settlements.map((one) => (one.kind === 'dead-letter' ? { ...one, errorDetails: null } : one))),
      },
    }),
  },
  {
    name: 'a poll that counts as an attempt',
    convictedBy: ['AUD-15: a receipt is kept'],
    plant: ({ audit }, database) => ({
      audit: {
        claim: async (request) => {
          const claimed = await audit.claim(request);
          await database.write(undefined, ({ tables }) => {
            for (const { delivery } of claimed) {
              const held = tables.auditDeliveries.get(delivery.id);
              if (held === undefined || delivery.receipt === null) continue;
              const counted = { ...held.delivery, attemptCount: held.delivery.attemptCount + 1 };
              tables.auditDeliveries.put(delivery.id, { ...held, delivery: counted });
            }
          });
          return claimed;
        },
      },
    }),
  },
  {
    name: 'a claim in the order of states',
    convictedBy: ['AUD-12: a claim takes the oldest due'],
    plant: ({ audit }) => ({
      audit: {
        claim: async (request) => {
          const claimed = await audit.claim(request);
          return [...claimed].reverse();
        },
      },
    }),
  },
  {
    name: 'a list of deliveries that forgets its state',
    convictedBy: ['AUD-12: deliveries are listed by state'],
    plant: ({ audit }) => ({
      audit: { listDeliveries: (filter) => audit.listDeliveries({ ...filter, state: undefined }) },
    }),
  },
  {
    name: 'a list of deliveries that forgets its event',
    convictedBy: ['AUD-12: deliveries are listed by state'],
    plant: ({ audit }) => ({
      audit: { listDeliveries: (filter) => audit.listDeliveries({ ...filter, auditEventId: undefined }) },
    }),
  },
  {
    name: 'a store that cuts what it reads back',
    convictedBy: ['AUD-3: a hostile entry changes nothing'],
    plant: ({ audit }) => ({
      audit: { list: async (filter) => (await audit.list(filter)).map((event) => ({ ...event, payload: {} })) },
    }),
  },
  {
    name: 'an erasure that blanks the address of whoever acted on the person',
    convictedBy: ['AUD-1: an erasure blanks the fields'],
    plant: ({ audit }, database) => ({
      audit: {
        eraseSubject: async (erasure, options) => {
          const erased = await audit.eraseSubject(erasure, options);
          await database.write(options?.tx, ({ tables }) => {
            for (const id of erased.eventIds) {
              const event = tables.auditEvents.get(id);
              if (event) tables.auditEvents.put(id, { ...event, sourceIp: null });
            }
          });
          return erased;
        },
      },
    }),
  },
  {
    name: 'an erasure that forgets what was sent',
    convictedBy: ['AUD-1: a delivery that was not sent yet'],
    plant: ({ audit }) => ({
      audit: { eraseSubject: async (...args) => ({ ...(await audit.eraseSubject(...args)), sent: [] }) },
    }),
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
