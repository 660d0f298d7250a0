import { describe, expect, it } from 'vitest';
import { change } from '../../../test/criticizer-harness.js';
import { createManualClock } from '../../testing/support/manual-clock.js';
import type { RecipientRequest, RecipientResolver } from './recipient-resolver.js';
import { resolveRecipients } from './resolve-recipients.js';

const request: RecipientRequest = {
  change: change(),
  paths: ['//depot/a.ts'],
  verdict: 'findings',
  counts: { critical: 0, high: 1, medium: 0, low: 0, info: 0 },
  findings: [{ severity: 'high', path: '//depot/a.ts' }],
  version: 1,
};

function given(resolve: RecipientResolver['resolve']) {
  const clock = createManualClock();
  const job = new AbortController();
  const answer = resolveRecipients({ resolver: { resolve }, clock, timeoutMs: 1_000, signal: job.signal }, request);
  answer.catch(() => undefined);
  return { clock, job, answer };
}

describe('resolveRecipients', () => {
  it('gives what the resolver answers', async () => {
    const ada = { address: 'ada@example.test', required: true };
    expect(await given(async () => [ada]).answer).toEqual([ada]);
  });

  it('gives up a resolver that never answers, and aborts its signal', async () => {
    let seen: AbortSignal | undefined;
    const { clock, answer } = given((_request, { signal }) => {
      seen = signal;
      return new Promise(() => undefined);
    });
    await clock.advance(999);
    expect(seen?.aborted).toBe(false);
    await clock.advance(1);
    await expect(answer).rejects.toMatchObject({ code: 'RECIPIENTS_TIMEOUT', category: 'upstream' });
    expect(seen?.reason).toMatchObject({ code: 'RECIPIENTS_TIMEOUT' });
  });

  it('ends with the job, though the resolver does not listen', async () => {
    const { job, answer } = given(() => new Promise(() => undefined));
    const reason = new Error('lease lost');
    job.abort(reason);
    await expect(answer).rejects.toBe(reason);
  });
});
