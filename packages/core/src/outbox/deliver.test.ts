import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { CriticizerError } from '../foundation/errors.js';
import type { DeliveryFailure, NotifyOutbox, OutboxRow, OutboxSettlement } from '../stores/notify-outbox.js';
import { silentLogger } from '../telemetry/logger.js';
import { createManualClock } from '../testing/support/manual-clock.js';
import { deliverRow } from './deliver.js';
import type { DeliverOptions, DeliveryResult } from './deliver-options.js';
import { type ReconcileOptions, reconcileRow } from './deliver-reconcile.js';
import { type DeliverySettings, defaultDeliverySettings } from './deliver-settlement.js';
import { encodeFrozenMail } from './frozen/frozen-mail.js';
import type { FrozenMail, Mailer, MailerCapabilities, SendOutcome } from './senders/mailer.js';
import { createMemoryMailer } from './senders/memory-mailer.js';
import { mailSender } from './senders/sender.js';

const wire = { host: 'memory', bytes: Buffer.from('mail') };

const key = '0123456789abcdef0123456789abcdef';
const mail: FrozenMail = {
  messageId: `<${key}@example.test>`,
  from: { address: 'criticizer@example.test' },
  envelopeFrom: 'bounces@example.test',
  to: { address: 'dev@example.test' },
  subject: 'subject',
  date: new Date('2026-01-01T00:00:00.000Z'),
  text: 'text',
  html: '<p>html</p>',
  headers: [],
};
const frozen = encodeFrozenMail(mail);
const start = Date.UTC(2026, 0, 1);

/** One row of an outbox, with the fences and writes the port promises and nothing else. */
function createOneRowOutbox() {
  let now = start;
  let token = 0;
  const row: OutboxRow = {
    changelistId: 'p4/1',
    reviewVersion: 1,
    recipient: 'dev@example.test',
    recipientKey: 'dev@example.test',
    key,
    required: true,
    via: 'memory',
    jobId: null,
    messageArtifactId: 'artifact',
    messageSha256: frozen.sha256,
    traceparent: null,
    id: 'row',
    status: 'pending',
    attempts: 0,
    phase: 'none',
    dataAt: null,
    notificationId: null,
    notifiedAt: null,
    provider: null,
    providerKeyExpiresAt: null,
    possibleDuplicate: false,
    lastFailure: null,
    waitingFor: null,
    nextAttemptAt: new Date(start),
    verifiedAt: null,
    createdAt: new Date(start),
    updatedAt: new Date(start),
  };
  const writes: string[] = [];
  const held = (lease: { token: string }): boolean => row.status === 'sending' && lease.token === String(token);

  function apply(settlement: OutboxSettlement): void {
    writes.push(settlement.kind);
    row.status = 'pending';
    if (settlement.kind === 'sent') {
      Object.assign(row, {
        status: 'sent',
        notificationId: settlement.notificationId,
        notifiedAt: new Date(now),
        provider: settlement.provider,
      });
      row.possibleDuplicate ||= settlement.possibleDuplicate ?? false;
    } else if (settlement.kind === 'retry' || settlement.kind === 'wait') {
      row.phase = settlement.phase;
      row.nextAttemptAt = new Date(now + settlement.delayMs);
      if (settlement.kind === 'wait') row.attempts--;
      else row.lastFailure = settlement.failure;
    } else if (settlement.kind === 'failed' || settlement.kind === 'unknown') {
      row.status = settlement.kind;
      row.lastFailure = settlement.failure;
    } else if (settlement.kind === 'reopen') {
      Object.assign(row, { notificationId: null, notifiedAt: null, phase: 'none' });
    } else {
      row.status = settlement.kind === 'cancelled' ? 'cancelled' : 'sent';
    }
  }

  const verbs: Pick<NotifyOutbox<unknown>, 'recordPhase' | 'settle'> = {
    async recordPhase(lease, phase, options = {}) {
      if (!held(lease)) return 'lease-lost';
      writes.push(phase);
      row.phase = phase;
      row.dataAt = new Date(now);
      row.possibleDuplicate ||= options.possibleDuplicate ?? false;
      row.provider = options.provider ?? row.provider;
      row.providerKeyExpiresAt =
        options.providerKeyTtlMs === undefined ? null : new Date(now + options.providerKeyTtlMs);
      return 'recorded';
    },
    async settle(settlements) {
      return settlements.map((settlement) => {
        if (!held(settlement.lease)) return 'lease-lost';
        apply(settlement);
        return 'settled';
      });
    },
  };
  return {
    row,
    writes,
    verbs,
    now: () => new Date(now),
    pass(ms: number) {
      now += ms;
    },
    claim() {
      row.status = 'sending';
      row.attempts++;
      row.updatedAt = new Date(now);
      return { row: { ...row }, lease: { rowId: row.id, owner: 'worker', token: String(++token) }, superseded: false };
    },
  };
}

