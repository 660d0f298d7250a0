import { describe, expect, it } from 'vitest';
import { putJob } from '../../../memory/jobs/memory-job-rows.js';
import { convictions, type PlantedFault } from '../../support/planted-fault.js';
import { describeDeadLetterStoreContract } from './dead-letter-store-contract.js';

const faults: readonly PlantedFault[] = [
  {
    name: 'a replay that wins twice',
    convictedBy: ['ERR-9: of twenty concurrent replays', 'ERR-10: a replay that fails again'],
    plant: ({ deadLetters }, database) => ({
      deadLetters: {
        replay: (request, options) => {
          void database.write(options?.tx, (session) => {
            const letter = session.tables.deadLetters.get(request.deadLetterId);
            const held = letter && session.tables.jobs.get(letter.jobId);
            if (!letter || !['replaying', 'failed-again'].includes(letter.status) || !held) return;
            session.tables.deadLetters.put(letter.id, { ...letter, status: 'open' });
            putJob(session, { job: { ...held.job, status: 'failed' }, token: null });
          });
          return deadLetters.replay(request, options);
        },
      },
    }),
  },
  {
    name: 'a replay without a fresh budget',
    convictedBy: ['ERR-9: replay queues the job'],
    plant: ({ deadLetters }, database) => ({
      deadLetters: {
        replay: async (request, options) => {
          const letter = await deadLetters.get(request.deadLetterId);
          const outcome = await deadLetters.replay(request, options);
          await database.write(options?.tx, (session) => {
            const held = session.tables.jobs.get(letter?.jobId ?? '');
            if (held)
              putJob(session, {
                ...held,
                job: { ...held.job, attempts: { ...held.job.attempts, [request.stage]: letter?.attempts ?? 0 } },
              });
          });
          return outcome;
        },
      },
    }),
  },
  {
    name: 'a full restart that keeps the outputs',
    convictedBy: ['ERR-9: a full restart clears'],
    plant: ({ deadLetters }) => ({
      deadLetters: { replay: (request, options) => deadLetters.replay({ ...request, fromStart: false }, options) },
    }),
  },
  {
    name: 'resolved although a mail is missing',
    convictedBy: ['ERR-9: resolved is refused'],
    plant: ({ deadLetters }, database) => ({
      deadLetters: {
        close: async (id, closing, options) => {
          const outcome = await deadLetters.close(id, closing, options);
          if (outcome !== 'not-all-notified') return outcome;
          await database.write(options?.tx, ({ tables }) => {
            const letter = tables.deadLetters.get(id);
            if (letter) tables.deadLetters.put(id, { ...letter, status: 'resolved' });
          });
          return 'closed';
        },
      },
    }),
  },
  {
    name: 'notes that keep whatever the caller passed for an actor',
    convictedBy: ['OPS-1: an actor that is none', 'ERR-9: notes are appended'],
    plant: ({ deadLetters }, database) => ({
      deadLetters: {
        note: async (id, { actor, text }, options) => {
          const outcome = await deadLetters.note(id, { actor: { type: 'system', id: 'any' }, text }, options);
          await database.write(options?.tx, ({ tables }) => {
            const letter = tables.deadLetters.get(id);
            const last = letter?.notes.at(-1);
            if (letter === undefined || last === undefined) return;
            tables.deadLetters.put(id, { ...letter, notes: [...letter.notes.slice(0, -1), { ...last, actor }] });
          });
          return outcome;
        },
      },
    }),
  },
  {
    name: 'notes that replace each other',
    convictedBy: ['ERR-9: notes are appended'],
    plant: ({ deadLetters }, database) => ({
      deadLetters: {
        note: async (id, note, options) => {
          await database.write(options?.tx, ({ tables }) => {
            const letter = tables.deadLetters.get(id);
            if (letter) tables.deadLetters.put(id, { ...letter, notes: [] });
          });
          return deadLetters.note(id, note, options);
        },
      },
    }),
  },
  {
    name: 'a triage that takes whatever the letter is',
    convictedBy: ['ERR-9: of twenty triages one takes'],
    plant: ({ deadLetters }) => ({
      deadLetters: {
        triage: async (...args) => {
          const outcome = await deadLetters.triage(...args);
          return outcome === 'not-open' ? 'triaged' : outcome;
        },
      },
    }),
  },
  {
    name: 'a replay that is due at once whatever its delay',
    convictedBy: ['ERR-9: a replay with a delay'],
    plant: ({ deadLetters }) => ({
      deadLetters: { replay: ({ delayMs: _, ...request }, options) => deadLetters.replay(request, options) },
    }),
  },
  {
    name: 'a settlement that leaves the letter of its replay',
    convictedBy: ['ERR-9: the settlement that completes a replay', 'ERR-9: replays that complete in one call'],
    plant: ({ jobs }, database) => ({
      jobs: {
        settle: async (...args) => {
          const outcomes = await jobs.settle(...args);
          await database.write(undefined, ({ tables }) => {
            for (const letter of tables.deadLetters.rows())
              if (letter.status === 'resolved' && letter.notes.at(-1)?.kind === 'system')
                tables.deadLetters.put(letter.id, { ...letter, status: 'replaying' });
          });
          return outcomes;
        },
      },
    }),
  },
  {
    name: 'groups that count every letter, whatever was asked for',
    convictedBy: ['ERR-9: groups filter as the list does'],
    plant: ({ deadLetters }) => ({ deadLetters: { groups: ({ limit }) => deadLetters.groups({ limit }) } }),
  },
];

describe('the dead letter contract convicts', () => {
  for (const fault of faults) {
    it(fault.name, async () => {
      const convicted = await convictions(describeDeadLetterStoreContract, fault, fault.convictedBy);
      for (const title of fault.convictedBy) expect(convicted.filter((name) => name.startsWith(title))).not.toEqual([]);
    });
  }

  it('no honest store', async () => {
    expect(await convictions(describeDeadLetterStoreContract, { plant: () => ({}) })).toEqual([]);
  });
});
