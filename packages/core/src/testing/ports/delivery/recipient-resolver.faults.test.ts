import { describe, expect, it } from 'vitest';
import type { RecipientResolver } from '../../../stages/recipients/recipient-resolver.js';
import { collectCases, failedCases } from '../../support/collecting-runner.js';
import { describeRecipientResolverContract } from './recipient-resolver-contract.js';

const change = {
  serverId: 'main',
  number: 7,
  changelistId: 'main/7',
  kind: 'submitted',
  user: 'ada',
  description: 'Add a thing',
  changedAt: new Date(0),
  userMail: 'ada@example.test',
  reviewerMails: ['bob@example.test'],
  jobs: [],
} as const;

const honest = (): RecipientResolver => ({
  resolve: async ({ change: { userMail } }) => (userMail === null ? [] : [{ address: userMail, required: true }]),
});

const shared = [{ address: 'ada@example.test', required: true }];
const faults: Readonly<Record<string, { plant: () => RecipientResolver; convictedBy: string }>> = {
  'nobody at all': { plant: () => ({ resolve: async () => [] }), convictedBy: 'gives addresses' },
  'a list in one address': {
    plant: () => ({ resolve: async () => [{ address: 'a@example.test,b@example.test', required: true }] }),
    convictedBy: 'gives addresses',
  },
  'an answer that callers share': { plant: () => ({ resolve: async () => shared }), convictedBy: 'answers the same' },
  'a mailer that it does not declare': {
    plant: () => ({
      vias: ['smtp'],
      resolve: async () => [{ address: 'a@example.test', required: true, via: 'chat' }],
    }),
    convictedBy: 'names no mailer',
  },
  'a request that it sorts in place': {
    plant: () => ({
      async resolve(request, options) {
        (request.paths as string[]).sort();
        return honest().resolve(request, options);
      },
    }),
    convictedBy: 'leaves its request',
  },
  'an author without an address': {
    plant: () => ({
      async resolve({ change: { userMail } }) {
        if (userMail === null) throw new TypeError('no address');
        return [{ address: userMail, required: true }];
      },
    }),
    convictedBy: 'answers for a review',
  },
  'a signal that it ignores': {
    plant: () => ({
      resolve: (request, { signal }) =>
        signal.aborted ? new Promise(() => undefined) : honest().resolve(request, { signal }),
    }),
    convictedBy: 'settles once',
  },
};

async function failed(create: () => RecipientResolver): Promise<readonly string[]> {
  const cases = collectCases(describeRecipientResolverContract, { create: async () => create(), change });
  return (await failedCases(cases)).map(({ name }) => name);
}

describe('the recipient resolver contract convicts', () => {
  for (const [name, { plant, convictedBy }] of Object.entries(faults)) {
    it(name, async () => {
      expect((await failed(plant)).filter((title) => title.includes(convictedBy))).not.toEqual([]);
    });
  }

  it('no honest resolver', async () => {
    expect(await failed(honest)).toEqual([]);
  });
});