type Outbox = ReturnType<typeof createOneRowOutbox>;

function deliver(
  outbox: Outbox,
  mailer: Mailer,
  change: Partial<DeliverOptions<unknown>> = {},
): Promise<DeliveryResult> {
  return deliverRow({
    ...outbox.claim(),
    outbox: outbox.verbs,
    sender: mailSender(mailer),
    vault: { load: async () => frozen.bytes },
    outbound: null,
    settings: defaultDeliverySettings,
    storeNow: async () => outbox.now(),
    clock: createManualClock(),
    signal: new AbortController().signal,
    logger: silentLogger,
    ...change,
  });
}

/** A mailer that announces both phases and then gives the next of `answers`, the last one for ever. */
function answering(
  answers: readonly (SendOutcome | Error)[],
  capabilities: Partial<MailerCapabilities> = {},
): Mailer & { sends: number } {
  const mailer: Mailer & { sends: number } = {
    contract: 1,
    id: 'memory',
    sends: 0,
    capabilities: { idempotency: 'none', lookup: 'none', settleMs: 0, retentionMs: 1e12, ...capabilities },
    async send(_mail, context) {
      const answer = answers[Math.min(mailer.sends++, answers.length - 1)];
      await context.onPhase('envelope');
      await context.onPhase('data', wire);
      if (answer instanceof Error || answer === undefined) throw answer;
      return answer;
    },
  };
  return mailer;
}

const failure = (scope: DeliveryFailure['scope']): DeliveryFailure => ({
  scope,
  code: 'SOME_CODE',
  category: 'upstream',
  message: 'no',
});
const ambiguous: SendOutcome = { kind: 'ambiguous', failure: failure('transport') };
const rejected = (scope: DeliveryFailure['scope'], permanent: boolean, retryAfterMs?: number): SendOutcome => ({
  kind: 'rejected',
  failure: failure(scope),
  permanent,
  retryAfterMs,
});
const hold: DeliverySettings = { ...defaultDeliverySettings, ambiguity: 'hold' };

