import { describe, expect, it } from 'vitest';
import { createMemoryStores } from '../src/memory/memory-stores.js';
import { outboxKey } from '../src/outbox/outbox-key.js';
import { createMemoryMailer } from '../src/outbox/senders/memory-mailer.js';
import { silentLogger } from '../src/telemetry/logger.js';
import { harness } from './criticizer-harness.js';

const ada = { address: 'ada@example.test', required: true };
const bob = { address: 'bob@example.test', required: true, via: 'second' };

function withTwo(more: Parameters<typeof harness>[0] = {}) {
  const [first, second] = [createMemoryMailer({ id: 'first' }), createMemoryMailer({ id: 'second' })];
  const t = harness({
    ...more,
    more: { mailer: [first, second], recipients: { resolve: async () => [ada, bob] }, ...more?.more },
  });
  return { ...t, first, second };
}

describe('a Criticizer with two mailers', () => {
  it('NOT-3: freezes the mailer of each recipient in its row, the first one by default', async () => {
    const t = withTwo();
    const id = await t.run();
    const mails = (await t.criticizer.status(id))?.mails ?? [];
    expect(mails.map(({ recipient, via, provider }) => [recipient, via, provider]).sort()).toEqual([
      ['ada@example.test', 'first', 'first'],
      ['bob@example.test', 'second', 'second'],
    ]);
    expect(t.first.accepted().map(({ mail }) => mail.to.address)).toEqual(['ada@example.test']);
    expect(t.second.accepted().map(({ mail }) => mail.to.address)).toEqual(['bob@example.test']);
    await t.criticizer.stop();
  });

  it('NOT-3: one address named twice goes by the first mailer that was named for it', async () => {
    const resolve = async () => [ada, { ...ada, via: 'second' }, { ...ada, via: 'first' }];
    const t = withTwo({ more: { recipients: { resolve } } });
    const id = await t.run();
    expect((await t.criticizer.status(id))?.mails.map(({ via }) => via)).toEqual(['second']);
    await t.criticizer.stop();
  });

  it('an unknown mailer is refused by submit, before the model is asked, and at a resolver’s answer', async () => {
    const t = withTwo({ more: { recipients: { resolve: async () => [{ ...ada, via: 'third' }] } } });
    const request = { serverId: 'main', number: 7, reviewVersion: 1 };
    await expect(t.criticizer.submit({ ...request, recipients: [{ ...ada, via: 'third' }] })).rejects.toMatchObject({
      code: 'MAILER_UNKNOWN',
      details: { via: 'third', mailers: ['first', 'second'] },
    });
    expect(t.sent).toEqual([]);
    const id = await t.run();
    expect((await t.criticizer.status(id))?.job.lastFailure).toMatchObject({ code: 'MAILER_UNKNOWN' });
    await t.criticizer.stop();
  });

  it('NOT-6: a process without the mailer leaves the row to one that has it, and says so once', async () => {
    const stores = createMemoryStores();
    const identity = { changelistId: 'main/7', recipientKey: bob.address, reviewVersion: 1 };
    const refs = { key: outboxKey(identity), messageArtifactId: 'elsewhere', messageSha256: 'a'.repeat(64) };
    // As another process with both mailers froze it.
    await stores.outbox.add([
      { ...identity, ...refs, recipient: bob.address, required: true, via: 'second', jobId: null },
    ]);
    const warned: [object, string][] = [];
    const logger = { ...silentLogger, warn: (fields: object, message: string) => void warned.push([fields, message]) };
    const first = createMemoryMailer({ id: 'first' });
    const t = harness({ more: { stores, mailer: first, logger } });
    await t.criticizer.submit({ serverId: 'main', number: 7, reviewVersion: 1 });
    await t.criticizer.start();
    let waits = 0;
    await t.seen((event) => event.type === 'stage.ended' && event.outcome === 'wait' && ++waits > 1);
    await t.criticizer.stop();
    expect(warned).toEqual([
      [
        { event: 'mail.mailer_missing', via: 'second', mailers: ['first'] },
        expect.stringContaining('waits for a process that has it'),
      ],
    ]);
    expect(await stores.outbox.list({})).toMatchObject([{ status: 'pending', attempts: 0, via: 'second' }]);
    expect(first.accepted()).toEqual([]);
  });
});
