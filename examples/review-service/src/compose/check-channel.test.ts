import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startCodeReviewServer } from '@criticizer/notify/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { noChannels } from '../config/channel-variables.js';
import { readReadiness } from '../http/readiness.js';
import { checkChannel } from './check-channel.js';
import { checkCodeReview } from './code-review-channel.js';
import { warnOfPlainHttp } from './plain-http.js';

const policy = { onExpiry: 'warn' as const, warnAfterDays: 80, maxAgeDays: 90 };

describe('the check of a channel', () => {
  it('CHN-2: says of P4 Code Review what is wrong, in words beside the code', async () => {
    const codeReview = {
      ...{ url: 'https://swarm.example.test', user: 'reviewbot', ticketFile: '/nonexistent/TICKET' },
      ...{ serverId: undefined, maxComments: 10, requestLimitMs: 120_000, openTasks: false },
    };
    const { checks } = await readReadiness(
      checkCodeReview({ channels: { ...noChannels, codeReview }, secretPolicy: policy }),
    );
    expect(checks).toEqual({
      codeReview: { ok: false, code: 'SECRET_MISSING', says: expect.stringContaining('credential') },
    });
  });

  it('SEC-3: warns where the ticket or the reviews travel unencrypted', async () => {
    const server = await startCodeReviewServer({ users: { reviewbot: 'a-ticket' } });
    onTestFinished(() => server.close());
    const directory = mkdtempSync(join(tmpdir(), 'criticizer-check-'));
    onTestFinished(() => rmSync(directory, { recursive: true }));
    const ticketFile = join(directory, 'TICKET');
    writeFileSync(ticketFile, 'a-ticket', { mode: 0o600 });
    // The address of this machine in another form stands for another machine.
    const elsewhere = server.origin.replace('127.0.0.1', '[::ffff:127.0.0.1]');
    const check = (url: string) => {
      const codeReview = { url, user: 'reviewbot', ticketFile, serverId: undefined, maxComments: 10 };
      const channels = { ...noChannels, codeReview: { ...codeReview, requestLimitMs: 120_000, openTasks: false } };
      return readReadiness(checkCodeReview({ channels, secretPolicy: policy }));
    };
    expect((await check(elsewhere)).checks.codeReview).toEqual({
      ...{ ok: true, host: new URL(elsewhere).host },
      says: 'the ticket travels unencrypted: CODE_REVIEW_URL is plain http',
    });
    expect((await check(server.origin)).checks.codeReview).toEqual({ ok: true, host: new URL(server.origin).host });

    const webhook = { url: 'http://hooks.internal', secretFile: '/nonexistent/SECRET', idsKeptMs: 0 };
    const { checks } = await readReadiness(
      warnOfPlainHttp({
        channels: { webhook },
        servers: [{ swarmUrl: undefined }, { swarmUrl: 'http://swarm.internal' }],
      }),
    );
    expect(checks).toEqual({
      webhook: { ok: true, says: 'not called; reviews travel unencrypted: WEBHOOK_URL is plain http' },
      testRuns: { ok: true, says: 'not called; reviews travel unencrypted: SWARM_URL is plain http' },
    });
    const safe = { ...webhook, url: 'https://hooks.example.test' };
    expect(warnOfPlainHttp({ channels: { webhook: safe }, servers: [{ swarmUrl: 'http://localhost' }] })).toEqual({});
    expect(warnOfPlainHttp({ channels: noChannels, servers: [] })).toEqual({});
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