describe('deliverRow: one attempt', () => {
  it('NOT-5: records the data phase, sends, marks in one write', async () => {
    const outbox = createOneRowOutbox();
    const mailer = createMemoryMailer();
    expect(await deliver(outbox, mailer)).toMatchObject({ outcome: 'sent' });
    expect(outbox.writes).toEqual(['data', 'sent']);
    expect(outbox.row).toMatchObject({ status: 'sent', notificationId: mail.messageId, possibleDuplicate: false });
    expect(mailer.accepted()).toHaveLength(1);
  });

  it('NOT-4: a notified row is not sent', async () => {
    const outbox = createOneRowOutbox();
    Object.assign(outbox.row, { notificationId: 'x', notifiedAt: new Date(start) });
    const mailer = createMemoryMailer();
    await deliver(outbox, mailer);
    expect(mailer.accepted()).toHaveLength(0);
    expect(outbox.row.status).toBe('sent');
  });

  it('NOT-2: what a newer version has rows of is not sent, nor sent again, and is no failure', async () => {
    const superseded = { superseded: true };
    const gone = { ...superseded, vault: { load: async () => null } };
    for (const before of [{}, { phase: 'data', dataAt: new Date(start) }, { attempts: 99 }] as const) {
      const outbox = createOneRowOutbox();
      Object.assign(outbox.row, before);
      const mailer = answering([{ kind: 'accepted', id: 'x' }]);
      expect(await deliver(outbox, mailer, gone)).toEqual({ outcome: 'cancelled', code: undefined });
      expect([outbox.row.status, mailer.sends]).toEqual(['cancelled', 0]);
    }
  });

  it('NOT-2: a superseded row that may have been sent is looked up: found it is sent, absent it is cancelled', async () => {
    const lost = (): Outbox => {
      const outbox = createOneRowOutbox();
      Object.assign(outbox.row, { phase: 'data', dataAt: new Date(start), provider: 'memory' });
      return outbox;
    };
    const mailer = createMemoryMailer();
    expect(await deliver(lost(), mailer, { superseded: true })).toMatchObject({ outcome: 'cancelled' });
    expect(mailer.accepted()).toHaveLength(0);
    await mailer.send(mail, { key, signal: new AbortController().signal, onPhase: async () => undefined });
    const found = lost();
    expect(await deliver(found, mailer, { superseded: true })).toMatchObject({ outcome: 'recovered' });
    expect([found.row.status, mailer.accepted().length]).toEqual(['sent', 1]);
  });

  it('WQ-6: a lost lease stops the send before its data phase', async () => {
    const outbox = createOneRowOutbox();
    const mailer = createMemoryMailer();
    const stale = outbox.claim();
    outbox.claim();
    expect(await deliver(outbox, mailer, { ...stale })).toEqual({ outcome: 'lease-lost' });
    expect(mailer.accepted()).toHaveLength(0);
  });

  it('NOT-5: a stored mail with other bytes is not sent', async () => {
    const outbox = createOneRowOutbox();
    const mailer = createMemoryMailer();
    const other = encodeFrozenMail({ ...mail, text: 'other' });
    expect(await deliver(outbox, mailer, { vault: { load: async () => other.bytes } })).toMatchObject({
      outcome: 'failed',
      code: 'MAIL_DIGEST_MISMATCH',
    });
    expect(mailer.accepted()).toHaveLength(0);
  });

  it('NOT-9: a stored message of an unknown kind waits for a worker that knows it, and is reported as an outage', async () => {
    const text = Buffer.from(frozen.bytes).toString().replace('"kind":"mail"', '"kind":"chat-message"');
    for (const phase of ['none', 'data'] as const) {
      const outbox = createOneRowOutbox();
      Object.assign(outbox.row, { phase, messageSha256: createHash('sha256').update(text).digest('hex') });
      const mailer = createMemoryMailer();
      expect(await deliver(outbox, mailer, { vault: { load: async () => Buffer.from(text) } })).toEqual({
        outcome: 'waiting',
        code: 'MESSAGE_KIND_UNKNOWN',
        outage: true,
      });
      expect(outbox.row).toMatchObject({ status: 'pending', attempts: 0, phase });
      expect(outbox.row.nextAttemptAt.getTime()).toBeGreaterThan(start);
      expect(mailer.accepted()).toHaveLength(0);
    }
  });

  it('EGR-5: a purged mail fails the row, or holds it where it may have been sent', async () => {
    const gone = { load: async () => null };
    expect(await deliver(createOneRowOutbox(), createMemoryMailer(), { vault: gone })).toMatchObject({
      outcome: 'failed',
      code: 'MAIL_GONE',
    });
    const outbox = createOneRowOutbox();
    outbox.row.phase = 'data';
    expect(await deliver(outbox, createMemoryMailer(), { vault: gone })).toMatchObject({
      outcome: 'held',
      code: 'MAIL_GONE',
    });
  });

  it('NOT-9: a permanent fault of recipient or message fails the row', async () => {
    for (const scope of ['recipient', 'message'] as const) {
      const outbox = createOneRowOutbox();
      expect(await deliver(outbox, answering([rejected(scope, true)]))).toMatchObject({
        outcome: 'failed',
        code: 'SOME_CODE',
      });
      expect(outbox.row.lastFailure?.scope).toBe(scope);
    }
  });

  it('NOT-9: a transient one is retried with backoff until the attempts are spent, then failed', async () => {
    const outbox = createOneRowOutbox();
    const mailer = answering([rejected('recipient', false)]);
    const delays: number[] = [];
    for (let n = 1; n < defaultDeliverySettings.maxAttempts; n++) {
      expect(await deliver(outbox, mailer)).toMatchObject({ outcome: 'retrying' });
      delays.push(outbox.row.nextAttemptAt.getTime() - outbox.now().getTime());
    }
    expect(delays).toEqual([1_000, 2_000, 4_000, 8_000]);
    expect(await deliver(outbox, mailer)).toMatchObject({ outcome: 'failed' });
  });

  it('R9: a transport outage or a parked credential spends no attempt and never fails a row', async () => {
    const parked = new CriticizerError('SMTP_AUTH', 'no', { category: 'auth', parks: true, retryAfterMs: 99_000 });
    for (const answer of [rejected('transport', true), rejected('transport', false), parked]) {
      const outbox = createOneRowOutbox();
      const mailer = answering([answer]);
      for (let n = 0; n < 20; n++) expect(await deliver(outbox, mailer)).toMatchObject({ outcome: 'waiting' });
      expect(outbox.row).toMatchObject({ attempts: 0, status: 'pending', phase: 'none' });
    }
  });

  it('R9: greylisting beyond the backoff cap is waited for', async () => {
    const outbox = createOneRowOutbox();
    expect(await deliver(outbox, answering([rejected('recipient', false, 300_000)]))).toMatchObject({
      outcome: 'waiting',
    });
    expect(outbox.row.attempts).toBe(0);
    expect(outbox.row.nextAttemptAt.getTime() - start).toBe(300_000);
  });

  it('R9: a mail whose turn has not come waits without an attempt, and a look-up needs no turn', async () => {
    const reserved: string[] = [];
    const pacer = { reserve: (rowId: string) => (reserved.push(rowId) === 1 ? 90_000 : 0) };
    const outbox = createOneRowOutbox();
    const memory = createMemoryMailer();
    expect(await deliver(outbox, memory, { pacer })).toEqual({ outcome: 'waiting', code: 'paced' });
    expect(outbox.row).toMatchObject({ attempts: 0, nextAttemptAt: new Date(start + 90_000) });
    expect(await deliver(outbox, memory, { pacer })).toMatchObject({ outcome: 'sent' });
    const known = createOneRowOutbox();
    Object.assign(known.row, { phase: 'data', dataAt: new Date(start), provider: 'memory' });
    expect(await deliver(known, memory, { pacer })).toMatchObject({ outcome: 'recovered' });
    expect(reserved).toEqual(['row', 'row']);
  });

  it('NOT-7: keeps the result of an accepted mail while the store is away', async () => {
    const outbox = createOneRowOutbox();
    const clock = createManualClock();
    let failures = 2;
    const verbs = {
      ...outbox.verbs,
      async settle(settlements: readonly OutboxSettlement[]) {
        if (failures-- > 0) throw new Error('connection lost');
        return outbox.verbs.settle(settlements);
      },
    };
    const done = deliver(outbox, createMemoryMailer(), { outbox: verbs, clock });
    await clock.advance(10_000);
    expect(await done).toMatchObject({ outcome: 'sent' });
  });

  it('stops at the abort signal: nothing sent before the data phase, ambiguous after it', async () => {
    const before = new AbortController();
    before.abort(new Error('stop'));
    const outbox = createOneRowOutbox();
    const mailer = createMemoryMailer();
    expect(await deliver(outbox, mailer, { signal: before.signal })).toMatchObject({ outcome: 'waiting' });
    expect(mailer.accepted()).toHaveLength(0);
    const during = new AbortController();
    const late: Mailer = {
      ...answering([ambiguous]),
      async send(_mail, context) {
        await context.onPhase('data', wire);
        during.abort(new Error('stop'));
        throw during.signal.reason;
      },
    };
    const stopped = await deliver(outbox, late, { signal: during.signal });
    expect(stopped).toEqual({ outcome: 'retrying', code: 'MAIL_SEND_ABORTED' });
    expect(outbox.row.phase).toBe('data');
  });
});

