import { describe, expect, it } from 'vitest';
import { convictions, type PlantedFault } from '../../support/planted-fault.js';
import { describeAuditStoreContract } from './audit-store-contract.js';

const faults: readonly PlantedFault[] = [
  {
    name: 'a claim by a cursor, which skips what committed late',
    convictedBy: ['AUD-1: a claim gives the oldest events that no seal holds'],
    plant: ({ auditSeals }) => {
      let cursor = new Date(0);
      return {
        auditSeals: {
          async claim(request, options) {
            const claim = await auditSeals.claim({ ...request, since: request.since ?? cursor }, options);
            cursor = claim?.events.at(-1)?.createdAt ?? cursor;
            return claim;
          },
        },
      };
    },
  },
  {
    name: 'a claim that gives sealed events again',
    convictedBy: ['AUD-1: a claim gives the oldest events that no seal holds'],
    plant: ({ auditSeals, audit }) => ({
      auditSeals: {
        async claim(request, options) {
          const claim = await auditSeals.claim(request, options);
          return claim && { ...claim, events: [...(await audit.list({ limit: request.limit }))].reverse() };
        },
      },
    }),
  },
  {
    name: 'a seal that replaces the one of its number',
    convictedBy: ['AUD-1: neither a number nor an event is sealed twice'],
    plant: (_honest, database) => ({
      auditSeals: {
        append: (seal, leaves, { tx }) =>
          database.write(tx, ({ tables }) => {
            tables.auditSeals.put(String(seal.seq), seal);
            for (const leaf of leaves) tables.auditSealLeaves.put(leaf.eventId, leaf);
          }),
      },
    }),
  },
  {
    name: 'a seal outside the transaction',
    convictedBy: ['AUD-1: a seal that rolls back leaves nothing'],
    plant: (_honest, database) => ({
      auditSeals: {
        append: async (seal, leaves) =>
          database.read(undefined, ({ tables }) => {
            tables.auditSeals.put(String(seal.seq), seal);
            for (const leaf of leaves) tables.auditSealLeaves.put(leaf.eventId, leaf);
          }),
      },
    }),
  },
  {
    name: 'a list of leaves in another order',
    convictedBy: ['AUD-1: seals and leaves are given as they were written'],
    plant: ({ auditSeals }) => ({
      auditSeals: { listLeaves: async (seq) => [...(await auditSeals.listLeaves(seq))].reverse() },
    }),
  },
  {
    name: 'a list of unsealed events that forgets its place',
    convictedBy: ['AUD-1: unsealed events are listed by page'],
    plant: ({ auditSeals }) => {
      let pages = 0;
      return {
        auditSeals: {
          listUnsealed: (filter) => auditSeals.listUnsealed(pages++ > 3 ? filter : { ...filter, after: undefined }),
        },
      };
    },
  },
];

describe('the contract of audit seals convicts', () => {
  for (const fault of faults) {
    it(fault.name, async () => {
      const convicted = await convictions(describeAuditStoreContract, fault, fault.convictedBy);
      for (const title of fault.convictedBy) expect(convicted.filter((name) => name.startsWith(title))).not.toEqual([]);
    });
  }
});
