import { createMemoryMailer, createMemoryStores, silentLogger } from '@criticizer/core';
import {
  createContentPolicy,
  createOutboundGate,
  type Mailer,
  type MessageVault,
  type NotifyOutbox,
  type OutboundGate,
} from '@criticizer/core/ports';
import { createManualClock } from '@criticizer/core/testing';
import { describe, expect, it } from 'vitest';
import { createMailOutbox } from '../src/outbox/mail-outbox.js';
import type { OutgoingMail } from '../src/outbox/outgoing-mail.js';

interface TestVault extends MessageVault {
  /** The ids that it holds now, and the transactions that its saves were given. */
  held(): string[];
  transactions(): unknown[];
}

function memoryVault(): TestVault {
  const kept = new Map<string, Uint8Array>();
  const transactions: unknown[] = [];
  return {
    held: () => [...kept.keys()],
    transactions: () => transactions,
    async save(bytes, _about, { tx } = {}) {
      const id = `message-${transactions.push(tx)}`;
      kept.set(id, bytes);
      return id;
    },
    load: async (id) => kept.get(id) ?? null,
    discard: async (id) => void kept.delete(id),
  };
}

const mail: OutgoingMail = {
  dedupeKey: 'invoice/42',
  to: { address: 'Dev@Example.TEST', name: 'Dev' },
  subject: 'Invoice 42',
  text: 'Hello',
  html: '<p>Hello</p>',
};

interface SetUp {
  mailer?: Mailer | readonly Mailer[];
  /** Replaces calls of the outbox store and of the vault. */
  store?: Partial<NotifyOutbox<never>>;
  vault?: Partial<MessageVault>;
  maxPerMinute?: number;
  outbound?: OutboundGate;
  /** The mailer waits for its aborted signal. */
  isMailerStuck?: boolean;
}

function setUp({ mailer, store, vault: replaced, isMailerStuck, maxPerMinute, outbound }: SetUp = {}) {
  const clock = createManualClock();
  const stores = createMemoryStores({ clock });
  const memory = createMemoryMailer();
  const vault = memoryVault();
  const warnings: Readonly<Record<string, unknown>>[] = [];
  const errors: Readonly<Record<string, unknown>>[] = [];
  const infos: Readonly<Record<string, unknown>>[] = [];
  const stuck: Mailer = {
    ...memory,
    send: (_mail, { signal }) =>
      new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
  };
  const outbox = createMailOutbox({
    stores: { ...stores, outbox: { ...stores.outbox, ...store } },
    vault: { ...vault, ...replaced },
    mailer: isMailerStuck === true ? stuck : (mailer ?? memory),
    from: { address: 'app@example.test' },
    clock,
    maxPerMinute,
    outbound,
    logger: {
      ...silentLogger,
      warn: (fields) => void warnings.push(fields as Record<string, unknown>),
      info: (fields) => void infos.push(fields as Record<string, unknown>),
      error: (fields) => void errors.push(fields as Record<string, unknown>),
    },
  });
  return { clock, stores, memory, vault, outbox, warnings, errors, infos };
}

