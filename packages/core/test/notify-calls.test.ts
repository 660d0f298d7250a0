import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createMemoryStores } from '../src/memory/memory-stores.js';
import { createMemoryMailer } from '../src/outbox/senders/memory-mailer.js';
import { harness } from './criticizer-harness.js';

/** Stores whose outbox notes each call, with the number of ids that a claim names. */
function countingStores() {
  const stores = createMemoryStores();
  const calls: string[] = [];
  const outbox: typeof stores.outbox = {
    ...stores.outbox,
    list(filter) {
      calls.push('list');
      return stores.outbox.list(filter);
    },
    async claim(request) {
      const claimed = await stores.outbox.claim(request);
      // Empty claims are the loop's looks, whose number depends on nothing that a review does.
      if (claimed.length > 0) calls.push(`claim by ${request.ids === undefined ? 'due' : 'id'}`);
      return claimed;
    },
  };
  return { stores: { ...stores, outbox }, calls };
}

describe('the mails of a review', () => {
  it('NOT-3: the mail worker claims the rows that the stage waits for by id; the stage reads them once when it is told', async () => {
    const { stores, calls } = countingStores();
    const t = harness({ more: { stores, settings: { worker: { pollMinMs: 60_000, pollMaxMs: 60_000 } } } });
    const { job } = await t.criticizer.submit({ serverId: 'main', number: 7, reviewVersion: 1 });
    await t.criticizer.runDue({ until: 'idle' });
    expect((await stores.jobs.get([job.id]))[0]?.status).toBe('completed');
    // Is there a row yet, which versions are there, what is to be awaited, how did it end.
    expect(calls).toEqual(['list', 'list', 'list', 'claim by id', 'list']);
  });

  it('NOT-10: the stage reports every mail that is sent in its time, those not required too', async () => {
    const memory = createMemoryMailer();
    let settleRequired = (): void => undefined;
    const required = new Promise<void>((resolve) => {
      settleRequired = resolve;
    });
    const mailer: typeof memory = {
      ...memory,
      async send(mail, context) {
        // The optional one is accepted well after the required one was settled.
        if (mail.to.address === 'bob@example.test') {
          await required;
          for (let turn = 0; turn < 50; turn++) await setImmediate();
          return memory.send(mail, context);
        }
        const outcome = await memory.send(mail, context);
        settleRequired();
        return outcome;
      },
    };
    const t = harness({ more: { mailer } });
    const bob = { address: 'bob@example.test', required: false };
    await t.criticizer.submit({ serverId: 'main', number: 7, reviewVersion: 1, recipients: [bob] });
    await t.criticizer.start();
    const ended = await t.seen((e) => e.type === 'stage.ended' && e.stage === 'notify');
    await t.criticizer.stop();
    expect(ended).toMatchObject({ outcome: 'done' });
    const facts = t.events.flatMap((e) => (e.type === 'stage.reported' && e.stage === 'notify' ? [e.facts] : []));
    expect(facts).toEqual([{ mails: 2, sent: 2 }]);
  });
});
