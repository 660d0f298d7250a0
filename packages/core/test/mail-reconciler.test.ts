import { describe, expect, it } from 'vitest';
import { systemClock } from '../src/foundation/time/system-clock.js';
import { systemRandom } from '../src/foundation/time/system-random.js';
import { createMemoryStores } from '../src/memory/memory-stores.js';
import { encodeFrozenMail } from '../src/outbox/frozen/frozen-mail.js';
import { createReconciler } from '../src/outbox/mail-reconciler.js';
import { messageIdFor } from '../src/outbox/outbox-key.js';
import type { FrozenMail, Mailer } from '../src/outbox/senders/mailer.js';
import { listMailers } from '../src/outbox/senders/mailers.js';
import { createMemoryMailer } from '../src/outbox/senders/memory-mailer.js';
import { silentLogger } from '../src/telemetry/logger.js';
import { createMemoryTelemetry } from '../src/telemetry/memory-telemetry.js';
import { attribute, metric } from '../src/telemetry/names.js';
import { noTelemetry, type Telemetry } from '../src/telemetry/telemetry.js';
import { createManualClock } from '../src/testing/support/manual-clock.js';
import { harness } from './criticizer-harness.js';

const hourMs = 3_600_000;
const idle = new AbortController().signal;

/** Takes the first `lost` mails and has no record of them afterwards. */
function forgetfulMailer(lost: number) {
  const far = createMemoryMailer();
  let sends = 0;
  const mailer: Mailer = {
    ...far,
    async send(mail, context) {
      sends += 1;
      if (sends > lost) return far.send(mail, context);
      await context.onPhase('data', { host: 'memory', bytes: Buffer.from('mail') });
      return { kind: 'accepted', id: mail.messageId };
    },
  };
  return { mailer, far, sends: () => sends };
}

/** A clock that the test moves and on which nobody sleeps long. */
function hastyClock() {
  let aheadMs = 0;
  const clock = {
    ...systemClock,
    nowMs: () => systemClock.nowMs() + aheadMs,
    monotonicMs: () => systemClock.monotonicMs() + aheadMs,
    sleep: (ms: number, signal?: AbortSignal) => systemClock.sleep(Math.min(ms, 10), signal),
  };
  return {
    clock,
    advance(ms: number) {
      aheadMs += ms;
    },
  };
}

/** Resolves when a reconciliation came to this outcome. */
function watching(): { telemetry: Telemetry; reconciled(outcome: string): Promise<void> } {
  const waiting = new Map<string, () => void>();
  return {
    telemetry: {
      ...noTelemetry,
      count: (name, _, attributes) => {
        if (name === metric.mailReconciled) waiting.get(String(attributes?.[attribute.outcome]))?.();
      },
    },
    reconciled: (outcome) => new Promise((resolve) => void waiting.set(outcome, resolve)),
  };
}

describe('a running Criticizer', () => {
  it('NOT-8: a mail marked sent that the provider has no record of is sent again; the copy it then has is verified', async () => {
    const { mailer, far, sends } = forgetfulMailer(1);
    const { clock, advance } = hastyClock();
    const { telemetry, reconciled } = watching();
    const stores = createMemoryStores({ clock });
    const t = harness({ more: { stores, mailer, clock, telemetry } });
    const id = await t.run();
    const mails = async () => (await t.criticizer.status(id))?.mails ?? [];
    const [first] = await mails();
    expect([first?.status, sends(), far.accepted().length]).toEqual(['sent', 1, 0]);

    const reopened = reconciled('reopened');
    const verified = reconciled('verified');
    advance(hourMs + 1);
    await reopened;
    while ((await mails())[0]?.status !== 'sent') await clock.sleep(5);
    const [again] = await mails();
    expect([again?.id, sends(), far.accepted().length]).toEqual([first?.id, 2, 1]);
    expect(again?.notifiedAt?.getTime()).toBeGreaterThan((first?.notifiedAt?.getTime() ?? 0) + hourMs);

    advance(hourMs + 1);
    await verified;
    await t.criticizer.stop();
    const [last] = await mails();
    expect([last?.status, last?.verifiedAt === null, sends()]).toEqual(['sent', false, 2]);
  });
});