describe('deliverRow: after an ambiguous attempt', () => {
  it('NOT-7: found by look-up: marked without a second send', async () => {
    const outbox = createOneRowOutbox();
    const memory = createMemoryMailer();
    const lossy: Mailer = { ...memory, send: (m, c) => memory.send(m, c).then(() => ambiguous) };
    expect(await deliver(outbox, lossy)).toEqual({ outcome: 'waiting', code: 'SOME_CODE' });
    expect(outbox.row.nextAttemptAt.getTime() - start).toBe(1_000);
    expect(await deliver(outbox, memory)).toMatchObject({ outcome: 'recovered' });
    expect(memory.accepted()).toHaveLength(1);
    expect(outbox.row).toMatchObject({ status: 'sent', possibleDuplicate: false });
  });

  it('NOT-7: absence before the settle time waits and gives the attempt back; afterwards it sends', async () => {
    const outbox = createOneRowOutbox();
    const memory = createMemoryMailer({ capabilities: { settleMs: 60_000 } });
    expect(await deliver(outbox, answering([ambiguous], { lookup: 'key', settleMs: 60_000 }))).toMatchObject({
      outcome: 'waiting',
    });
    expect(outbox.row.nextAttemptAt.getTime() - start).toBe(60_000);
    expect(await deliver(outbox, memory)).toMatchObject({ outcome: 'waiting', code: 'not-settled' });
    expect(outbox.row.attempts).toBe(0);
    outbox.pass(60_000);
    expect(await deliver(outbox, memory)).toMatchObject({ outcome: 'sent' });
    expect(memory.accepted()).toHaveLength(1);
  });

  it('R9: an outage after the data phase spends no attempt where a look-up or the key can tell, and is reported from the second on', async () => {
    for (const capabilities of [
      { lookup: 'key' },
      { idempotency: 'receiver' },
      { idempotency: { ttlMs: 1e12 } },
    ] as const) {
      const outbox = createOneRowOutbox();
      const mailer = {
        ...answering([ambiguous], capabilities),
        lookup: async () => ({ kind: 'absent', conclusive: true }) as const,
      };
      const results: DeliveryResult[] = [];
      for (let n = 0; n < 3 * defaultDeliverySettings.maxAttempts; n++) {
        outbox.pass(60_000);
        results.push(await deliver(outbox, mailer));
      }
      expect(outbox.row).toMatchObject({ status: 'pending', attempts: 0, phase: 'data' });
      // With a look-up the absent mail is sent again, which may be one copy more.
      expect(outbox.row.possibleDuplicate).toBe('lookup' in capabilities);
      expect(results[0]).toEqual({ outcome: 'waiting', code: 'SOME_CODE' });
      expect(results.slice(1).every((result) => result.outcome === 'waiting' && result.outage === true)).toBe(true);
      expect(outbox.row.nextAttemptAt.getTime() - outbox.now().getTime()).toBe(225_000); // a quarter of its 15 minutes
    }
  });

  it('NOT-7: a copy that lies in the server’s queue longer than the settle time is never a silent second one', async () => {
    // Takes every mail, answers the first with nothing, and shows what it took only after an hour.
    for (const death of ['before the flag', 'after the second copy'] as const) {
      const outbox = createOneRowOutbox();
      const taken: number[] = [];
      let isMute = true;
      const mailer: Mailer = {
        ...answering([], { lookup: 'key', settleMs: 60_000 }),
        async send(frozen, { onPhase }) {
          await onPhase('envelope');
          await onPhase('data', { host: 'lagging', bytes: new Uint8Array() });
          taken.push(outbox.now().getTime());
          return isMute ? ambiguous : { kind: 'accepted', id: frozen.messageId };
        },
        async lookup() {
          const isThere = taken.some((at) => outbox.now().getTime() - at >= 3_600_000);
          return isThere ? { kind: 'found', id: 'journal' } : { kind: 'absent', conclusive: true };
        },
      };
      await deliver(outbox, mailer);
      outbox.pass(120_000);
      isMute = death === 'after the second copy';
      await deliver(outbox, mailer);
      outbox.pass(3_600_000);
      await deliver(outbox, mailer);
      expect([taken.length, outbox.row.status, outbox.row.possibleDuplicate]).toEqual([2, 'sent', true]);
    }
  });

  it('NOT-7: where nothing can tell, every lost answer counts, and the attempts are spread over an hour', async () => {
    const outbox = createOneRowOutbox();
    const delays: number[] = [];
    for (let n = 0; n < defaultDeliverySettings.maxAttempts; n++) {
      expect(await deliver(outbox, answering([ambiguous]))).toMatchObject({ outcome: 'retrying' });
      delays.push(outbox.row.nextAttemptAt.getTime() - outbox.now().getTime());
    }
    expect(delays).toEqual([1_000, 300_000, 600_000, 1_200_000, 1_800_000]);
    expect(await deliver(outbox, answering([ambiguous]))).toMatchObject({ outcome: 'held' });
  });

  it('R9: a row older than the patience counts each lost answer', async () => {
    const outbox = createOneRowOutbox();
    outbox.pass(defaultDeliverySettings.patienceMs);
    expect(await deliver(outbox, answering([ambiguous], { lookup: 'key' }))).toMatchObject({ outcome: 'retrying' });
    expect(outbox.row.attempts).toBe(1);
  });

  it('R10: a lost answer waits as long as the server asked', async () => {
    const outbox = createOneRowOutbox();
    await deliver(outbox, answering([{ ...ambiguous, retryAfterMs: 77_000 }], { lookup: 'key' }));
    expect(outbox.row.nextAttemptAt.getTime() - start).toBe(77_000);
  });

  it('NOT-7: a look-up that fails never sends', async () => {
    const outbox = createOneRowOutbox();
    outbox.row.phase = 'data';
    const memory = createMemoryMailer();
    const deaf: Mailer = {
      ...memory,
      lookup: () => Promise.reject(new CriticizerError('MAIL_LOOKUP_FAILED', 'no', { category: 'network' })),
    };
    for (let n = 0; n < 10; n++)
      expect(await deliver(outbox, deaf)).toMatchObject({ outcome: 'waiting', code: 'lookup-failed' });
    expect(memory.accepted()).toHaveLength(0);
  });

  it('without a look-up the policy decides: held, or sent again and flagged', async () => {
    const held = createOneRowOutbox();
    await deliver(held, answering([ambiguous]), { settings: hold });
    expect(await deliver(held, answering([ambiguous]), { settings: hold })).toMatchObject({ outcome: 'held' });
    expect(held.row.status).toBe('unknown');
    const flagged = createOneRowOutbox();
    await deliver(flagged, answering([ambiguous]));
    expect(await deliver(flagged, answering([{ kind: 'accepted', id: 'x' }]))).toMatchObject({ outcome: 'sent' });
    expect(flagged.row).toMatchObject({ possibleDuplicate: true, notificationId: 'x' });
  });

  it('NOT-7: a clear no to a second copy does not settle the first: never failed, still flagged', async () => {
    const outbox = createOneRowOutbox();
    await deliver(outbox, answering([ambiguous]));
    expect(await deliver(outbox, answering([rejected('recipient', false)]))).toMatchObject({ outcome: 'retrying' });
    expect(outbox.row.phase).toBe('data');
    expect(await deliver(outbox, answering([rejected('recipient', true)]))).toMatchObject({ outcome: 'held' });
  });

  it('NOT-7: spent attempts are reconciled before the row fails', async () => {
    const outbox = createOneRowOutbox();
    const memory = createMemoryMailer();
    Object.assign(outbox.row, { phase: 'data', dataAt: new Date(start), provider: 'memory', attempts: 5 });
    await memory.send(mail, { key, signal: new AbortController().signal, onPhase: async () => undefined });
    expect(await deliver(outbox, memory)).toMatchObject({ outcome: 'recovered' });
    const absent = createOneRowOutbox();
    const spent = { phase: 'data', dataAt: new Date(start), provider: 'memory', attempts: 5 } as const;
    Object.assign(absent.row, { ...spent, lastFailure: failure('recipient') });
    expect(await deliver(absent, createMemoryMailer())).toMatchObject({ outcome: 'failed' });
  });

  it('NOT-11: workers that died do not spend a mail: it goes, until there were four times as many', async () => {
    for (const phase of ['none', 'data'] as const) {
      const outbox = createOneRowOutbox();
      const afterDeaths = {
        phase,
        dataAt: phase === 'data' ? new Date(start) : null,
        provider: 'memory',
        attempts: 14,
      };
      Object.assign(outbox.row, afterDeaths);
      expect(await deliver(outbox, createMemoryMailer())).toMatchObject({ outcome: 'sent' });
      const poison = createOneRowOutbox();
      Object.assign(poison.row, { ...afterDeaths, attempts: 20 });
      expect(await deliver(poison, createMemoryMailer())).toMatchObject({
        outcome: 'failed',
        code: 'MAIL_ATTEMPTS_SPENT',
      });
    }
  });

  it('NOT-6: inside the idempotency window the same key is replayed and the window is not lengthened', async () => {
    const outbox = createOneRowOutbox();
    const window = { idempotency: { ttlMs: 600_000 } };
    const mailer = answering([ambiguous, ambiguous, { kind: 'accepted', id: 'x' }], window);
    await deliver(outbox, mailer);
    const end = outbox.row.providerKeyExpiresAt?.getTime();
    outbox.pass(300_000);
    await deliver(outbox, mailer);
    expect(outbox.row.providerKeyExpiresAt?.getTime()).toBe(end);
    expect(await deliver(outbox, mailer)).toMatchObject({ outcome: 'sent' });
    expect(outbox.row.possibleDuplicate).toBe(false);
    const late = createOneRowOutbox();
    await deliver(late, answering([ambiguous], window), { settings: hold });
    late.pass(600_000);
    expect(await deliver(late, answering([{ kind: 'accepted', id: 'x' }], window), { settings: hold })).toMatchObject({
      outcome: 'held',
    });
  });

  it('NOT-6: an id without notifiedAt is looked up; sent again only when the provider has no record', async () => {
    const outbox = createOneRowOutbox();
    Object.assign(outbox.row, { notificationId: 'x', provider: 'memory', dataAt: new Date(start), phase: 'data' });
    const memory = createMemoryMailer({ capabilities: { settleMs: 60_000 } });
    expect(await deliver(outbox, memory)).toMatchObject({ outcome: 'waiting', code: 'not-settled' });
    outbox.pass(60_000);
    expect(await deliver(outbox, memory)).toMatchObject({ outcome: 'sent' });
    expect(memory.accepted()).toHaveLength(1);
  });
});

