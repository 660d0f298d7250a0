import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stopMailServer } from '../src/mail/mail-server-process.js';
import { type ModelServer, startModelServer } from '../src/model/model-server.js';
import { crashAtEach, mailsIn, openCrashRuns } from './crash-run.js';

const { prepare, run, dispose } = await openCrashRuns();
let model: ModelServer;

beforeAll(async () => {
  model = await startModelServer();
});
afterAll(async () => {
  await model.close();
  await dispose();
});

describe('a worker killed at any durable step', () => {
  it('NOT-11 INV-2: resumes, and every recipient has the mail exactly once', { timeout: 300_000 }, async () => {
    const whole = await prepare(model.origin);
    const { report } = await run(whole.options, null);
    expect(report).toMatchObject({ status: 'completed', result: { mails: 2 } });
    expect(mailsIn(whole.directory)).toHaveLength(2);
    const steps = report?.steps ?? [];
    // Each stage boundary, and each step of a delivery, is among them.
    for (const step of [
      'after jobs.claim',
      'after jobs.settle(advance)',
      'before jobs.settle(checkpoint)',
      'after outbox.recordPhase',
      'after mailer.send',
      'before outbox.settle(sent)',
      'after jobs.settle(done)',
    ])
      expect(steps).toContain(step);

    const crash = async (crashAt: number): Promise<void> => {
      const { directory, options } = await prepare(model.origin);
      const crashed = await run(options, crashAt);
      expect({ signal: crashed.signal, complaint: crashed.complaint }).toEqual({ signal: 'SIGKILL', complaint: '' });
      const step = readFileSync(join(directory, 'crashed-at'), 'utf8');
      const resumed = await run(options, null);
      const { report: end, complaint } = resumed;
      expect({ step, status: end?.status, mails: mailsIn(directory).length, complaint }).toEqual({
        step,
        status: 'completed',
        mails: 2,
        complaint: '',
      });
      await stopMailServer(directory);
    };
    // CI crashes at the first of each kind of step; `npm run soak:crash` at every one.
    const all = process.env['MODE'] === 'soak';
    const waiting = steps.flatMap((step, at) => (all || steps.indexOf(step) === at ? [at + 1] : []));
    await crashAtEach(waiting, 3, crash);
  });
});