describe('mail outbox', () => {
  it('NOT-3: writes the intent first, sends when told, and sends it once', async () => {
    const { outbox, memory, stores } = setUp();
    const first = await outbox.send(mail);
    expect(first.outcome).toBe('added');
    expect(memory.accepted()).toHaveLength(0);
    expect(await outbox.deliverDue()).toEqual([{ outcome: 'sent', code: undefined, rowId: first.row.id }]);
    expect(memory.accepted().map((entry) => [entry.key, entry.mail.to.address])).toEqual([
      [first.row.key, 'Dev@example.test'],
    ]);
    expect(await outbox.send(mail)).toMatchObject({ outcome: 'existing', differs: false });
    expect(await outbox.deliverDue()).toEqual([]);
    expect((await stores.outbox.stats()).sent).toBe(1);
  });

  it('EGR-1: with a gate, a mail that holds more than its address may get is refused before it is stored', async () => {
    const gate = (mailDomains: readonly string[]): OutboundGate =>
      createOutboundGate({
        killSwitch: { check: async () => undefined },
        log: createMemoryStores().egress,
        policy: createContentPolicy({ mailDomains }),
      });
    const { outbox, memory, stores, vault } = setUp({ outbound: gate(['example.test']) });
    const elsewhere = { ...mail, to: { address: 'eve@elsewhere.test' } };
    // A mail that does not say what it holds may hold code.
    for (const refused of [mail, { ...elsewhere, content: 'findings' as const }])
      await expect(outbox.send(refused)).rejects.toMatchObject({ code: 'EGRESS_CONTENT_DENIED', category: 'policy' });
    expect([await stores.outbox.list({}), vault.held()]).toEqual([[], []]);
    await outbox.send({ ...mail, content: 'findings' });
    await outbox.send({ ...elsewhere, content: 'none' });
    await outbox.deliverDue();
    expect(memory.accepted()).toHaveLength(2);
  });

  it('NOT-3: another recipient, version or dedupe key is another mail', async () => {
    const { outbox, memory } = setUp();
    const others = [
      mail,
      { ...mail, to: { address: 'two@example.test' } },
      { ...mail, version: 2 },
      { ...mail, dedupeKey: 'invoice/43' },
    ];
    for (const other of [...others, ...others]) await outbox.send(other);
    await outbox.deliverDue({ limit: 10 });
    expect(new Set(memory.accepted().map((entry) => entry.key)).size).toBe(4);
    expect(memory.accepted()).toHaveLength(4);
  });

  it('NOT-6: sends by the mailer that a mail names, the first one by default', async () => {
    const [first, second] = [createMemoryMailer({ id: 'first' }), createMemoryMailer({ id: 'second' })];
    const { outbox } = setUp({ mailer: [first, second] });
    await outbox.send(mail);
    await outbox.send({ ...mail, version: 2, via: 'second' });
    await expect(outbox.send({ ...mail, version: 3, via: 'third' })).rejects.toMatchObject({ code: 'MAILER_UNKNOWN' });
    expect(await outbox.deliverDue()).toHaveLength(2);
    expect([first.accepted().length, second.accepted().length]).toEqual([1, 1]);
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

  it('NOT-3: hands the caller’s transaction to the vault', async () => {
    const { outbox, stores, vault } = setUp();
    const tx = await stores.transaction(async (own) => {
      await outbox.send(mail, { tx: own });
      return own;
    });
    await outbox.send({ ...mail, version: 2 });
    expect(vault.transactions()[0]).toBe(tx);
    expect(vault.transactions()[1]).not.toBe(tx);
  });

  it.each<[string, Partial<OutgoingMail>]>([
    ['subject', { subject: 'another subject' }],
    ['text', { text: 'Bye' }],
    ['html', { html: '' }],
    ['name', { to: { address: 'Dev@example.test' } }],
    ['header', { headers: [{ name: 'X-One', value: '1' }] }],
    ['reply address', { replyTo: { address: 'team@example.test' } }],
  ])('NOT-3: the same dedupe key with another %s is said and logged; the first mail stands', async (_what, change) => {
    const { clock, outbox, memory, vault, warnings } = setUp();
    const { row } = await outbox.send(mail);
    await clock.advance(5_000); // another instant is another date, which is no difference
    expect(await outbox.send(mail)).toEqual({ outcome: 'existing', row, differs: false });
    expect(warnings).toEqual([]);
    expect(await outbox.send({ ...mail, ...change })).toEqual({ outcome: 'existing', row, differs: true });
    expect(warnings).toEqual([{ event: 'mail.dedupe_key_taken', rowId: row.id }]);
    await outbox.deliverDue();
    expect(memory.accepted().map((entry) => entry.mail)).toMatchObject([{ subject: mail.subject, text: mail.text }]);
    await vault.discard?.(row.messageArtifactId);
    expect(await outbox.send(mail)).toMatchObject({ outcome: 'existing', differs: null });
  });

  it('NOT-3: of sends at once with one key one is kept, in the vault too', async () => {
    const { outbox, vault } = setUp();
    const sent = await Promise.all(['a', 'b', 'c', 'd'].map((text) => outbox.send({ ...mail, text })));
    expect(sent.map(({ outcome }) => outcome).sort()).toEqual(['added', 'existing', 'existing', 'existing']);
    expect(sent.filter((one) => one.outcome === 'existing' && one.differs === true)).toHaveLength(3);
    expect(vault.held()).toEqual([sent[0]?.row.messageArtifactId]);
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
        return {
          kind: 'ambiguous',
          failure: { scope: 'transport', code: 'LOST', category: 'network', message: 'lost' },
        };
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
          new Promise((_resolve, reject) =>
            context.signal.addEventListener('abort', () => reject(context.signal.reason)),
          ),
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
      mailer: {
        ...slow,
        send: (_m, c) => new Promise((_r, reject) => c.signal.addEventListener('abort', () => reject(c.signal.reason))),
      },
    });
    await stopped.outbox.send(mail);
    const aborted = stopped.outbox.deliverDue({ signal: stop.signal });
    await stopped.clock.advance(1);
    stop.abort(new Error('stop'));
    expect(await aborted).toMatchObject([{ outcome: 'waiting', code: 'MAIL_SEND_ABORTED' }]);
  });

  const never = () => new Promise<never>(() => undefined);
  const timeout = { code: 'STORE_TIMEOUT' };
  it.each<[string, Parameters<typeof setUp>[0], unknown]>([
    ['claim', { store: { claim: never } }, timeout],
    [
      'heartbeat',
      { store: { heartbeat: never }, isMailerStuck: true },
      [{ outcome: 'waiting', code: 'MAIL_SEND_ABORTED' }],
    ],
    ['recordPhase', { store: { recordPhase: never } }, []],
    ['settle', { store: { settle: never } }, []],
    ['load', { vault: { load: never } }, [{ outcome: 'waiting', ...timeout }]],
  ])('WQ-6: a store whose %s is never answered does not hold deliverDue for ever', async (call, change, expected) => {
    const { outbox, clock, stores, memory, errors } = setUp(change);
    await outbox.send(mail);
    const ended: unknown[] = [];
    const running = outbox.deliverDue({ leaseMs: 30_000 }).then(
      (results) => ended.push(results),
      (error: unknown) => ended.push(error),
    );
    for (let n = 0; n < 20 && ended.length === 0; n++) await clock.advance(10_000);
    await running;
    expect(ended).toMatchObject([expected]);
    expect(errors.map((fields) => fields['code'])).toEqual(
      call === 'recordPhase' || call === 'settle' ? ['STORE_TIMEOUT'] : [],
    );
    expect(memory.accepted()).toHaveLength(call === 'settle' ? 1 : 0);
    expect((await stores.outbox.stats()).sent).toBe(0);
  });

  it('NOT-9: a backlog leaves at the pace that was set, and waiting for it spends no attempt', async () => {
    const { outbox, clock, stores, memory } = setUp({ maxPerMinute: 2 });
    for (let n = 0; n < 5; n++) await outbox.send({ ...mail, dedupeKey: `invoice/${n}` });
    const first = await outbox.deliverDue({ limit: 10 });
    expect(first.map(({ outcome, code }) => code ?? outcome).sort()).toEqual([
      'paced',
      'paced',
      'paced',
      'sent',
      'sent',
    ]);
    expect((await stores.outbox.list({ status: 'pending' })).map(({ attempts }) => attempts)).toEqual([0, 0, 0]);
    const counts: number[] = [];
    for (let minute = 0; minute < 3; minute++) {
      await clock.advance(60_000);
      await outbox.deliverDue({ limit: 10 });
      counts.push(memory.accepted().length);
    }
    expect(counts).toEqual([3, 5, 5]);
    expect(() => createMailOutbox({ ...setUpOptions(), maxPerMinute: 0 })).toThrow(TypeError);
  });

  it('INT-4: an outage is logged once, and once more when it is over', async () => {
    const memory = createMemoryMailer();
    const failure = { scope: 'transport', code: 'SMTP_CLIENT_REFUSED', category: 'policy', message: 'no' } as const;
    let isOut = true;
    const mailer: Mailer = {
      ...memory,
      send: async (frozen, context) =>
        isOut ? { kind: 'rejected', failure, permanent: true } : memory.send(frozen, context),
    };
    const { outbox, clock, errors, infos } = setUp({ mailer });
    for (let n = 0; n < 3; n++) await outbox.send({ ...mail, dedupeKey: `invoice/${n}` });
    for (let n = 0; n < 4; n++) {
      expect((await outbox.deliverDue()).map(({ outcome, outage }) => [outcome, outage])).toEqual(
        [1, 2, 3].map(() => ['waiting', true]),
      );
      await clock.advance(600_000);
    }
    const outage = { stage: 'mail', mailer: 'memory', code: 'SMTP_CLIENT_REFUSED' };
    expect([errors, infos]).toEqual([[{ event: 'outage.begun', ...outage }], []]);
    isOut = false;
    await outbox.deliverDue();
    expect([memory.accepted().length, errors.length, infos]).toEqual([3, 1, [{ event: 'outage.over', ...outage }]]);
  });

  it('runDue delivers until nothing is due, and leaves what waits', async () => {
    const { outbox, clock, memory } = setUp({ maxPerMinute: 6 });
    for (let n = 0; n < 8; n++) await outbox.send({ ...mail, dedupeKey: `invoice/${n}` });
    const first = await outbox.runDue({ until: 'idle' });
    expect(first.map(({ outcome }) => outcome).sort()).toEqual([...Array(6).fill('sent'), 'waiting', 'waiting']);
    expect([await outbox.runDue(), clock.sleepers()]).toEqual([[], 0]);
    await clock.advance(120_000);
    expect(await outbox.runDue()).toMatchObject([{ outcome: 'sent' }, { outcome: 'sent' }]);
    expect(memory.accepted()).toHaveLength(8);
    await expect(outbox.runDue({ until: 'noon' } as never)).rejects.toThrow(TypeError);
  });

  it('a mailer that ignores its aborted signal is left to its lease', async () => {
    const { outbox, clock, errors } = setUp({ mailer: { ...createMemoryMailer(), send: never } });
    await outbox.send(mail);
    const stop = new AbortController();
    const running = outbox.deliverDue({ signal: stop.signal });
    await clock.advance(1);
    stop.abort(new Error('stop'));
    await clock.advance(5_000);
    expect(await running).toEqual([]);
    expect(errors).toHaveLength(1);
  });

  it('refuses what cannot be a mail', async () => {
    const { outbox } = setUp();
    await expect(outbox.send({ ...mail, to: { address: 'a@b.test, c@d.test' } })).rejects.toMatchObject({
      code: 'RECIPIENT_INVALID',
    });
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
    stores,
    vault: memoryVault(),
    mailer: createMemoryMailer(),
    from: { address: 'app@example.test' },
  };
}
