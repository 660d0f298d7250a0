import { describe, expect, it } from 'vitest';
import { noChannels } from '../config/channel-variables.js';
import { readReadiness } from '../http/readiness.js';
import { checkChannel } from './check-channel.js';
import { checkCodeReview } from './code-review-channel.js';

describe('the check of a channel', () => {
  it('CHN-2: says of P4 Code Review what is wrong, in words beside the code', async () => {
    const codeReview = {
      ...{ url: 'https://swarm.example.test', user: 'reviewbot', ticketFile: '/nonexistent/TICKET' },
      ...{ serverId: undefined, maxComments: 10, requestLimitMs: 120_000, openTasks: false },
    };
    const policy = { onExpiry: 'warn' as const, warnAfterDays: 80, maxAgeDays: 90 };
    const { checks } = await readReadiness(
      checkCodeReview({ channels: { ...noChannels, codeReview }, secretPolicy: policy }),
    );
    expect(checks).toEqual({
      codeReview: { ok: false, code: 'SECRET_MISSING', says: expect.stringContaining('credential') },
    });
  });

  it('CHN-1: has longer than checks of this machine, and ends its connections whatever comes of it', async () => {
    const ends: string[] = [];
    const check = (name: string, ask: () => Promise<object>) =>
      checkChannel({ ask: async () => ({ ...(await ask()) }), close: async () => void ends.push(name) });
    const bug = check('bug', () => Promise.reject(new TypeError('a bug')));
    expect(bug.limitMs).toBeGreaterThan(3_000);
    await expect(bug.run()).rejects.toThrow('a bug');
    expect(await check('good', async () => ({ host: 'h' })).run()).toEqual({ ok: true, host: 'h' });
    expect(ends).toEqual(['bug', 'good']);
  });
});
