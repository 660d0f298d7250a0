import { describe, expect, it } from 'vitest';
import { createMemoryStores } from '../src/memory/memory-stores.js';
import type { Mailer, SendOutcome } from '../src/outbox/senders/mailer.js';
import { createMemoryMailer } from '../src/outbox/senders/memory-mailer.js';
import { createManualClock } from '../src/testing/support/manual-clock.js';
import { harness } from './criticizer-harness.js';

const request = { serverId: 'main', number: 7, reviewVersion: 1 };

describe('runDue of a Criticizer', () => {
  it('reviews and mails on a manual clock that stands still', async () => {
    const clock = createManualClock();
    const t = harness({ more: { stores: createMemoryStores({ clock }), clock } });
    const { job } = await t.criticizer.submit(request);
    const { jobs, mails } = await t.criticizer.runDue({ until: 'idle' });
    expect(jobs.map(({ jobId, stage, outcome }) => [jobId, stage, outcome])).toEqual([
      [job.id, 'fetch', 'next'],
      [job.id, 'llm', 'next'],
      [job.id, 'notify', 'done'],
    ]);
    const status = await t.criticizer.status(job.id);
    expect(mails).toEqual([{ rowId: status?.mails[0]?.id, outcome: 'sent', code: undefined }]);
    expect([t.mailer.accepted().length, clock.sleepers()]).toEqual([1, 0]);
    await t.criticizer.stop();
  });

  it('leaves a mail that must wait until the clock has moved', async () => {
    const clock = createManualClock();
    const far = createMemoryMailer();
    let isOut = true;
    const down: SendOutcome = {
      kind: 'rejected',
      permanent: false,
      failure: { scope: 'transport', code: 'SMTP_DOWN', category: 'network', message: 'no' },
    };
    const mailer: Mailer = {
      ...far,
      send: async (mail, context) => (isOut ? down : far.send(mail, context)),
    };
    const t = harness({ more: { stores: createMemoryStores({ clock }), clock, mailer } });
    await t.criticizer.submit(request);
    const first = await t.criticizer.runDue();
    expect(first.mails).toMatchObject([{ outcome: 'waiting', code: 'SMTP_DOWN' }]);
    expect(first.jobs.at(-1)).toMatchObject({ stage: 'notify', outcome: 'wait' });
    expect(await t.criticizer.runDue()).toEqual({ jobs: [], mails: [] });
    isOut = false;
    await clock.advance(600_000);
    const second = await t.criticizer.runDue();
    expect(second.mails).toMatchObject([{ outcome: 'sent' }]);
    expect(second.jobs.at(-1)).toMatchObject({ stage: 'notify', outcome: 'done' });
    await t.criticizer.stop();
  });
});
