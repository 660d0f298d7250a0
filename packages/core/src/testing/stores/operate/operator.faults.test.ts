import { describe, expect, it } from 'vitest';
import { convictions, type PlantedFault } from '../../support/planted-fault.js';
import { describeOperatorContract } from './operator-contract.js';

const cut = (action: string): string => `OPS-1 AUD-2: a ${action} whose transaction fails`;
const race = (action: string): string => `OPS-1: of two operators one acts with ${action},`;

const faults: readonly PlantedFault[] = [
  {
    name: 'a transaction that keeps what was written before it failed',
    convictedBy: [cut('dead_letter.replay'), cut('job.cancel'), cut('mail.reopen'), cut('audit.delivery.requeue')],
    plant: (stores) => ({
      async transaction(work) {
        const failed: unknown[] = [];
        const value = await stores.transaction((tx) =>
          work(tx).catch((error: unknown) => {
            failed.push(error);
            return undefined;
          }),
        );
        if (failed.length > 0) throw failed[0];
        return value as Awaited<ReturnType<typeof work>>;
      },
    }),
  },
  {
    name: 'a cancel that says so whatever became of the job',
    convictedBy: [race('job.cancel')],
    plant: ({ jobs }) => ({
      jobs: {
        cancel: async (...args) => (await jobs.cancel(...args)).map(() => 'cancelled' as const),
      },
    }),
  },
  {
    name: 'a limit that is set without comparing',
    convictedBy: [race('limit.set')],
    plant: ({ limits }) => ({
      limits: { set: (name, value, options) => limits.set(name, value, { tx: options?.tx }) },
    }),
  },
  {
    name: 'a dead letter that is closed without comparing',
    convictedBy: [race('dead_letter.close')],
    plant: ({ deadLetters }) => ({
      deadLetters: {
        async close(...args) {
          const outcome = await deadLetters.close(...args);
          return outcome === 'already-closed' ? 'closed' : outcome;
        },
      },
    }),
  },
];

describe('the contract of the operator convicts', () => {
  for (const { name, convictedBy, plant } of faults) {
    it(name, async () => {
      const convicted = await convictions(describeOperatorContract, { plant });
      for (const title of convictedBy) expect(convicted.filter((found) => found.startsWith(title))).not.toEqual([]);
    });
  }

  it('no honest store', async () => {
    expect(await convictions(describeOperatorContract, { plant: () => ({}) })).toEqual([]);
  });
});
