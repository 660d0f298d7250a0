import { describe, expect, it } from 'vitest';
import type { MemoryDatabase, MemoryRows, MemorySession } from '../../../memory/shared/memory-database.js';
import type { OutboxLease } from '../../../stores/notify-outbox.js';
import { convictions, type PlantedFault } from '../../support/planted-fault.js';
import { describeNotifyOutboxContract } from './notify-outbox-contract.js';

type HeldRow = MemoryRows['outbox'];

function changeRows(session: MemorySession, change: (held: HeldRow) => HeldRow | undefined): void {
  for (const held of session.tables.outbox.rows()) {
    const changed = change(held);
    if (changed) session.tables.outbox.put(held.row.id, changed);
  }
}

async function rowHolder(database: MemoryDatabase, lease: OutboxLease): Promise<OutboxLease> {
  const held = await database.read(undefined, ({ tables }) => tables.outbox.get(lease.rowId)?.lease);
  return held ? { rowId: lease.rowId, owner: held.owner, token: held.token } : lease;
}

const faults: readonly PlantedFault[] = [
  {
    name: 'sent without notifiedAt in the same write',
    convictedBy: ['NOT-5: sent sets provider id, notifiedAt'],
    plant: ({ outbox }, database) => ({
      outbox: {
        settle: async (settlements) => {
          const outcomes = await outbox.settle(settlements);
          await database.write(undefined, (session) =>
            changeRows(session, (held) =>
              held.row.status === 'sent' ? { ...held, row: { ...held.row, notifiedAt: null } } : undefined,
            ),
          );
          return outcomes;
        },
      },
    }),
  },
  {
    name: 'rows claimable while leased',
    convictedBy: ['NOT-11: a leased row', 'NOT-11: twenty concurrent claims'],
    plant: ({ outbox }, database) => ({
      outbox: {
        claim: async (request) => {
          await database.write(undefined, (session) => changeRows(session, (held) => ({ ...held, lease: null })));
          return outbox.claim(request);
        },
      },
    }),
  },
  {
    name: 'a claim by ids that takes any row',
    convictedBy: ['NOT-6: a claim by ids'],
    plant: ({ outbox }) => ({
      outbox: { claim: ({ ids: _, ...request }) => outbox.claim(request) },
    }),
  },
  {
    name: 'a claim by ids that takes rows before they are due',
    convictedBy: ['NOT-6: a claim by ids'],
    plant: ({ outbox }, database) => ({
      outbox: {
        claim: async (request) => {
          await database.write(undefined, (session) =>
            changeRows(session, (held) => (request.ids?.includes(held.row.id) ? { ...held, lease: null } : undefined)),
          );
          return outbox.claim(request);
        },
      },
    }),
  },
  {
    name: 'rows claimed for whatever mailer',
    convictedBy: ['NOT-6: a claim takes rows of the mailers', 'NOT-8: a reconcile claim leaves rows'],
    plant: ({ outbox }) => ({
      outbox: { claim: (request) => outbox.claim({ ...request, via: ['smtp', 'chat', 'webhook'] }) },
    }),
  },
  {
    name: 'a limit that rows of other mailers use up',
    convictedBy: ['NOT-6: a claim takes rows of the mailers'],
    plant: ({ outbox }, database) => ({
      outbox: {
        claim: async (request) => {
          const isHidden = await database.read(undefined, ({ tables }) =>
            tables.outbox.rows().some(({ row }) => row.status === 'pending' && !request.via.includes(row.via)),
          );
          return isHidden && request.limit === 1 ? [] : outbox.claim(request);
        },
      },
    }),
  },
  {
    name: 'settlements without a fence',
    convictedBy: ['NOT-11: a settlement under a lost lease', 'NOT-11: one call settles a mixture'],
    plant: ({ outbox }, database) => ({
      outbox: {
        settle: async (settlements) =>
          outbox.settle(
            await Promise.all(
              settlements.map(async (one) => ({ ...one, lease: await rowHolder(database, one.lease) })),
            ),
          ),
      },
    }),
  },
  {
    name: 'phases recorded by anyone',
    convictedBy: ['NOT-6: a phase is recorded only by the holder'],
    plant: ({ outbox }, database) => ({
      outbox: {
        recordPhase: async (lease, phase, options) =>
          outbox.recordPhase(await rowHolder(database, lease), phase, options),
      },
    }),
  },
  {
    name: 'a flag of a possible duplicate that is not kept',
    convictedBy: ['NOT-7: a flagged data phase'],
    plant: ({ outbox }) => ({
      outbox: {
        recordPhase: (lease, phase, { possibleDuplicate: _, ...options } = {}) =>
          outbox.recordPhase(lease, phase, options),
      },
    }),
  },
  {
    name: 'a row that waits and does not say for what',
    convictedBy: ['NOT-9: a row that waits says'],
    plant: ({ outbox }) => ({
      outbox: { list: async (filter) => (await outbox.list(filter)).map((row) => ({ ...row, waitingFor: null })) },
    }),
  },
  {
    name: 'a phase that an envelope lowers',
    convictedBy: ['NOT-6: an envelope recorded after the data'],
    plant: ({ outbox }, database) => ({
      outbox: {
        recordPhase: async (lease, phase, options) => {
          const outcome = await outbox.recordPhase(lease, phase, options);
          await database.write(undefined, (session) =>
            changeRows(session, (held) =>
              held.row.id === lease.rowId ? { ...held, row: { ...held.row, phase } } : undefined,
            ),
          );
          return outcome;
        },
      },
    }),
  },
  {
    name: 'a sweep that forgets the phase',
    convictedBy: ['NOT-6: a crash after the data phase'],
    plant: ({ outbox }, database) => ({
      outbox: {
        requeueExpired: async (options) => {
          const count = await outbox.requeueExpired(options);
          await database.write(undefined, (session) =>
            changeRows(session, (held) =>
              held.row.status === 'pending' ? { ...held, row: { ...held.row, phase: 'none' } } : undefined,
            ),
          );
          return count;
        },
      },
    }),
  },
  {
    name: 'a sweep that makes sent rows pending after a reconciler died',
    convictedBy: ['NOT-4: a reconciler that died'],
    plant: ({ outbox }, database) => ({
      outbox: {
        requeueExpired: async (options) => {
          await database.write(undefined, (session) =>
            changeRows(session, (held) => {
              const expired = held.lease !== null && held.lease.expiresAt <= session.now;
              return expired ? { ...held, lease: null, row: { ...held.row, status: 'pending' } } : undefined;
            }),
          );
          return outbox.requeueExpired(options);
        },
      },
    }),
  },
  {
    name: 'a wait that spends the attempt',
    convictedBy: ['NOT-9: wait gives the attempt back'],
    plant: ({ outbox }, database) => ({
      outbox: {
        settle: async (settlements) => {
          const outcomes = await outbox.settle(settlements);
          const waited = new Set(settlements.flatMap(({ kind, lease }) => (kind === 'wait' ? [lease.rowId] : [])));
          await database.write(undefined, (session) =>
            changeRows(session, (held) =>
              waited.has(held.row.id) ? { ...held, row: { ...held.row, attempts: 1 } } : undefined,
            ),
          );
          return outcomes;
        },
      },
    }),
  },
  {
    name: 'a row made anew after it was sent',
    convictedBy: ['NOT-3: a row that was sent is never made anew'],
    plant: ({ outbox }, database) => ({
      outbox: {
        add: async (rows, options) => {
          await database.write(options?.tx, ({ tables }) => {
            for (const [key, id] of [...tables.outboxKeys.entries()])
              if (tables.outbox.get(id)?.row.status === 'sent') tables.outboxKeys.remove(key);
          });
          return outbox.add(rows, options);
        },
      },
    }),
  },
  {
    name: 'a reopening that forgets the phase',
    convictedBy: ['NOT-6: a reopened row keeps its phase'],
    plant: ({ outbox }, database) => ({
      outbox: {
        reopen: async (ids, options) => {
          const outcomes = await outbox.reopen(ids, options);
          await database.write(options?.tx, (session) =>
            changeRows(session, (held) =>
              ids.includes(held.row.id) ? { ...held, row: { ...held.row, phase: 'none' } } : undefined,
            ),
          );
          return outcomes;
        },
      },
    }),
  },
  {
    name: 'a reopening that takes rows under way',
    convictedBy: ['NOT-9: a row that is sent, pending or sending is not-closed'],
    plant: ({ outbox }, database) => ({
      outbox: {
        reopen: async (ids, options) => {
          await database.write(options?.tx, (session) =>
            changeRows(session, (held) =>
              ids.includes(held.row.id) ? { ...held, lease: null, row: { ...held.row, status: 'failed' } } : undefined,
            ),
          );
          return outbox.reopen(ids, options);
        },
      },
    }),
  },
  {
    name: 'a reopening outside the caller’s transaction',
    convictedBy: ['NOT-9: reopen rolls back'],
    plant: (_, database) => ({
      outbox: {
        reopen: async (ids) => {
          // The open transaction's tables are staged apart, so this is a write beside it.
          await database.read(undefined, ({ tables }) => {
            for (const held of tables.outbox.rows()) if (ids.includes(held.row.id)) held.row.status = 'pending';
          });
          return ids.map(() => 'reopened' as const);
        },
      },
    }),
  },
  {
    name: 'a claim that takes every row for the newest version',
    convictedBy: ['NOT-2: a claim says of each row'],
    plant: ({ outbox }) => ({
      outbox: { claim: async (request) => (await outbox.claim(request)).map((one) => ({ ...one, superseded: false })) },
    }),
  },
  {
    name: 'a reopening that says superseded and leaves the row due',
    convictedBy: ['NOT-9: what a newer version has rows of'],
    plant: ({ outbox }, database) => ({
      outbox: {
        reopen: async (ids, options) => {
          const outcomes = await outbox.reopen(ids, options);
          await database.write(options?.tx, (session) =>
            changeRows(session, (held) =>
              outcomes[ids.indexOf(held.row.id)] === 'superseded'
                ? { ...held, row: { ...held.row, status: 'pending' } }
                : undefined,
            ),
          );
          return outcomes;
        },
      },
    }),
  },
  {
    name: 'cancelOlder that also cancels the version itself',
    convictedBy: ['NOT-2: cancelOlder'],
    plant: ({ outbox }) => ({
      outbox: { cancelOlder: async (change, below, options) => outbox.cancelOlder(change, below + 1, options) },
    }),
  },
];

describe('the mail outbox contract convicts', () => {
  for (const fault of faults) {
    it(fault.name, async () => {
      const convicted = await convictions(describeNotifyOutboxContract, fault, fault.convictedBy);
      for (const title of fault.convictedBy) expect(convicted.filter((name) => name.startsWith(title))).not.toEqual([]);
    });
  }

  it('no honest store', async () => {
    expect(await convictions(describeNotifyOutboxContract, { plant: () => ({}) })).toEqual([]);
  });
});
