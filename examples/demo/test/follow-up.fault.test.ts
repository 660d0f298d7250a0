import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { stopMailServer } from '../src/mail/mail-server-process.js';
import { startModelServer } from '../src/model/model-server.js';
import { mailsIn, openCrashRuns } from './crash-run.js';

const { prepare, shelve, run, dispose } = await openCrashRuns();
afterAll(dispose);

const isFollowUp = (body: string): boolean => body.includes('You check findings');

describe('the next version of a shelf', () => {
  it('GRD-6 GRD-1: a worker killed between review and follow-up asks once more at most, and mails once', {
    timeout: 120_000,
  }, async () => {
    const bodies: string[] = [];
    const model = await startModelServer((body) => bodies.push(body.toString('utf8')));
    onTestFinished(() => model.close());
    const place = await prepare(model.origin);
    onTestFinished(() => stopMailServer(place.directory));
    const first = await shelve(place, 1);
    expect((await run(first.options, null)).report).toMatchObject({ status: 'completed' });
    const [sentBefore, mailedBefore] = [bodies.length, mailsIn(place.directory).length];

    const { options } = await shelve(place, 2);
    // The reply to the review is stored; that to the follow-up has come and is not.
    const killed = await run({ ...options, leaseMs: 3_000 }, 'before jobs.settle(checkpoint) #3');
    expect(killed.signal).toBe('SIGKILL');
    const { report } = await run(options, null);
    expect(report).toMatchObject({ status: 'completed' });
    const sent = bodies.slice(sentBefore);
    const asked = sent.filter(isFollowUp);
    expect([sent.length - asked.length, asked.length, new Set(asked).size]).toEqual([1, 2, 1]);
    expect([mailedBefore, mailsIn(place.directory).length]).toEqual([1, 2]);
  });
});
