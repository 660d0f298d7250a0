import { createMemoryMailer, createMemoryStores, type Mailer, type MessageVault } from '@criticizer/core';
import { createManualClock } from '@criticizer/core/testing';
import { describe, expect, it } from 'vitest';
import { createMailOutbox, type OutgoingMail } from '../src/mail-outbox.js';

function memoryVault(): MessageVault & { size(): number } {
  const kept = new Map<string, Uint8Array>();
  return {
    size: () => kept.size,
    async save(bytes) {
      const id = `message-${kept.size}`;
      kept.set(id, bytes);
      return id;
    },
    load: async (id) => kept.get(id) ?? null,
  };
}

const mail: OutgoingMail = {
  dedupeKey: 'invoice/42',
  to: { address: 'Dev@Example.TEST', name: 'Dev' },
  subject: 'Invoice 42',
  text: 'Hello',
  html: '<p>Hello</p>',
};

function setUp(change: { mailer?: Mailer } = {}) {
  const clock = createManualClock();
  const stores = createMemoryStores({ clock });
  const memory = createMemoryMailer();
  const vault = memoryVault();
  const outbox = createMailOutbox({
    outbox: stores.outbox,
    vault,
    mailer: change.mailer ?? memory,
    from: { address: 'app@example.test' },
    host: 'example.test',
    storeNow: stores.now,
    clock,
  });
  return { clock, stores, memory, vault, outbox };
}

describe('mail outbox', () => {
  it('NOT-3: writes the intent first, sends when told, and sends it once', async () => {
    const { outbox, memory, stores } = setUp();
    const first = await outbox.send(mail);
    expect(first.outcome).toBe('added');
    expect(memory.accepted()).toHaveLength(0);
    expect(await outbox.deliverDue()).toEqual([{ outcome: 'sent', code: undefined, rowId: first.row.id }]);
    expect(memory.accepted().map((entry) => [entry.key, entry.mail.to.address])).toEqual([[first.row.key, 'Dev@example.test']]);
    expect((await outbox.send({ ...mail, subject: 'another subject' })).outcome).toBe('existing');
    expect(await outbox.deliverDue()).toEqual([]);
    expect((await stores.outbox.stats()).sent).toBe(1);
  });

  it('NOT-3: another recipient, version or dedupe key is another mail', async () => {
    const { outbox, memory } = setUp();
    const others = [mail, { ...mail, to: { address: 'two@example.test' } }, { ...mail, version: 2 }, { ...mail, dedupeKey: 'invoice/43' }];
    for (const other of [...others, ...others]) await outbox.send(other);
    await outbox.deliverDue({ limit: 10 });
    expect(new Set(memory.accepted().map((entry) => entry.key)).size).toBe(4);
    expect(memory.accepted()).toHaveLength(4);
  });

  it('holds exactly if the caller’s transaction commits', async () => {
    const { outbox, stores } = setUp();
    const rolledBack = stores.transaction(async (tx) => {
      await outbox.send(mail, { tx });
      throw new Error('no');
    });
    await expect(rolledBack).rejects.toThrow();
    expect(await outbox.deliverDue()).toEqual([]);
    await stores.transaction((tx) => outbox.send(mail, { tx }));
    expect(await outbox.deliverDue()).toMatchObject([{ outcome: 'sent' }]);
  });

  it('EGR-5: the row holds no text', async () => {
    const { outbox, stores } = setUp();
    await outbox.send({ ...mail, text: 'the secret plan' });
    expect(JSON.stringify(await stores.outbox.list({}))).not.toMatch(/plan|Invoice/);
  });

  it('NOT-7: a lost answer is looked up by the next run', async () => {
    const memory = createMemoryMailer();
    let lost = true;
    const mailer: Mailer = {
      ...memory,
      async send(frozen, context) {
        const outcome = await memory.send(frozen, context);
        if (!lost) return outcome;
        lost = false;
        return { kind: 'ambiguous', failure: { scope: 'transport', code: 'LOST', category: 'network', message: 'lost' } };
      },
    };
    const { outbox, clock } = setUp({ mailer });
    await outbox.send(mail);
    expect(await outbox.deliverDue()).toMatchObject([{ outcome: 'waiting', code: 'LOST' }]);
    await clock.advance(60_000);
    expect(await outbox.deliverDue()).toMatchObject([{ outcome: 'recovered' }]);
    expect(memory.accepted()).toHaveLength(1);
  });

  it('WQ-6: keeps its leases while it sends, and sends nothing once one is lost', async () => {
    let release: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    const memory = createMemoryMailer();
    const slow: Mailer = {
      ...memory,
      async send(frozen, context) {
        await Promise.race([
          gate,
          new Promise((_resolve, reject) => context.signal.addEventListener('abort', () => reject(context.signal.reason))),
        ]);
        return memory.send(frozen, context);
      },
    };
    const { outbox, clock, stores } = setUp({ mailer: slow });
    await outbox.send(mail);
    const running = outbox.deliverDue({ leaseMs: 30_000 });
    await clock.advance(100_000);
    expect(await stores.outbox.requeueExpired()).toBe(0);
    release();
    expect(await running).toMatchObject([{ outcome: 'sent' }]);
    const stop = new AbortController();
    await outbox.send({ ...mail, version: 2 });
    const stopped = setUp({
      mailer: { ...slow, send: (_m, c) => new Promise((_r, reject) => c.signal.addEventListener('abort', () => reject(c.signal.reason))) },
    });
    await stopped.outbox.send(mail);
    const aborted = stopped.outbox.deliverDue({ signal: stop.signal });
    await stopped.clock.advance(1);
    stop.abort(new Error('stop'));
    expect(await aborted).toMatchObject([{ outcome: 'waiting', code: 'MAIL_SEND_ABORTED' }]);
  });

  it('refuses what cannot be a mail', async () => {
    const { outbox } = setUp();
    await expect(outbox.send({ ...mail, to: { address: 'a@b.test, c@d.test' } })).rejects.toMatchObject({ code: 'RECIPIENT_INVALID' });
    for (const wrong of [
      { dedupeKey: '' },
      { dedupeKey: 'x'.repeat(201) },
      { subject: 'a\r\nBcc: b@c.test' },
      { version: 0 },
      { headers: [{ name: 'Bcc', value: 'a@b.test' }] },
    ]) {
      await expect(outbox.send({ ...mail, ...wrong })).rejects.toThrow(TypeError);
    }
    expect(() => createMailOutbox({ ...setUpOptions(), host: 'no host' })).toThrow(TypeError);
  });
});

function setUpOptions() {
  const stores = createMemoryStores();
  return {
    outbox: stores.outbox,
    vault: memoryVault(),
    mailer: createMemoryMailer(),
    from: { address: 'app@example.test' },
    host: 'example.test',
    storeNow: stores.now,
  };
}