describe('deliverRow: killed at every point', () => {
  /** Throws at the given steps and, like a dead process, at every step after that until the next run. */
  function createKiller(steps: readonly number[]) {
    let step = 0;
    let dead = false;
    const point = (): void => {
      if (!dead && steps.includes(step)) dead = true;
      step++;
      if (dead) throw new Error('killed');
    };
    return {
      revive: () => {
        dead = false;
      },
      steps: () => step,
      async around<T>(work: () => Promise<T>): Promise<T> {
        point();
        const value = await work();
        point();
        return value;
      },
    };
  }

  async function run(
    steps: readonly number[],
    memory: ReturnType<typeof createMemoryMailer>,
    settings: DeliverySettings,
  ) {
    const outbox = createOneRowOutbox();
    const killer = createKiller(steps);
    const mailer: Mailer = {
      ...memory,
      send: (m, context) =>
        killer.around(() =>
          memory.send(m, { ...context, onPhase: (...step) => killer.around(() => context.onPhase(...step)) }),
        ),
      ...(memory.lookup === undefined
        ? {}
        : {
            lookup: (query) => killer.around(async () => memory.lookup?.(query) ?? Promise.reject(new Error('none'))),
          }),
    };
    const verbs: typeof outbox.verbs = {
      recordPhase: (...args) => killer.around(() => outbox.verbs.recordPhase(...args)),
      settle: (...args) => killer.around(() => outbox.verbs.settle(...args)),
    };
    const clock = { ...createManualClock(), sleep: async () => undefined };
    for (let runs = 0; runs < 12 && ['pending', 'sending'].includes(outbox.row.status); runs++) {
      killer.revive();
      outbox.pass(120_000);
      await deliver(outbox, mailer, {
        outbox: verbs,
        settings,
        clock,
        vault: { load: () => killer.around(async () => frozen.bytes) },
      }).catch(() => undefined);
    }
    return { outbox, steps: killer.steps() };
  }

  const roomy: DeliverySettings = { ...defaultDeliverySettings, maxAttempts: 12 };

  it('NOT-11 INV-2: with a look-up, any one or two deaths leave exactly one copy and a row marked sent', async () => {
    const whole = (await run([], createMemoryMailer(), roomy)).steps;
    expect(whole).toBeGreaterThanOrEqual(10);
    for (let first = 0; first < whole; first++) {
      for (let second = first; second < 2 * whole; second++) {
        const memory = createMemoryMailer({ capabilities: { settleMs: 60_000 } });
        const { outbox } = await run([first, second], memory, roomy);
        expect({ first, second, copies: memory.accepted().length, status: outbox.row.status }).toEqual({
          first,
          second,
          copies: 1,
          status: 'sent',
        });
      }
    }
  });

  it('NOT-11: without one, a second copy is never made in silence, and holding makes none', async () => {
    let copies = 0;
    for (let first = 0; first < 14; first++) {
      const blind = createMemoryMailer({ capabilities: { lookup: 'none' } });
      const { outbox } = await run([first], blind, roomy);
      copies = Math.max(copies, blind.accepted().length);
      expect(outbox.row.status).toBe('sent');
      if (blind.accepted().length > 1) expect(outbox.row.possibleDuplicate).toBe(true);
      const held = createMemoryMailer({ capabilities: { lookup: 'none' } });
      await run([first], held, { ...roomy, ambiguity: 'hold' });
      expect(held.accepted().length).toBeLessThanOrEqual(1);
    }
    expect(copies).toBe(2);
  });

  it('NOT-11: with a receiver that knows the key, any death leaves exactly one copy', async () => {
    for (let first = 0; first < 14; first++) {
      const memory = createMemoryMailer({ capabilities: { lookup: 'none', idempotency: 'receiver' } });
      const { outbox } = await run([first], memory, roomy);
      expect([memory.accepted().length, outbox.row.status, outbox.row.possibleDuplicate]).toEqual([1, 'sent', false]);
    }
  });
});

