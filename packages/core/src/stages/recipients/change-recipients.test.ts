import { describe, expect, it } from 'vitest';
import { change as makeChange } from '../../../test/criticizer-harness.js';
import { createChangeRecipients } from './change-recipients.js';

const request = {
  change: { ...makeChange(), userMail: 'ada@example.test', reviewerMails: ['bob@example.test'] },
  findings: [],
  ...({ paths: [], verdict: 'findings', version: 1 } as const),
  counts: { critical: 0, high: 1, medium: 0, low: 0, info: 0 },
};
const { signal } = new AbortController();
const resolve = async (...options: Parameters<typeof createChangeRecipients>): Promise<unknown[]> => {
  const found = await createChangeRecipients(...options).resolve(request, { signal });
  return found.map(({ address, required }) => [address, required]);
};

describe('createChangeRecipients', () => {
  const author = ['ada@example.test', true];

  it('INT-3: mails the author alone by default', async () => {
    expect(await resolve()).toEqual([author]);
    expect(await resolve({ reviewers: 'none' })).toEqual([author]);
  });

  it('INT-3: mails reviewers where it is asked for, and waits for them only where they are required', async () => {
    expect(await resolve({ reviewers: 'optional' })).toEqual([author, ['bob@example.test', false]]);
    expect(await resolve({ reviewers: 'required' })).toEqual([author, ['bob@example.test', true]]);
  });
});