describe('createReconciler', () => {
  /** Stores with `count` rows marked sent by `mailer`, and a reconciler over them. */
  async function given(mailer: Mailer, count: number, reconcileAfterMs = hourMs) {
    const clock = createManualClock();
    const stores = createMemoryStores({ clock });
    const saved = new Map<string, Uint8Array>();
    for (let n = 1; n <= count; n++) {
      const key = String(n).padStart(32, '0');
      const address = 'dev@example.test';
      const mail: FrozenMail = {
        messageId: messageIdFor(key, 'reviews.example.test'),
        from: { address: 'reviews@example.test' },
        envelopeFrom: 'reviews@example.test',
        to: { address },
        subject: 'a review',
        date: await stores.now(),
        text: 'nothing to say',
        html: '',
        headers: [],
      };
      const { bytes, sha256 } = encodeFrozenMail(mail);
      saved.set(key, bytes);
      const about = { changelistId: 'main/7', reviewVersion: n, required: true, via: mailer.id, jobId: null };
      await stores.outbox.add([
        { ...about, recipient: address, recipientKey: address, key, messageArtifactId: key, messageSha256: sha256 },
      ]);
      const [claimed] = await stores.outbox.claim({
        owner: 'o',
        token: key,
        leaseMs: 1_000,
        limit: 1,
        via: [mailer.id],
        purpose: 'deliver',
      });
      if (claimed === undefined) throw new Error('no row to claim');
      await mailer.send(mail, { key, signal: idle, onPhase: async () => undefined });
      const { lease } = claimed;
      await stores.outbox.settle([
        { lease, kind: 'sent', notificationId: mail.messageId, provider: mailer.id, recovered: false },
      ]);
    }
    const telemetry = createMemoryTelemetry();
    const vault = { save: async () => '', load: async (id: string) => saved.get(id) ?? null };
    let wakes = 0;
    const options = {
      outbox: stores.outbox,
      senders: listMailers('mailer', mailer),
      vault,
      settings: { reconcileAfterMs, leaseMs: 60_000, concurrency: 4 },
      wakeMail: () => void wakes++,
      storeNow: () => stores.now(),
      clock,
      random: systemRandom,
      logger: silentLogger,
      telemetry,
    };
    const reconcile = createReconciler(options);
    /** Another process's. */
    const again = createReconciler(options);
    const outcomes = () => telemetry.measurements.map(({ attributes }) => attributes[attribute.outcome]);
    return { again, clock, stores, reconcile, outcomes, wakes: () => wakes };
  }

  it('NOT-8: leaves young rows alone, waits for the settle time, and looks at what it verified no more', async () => {
    const t = await given(createMemoryMailer({ capabilities: { settleMs: 2 * hourMs } }), 3);
    await t.clock.advance(2 * hourMs);
    expect(await t.reconcile(idle)).toBe(0);
    await t.clock.advance(1);
    expect(await t.reconcile(idle)).toBe(3);
    expect(t.outcomes()).toEqual(['verified', 'verified', 'verified']);
    await t.clock.advance(10 * hourMs);
    expect(await t.reconcile(idle)).toBe(0);
  });

  it('NOT-8: reopens what is conclusively absent and wakes the mail worker', async () => {
    const t = await given(forgetfulMailer(1).mailer, 2);
    await t.clock.advance(hourMs + 1);
    expect(await t.reconcile(idle)).toBe(2);
    expect([...t.outcomes()].sort()).toEqual(['reopened', 'verified']);
    expect(t.wakes()).toBe(1);
    expect(await t.stores.outbox.list({ status: 'pending' })).toMatchObject([
      { reviewVersion: 1, notifiedAt: null, notificationId: null },
    ]);
  });

  it('NOT-8: changes nothing where absence proves nothing, and looks again later, not at once', async () => {
    const unsure: Mailer = { ...createMemoryMailer(), lookup: async () => ({ kind: 'absent', conclusive: false }) };
    const t = await given(unsure, 1);
    await t.clock.advance(hourMs + 1);
    expect(await t.reconcile(idle)).toBe(1);
    expect(t.outcomes()).toEqual(['unverified']);
    expect((await t.stores.outbox.list({}))[0]).toMatchObject({ status: 'sent', verifiedAt: null });
    expect(await t.reconcile(idle)).toBe(0);
    await t.clock.advance(hourMs + 1);
    expect(await t.reconcile(idle)).toBe(1);
  });

  it('NOT-8: claims nothing for a mailer that cannot look up', async () => {
    const t = await given(createMemoryMailer({ capabilities: { lookup: 'none' } }), 1);
    await t.clock.advance(10 * hourMs);
    const [before] = await t.stores.outbox.list({});
    expect(await t.reconcile(idle)).toBe(0);
    expect(await t.stores.outbox.list({})).toEqual([before]);
  });

  it('NOT-8: a turn is bounded, and the rest comes with the next one', async () => {
    const t = await given(createMemoryMailer(), 103);
    await t.clock.advance(hourMs + 1);
    expect(await t.reconcile(idle)).toBe(100);
    expect(await t.reconcile(idle)).toBe(3);
    expect(await t.reconcile(AbortSignal.abort())).toBe(0);
  });

  it('WQ-5 NOT-8: a look-up longer than its lease is made once, whoever else reconciles', async () => {
    const memory = createMemoryMailer();
    let asked = 0;
    let answer: () => void = () => undefined;
    const answered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const slow: Mailer = {
      ...memory,
      async lookup(query) {
        asked += 1;
        await answered;
        return memory.lookup?.(query) ?? { kind: 'absent', conclusive: false };
      },
    };
    const t = await given(slow, 1);
    await t.clock.advance(hourMs + 1);
    const first = t.reconcile(idle);
    for (let n = 0; n < 4; n++) {
      await t.clock.advance(30_000);
      expect(await t.again(idle)).toBe(0);
    }
    answer();
    expect([await first, asked, t.outcomes()]).toEqual([1, 1, ['verified']]);
  });

  it('WQ-6 NOT-8: a look-up that hangs is aborted, and the row is left to others', async () => {
    const signals: AbortSignal[] = [];
    const hanging: Mailer = {
      ...createMemoryMailer(),
      lookup: ({ signal }) => {
        signals.push(signal);
        return new Promise(() => undefined);
      },
    };
    const t = await given(hanging, 1);
    await t.clock.advance(hourMs + 1);
    const first = t.reconcile(idle);
    for (let n = 0; n < 31; n++) await t.clock.advance(10_000);
    expect([await first, signals.length]).toEqual([1, 1]);
    expect(signals[0]?.reason).toMatchObject({ code: 'WORK_TIMEOUT' });
    await t.clock.advance(60_000);
    void t.again(idle);
    await t.clock.advance(1);
    expect(signals).toHaveLength(2);
  });

  it('NOT-8: a look-up that breaks costs its own row its turn, no other', async () => {
    const memory = createMemoryMailer();
    let asked = 0;
    const breaking: Mailer = {
      ...memory,
      lookup: async (query) => {
        asked += 1;
        if (asked === 1) throw new TypeError('a bug of the mailer');
        return memory.lookup?.(query) ?? { kind: 'absent', conclusive: false };
      },
    };
    const t = await given(breaking, 2);
    await t.clock.advance(hourMs + 1);
    expect(await t.reconcile(idle)).toBe(2);
    expect(t.outcomes()).toEqual(['verified']);
    await t.clock.advance(60_000);
    expect(await t.reconcile(idle)).toBe(1);
    expect(t.outcomes()).toEqual(['verified', 'verified']);
  });
});