describe('reconcileRow', () => {
  const sent = (): Outbox => {
    const outbox = createOneRowOutbox();
    Object.assign(outbox.row, {
      phase: 'data',
      dataAt: new Date(start),
      provider: 'memory',
      notificationId: mail.messageId,
      notifiedAt: new Date(start),
    });
    return outbox;
  };
  const check = (outbox: Outbox, mailer: Mailer, change: Partial<ReconcileOptions<unknown>> = {}) =>
    reconcileRow({
      ...outbox.claim(),
      outbox: outbox.verbs,
      sender: mailSender(mailer),
      vault: { load: async () => frozen.bytes },
      storeNow: async () => outbox.now(),
      signal: new AbortController().signal,
      logger: silentLogger,
      ...change,
    });

  it('NOT-8: found is verified, conclusively absent is reopened, the rest is left', async () => {
    const memory = createMemoryMailer();
    await memory.send(mail, { key, signal: new AbortController().signal, onPhase: async () => undefined });
    expect(await check(sent(), memory)).toEqual({ outcome: 'verified' });
    expect(await check(sent(), createMemoryMailer())).toEqual({ outcome: 'reopened' });
    expect(await check(sent(), createMemoryMailer({ id: 'other' }))).toEqual({ outcome: 'unverified' });
    expect(await check(sent(), createMemoryMailer({ capabilities: { settleMs: 1 } }))).toEqual({
      outcome: 'unverified',
    });
    expect(await check(sent(), createMemoryMailer({ capabilities: { lookup: 'none' } }))).toEqual({
      outcome: 'unverified',
    });
    const deaf: Mailer = { ...memory, lookup: () => Promise.reject(new CriticizerError('MAIL_LOOKUP_FAILED', 'no')) };
    expect(await check(sent(), deaf)).toEqual({ outcome: 'unverified' });
  });
});
