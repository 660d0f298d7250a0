import assert from 'node:assert/strict';
import type { FrozenMail, Mailer, SendOutcome } from '../../../outbox/senders/mailer.js';
import { defaultDeadlineMs, expectWithin } from '../../support/case-deadline.js';
import { type CaseOn, contractCases } from '../../support/contract-cases.js';
import type { Runner } from '../../support/runner.js';
import { mailNumber, recording } from './mailer-samples.js';
import { underDeadline } from './mailer-under-deadline.js';

/** One mail as the far end got it. */
export interface ReceivedMail {
  /** From `X-Criticizer-Key` or the provider's own field for it. */
  key: string;
  messageId: string;
  /** Envelope sender. Left out where the far end does not see one. */
  from?: string | undefined;
  /** Envelope recipients. */
  to: readonly string[];
  /** The message without anything the far end added. */
  raw: Uint8Array;
}

/** A mailer and the far end it talks to. */
export interface MailerUnderTest {
  mailer: Mailer;
  received(): Promise<readonly ReceivedMail[]>;
  /** From now on the far end takes each message and its answer is lost. Left out where a mailer cannot lose one. */
  dropAfterData?(): void | Promise<void>;
  /** From now on the far end refuses the recipient for good. */
  refuseRecipient?(): void | Promise<void>;
  /** From now on the far end takes each message and never answers; `taken` resolves once it took one. */
  stallAfterData?(): { taken: Promise<void> };
  /** From now on the place that look-ups read cannot be read: unmounted, unreachable, refused. */
  breakLookup?(): void | Promise<void>;
  dispose(): Promise<void>;
}

/** Makes a mailer and its server for each case. */
export interface MailerHarness {
  /** A fresh far end for each test. */
  create(): Promise<MailerUnderTest>;
  /** How long one call of the mailer may take, in milliseconds. Default 4,000. */
  deadlineMs?: number | undefined;
}

const day = 86_400_000;

async function send(mailer: Mailer, { mail, key }: { mail: FrozenMail; key: string }): Promise<SendOutcome> {
  return mailer.send(mail, recording(key).context);
}

function lookUp(mailer: Mailer, { mail, key }: { mail: FrozenMail; key: string }, sinceDataMs: number) {
  assert.ok(mailer.lookup, 'a mailer that declares look-up must have it');
  const { signal } = new AbortController();
  return mailer.lookup({
    key,
    messageId: mail.messageId,
    id: mail.messageId,
    recipient: mail.to.address,
    since: new Date(Date.now() - day),
    sinceDataMs,
    signal,
  });
}

type Case = CaseOn<MailerUnderTest>;

function describeSending(it: Case): void {
  it('NOT-5: accepts a mail, gives an id, and the far end has it once, for one recipient, under its key and Message-ID', async ({
    mailer,
    received,
  }) => {
    const one = mailNumber(1);
    const outcome = await send(mailer, one);
    assert.equal(outcome.kind, 'accepted');
    assert.ok(outcome.kind === 'accepted' && outcome.id.length > 0);
    const mails = await received();
    assert.deepEqual(
      mails.map(({ key, messageId, to }) => ({ key, messageId, to })),
      [{ key: one.key, messageId: one.mail.messageId, to: ['dev@example.test'] }],
    );
  });
  it('NOT-5: carries the frozen envelope sender, reply address and headers, none of its own making', async ({
    mailer,
    received,
  }) => {
    const { mail, key } = mailNumber(1);
    assert.equal((await send(mailer, { mail, key })).kind, 'accepted');
    const [got] = await received();
    assert.ok(got !== undefined);
    assert.equal(got.from ?? mail.envelopeFrom, mail.envelopeFrom);
    const raw = Buffer.from(got.raw).toString('latin1');
    for (const value of [mail.replyTo?.address ?? '', ...mail.headers.map((header) => header.value)])
      assert.ok(raw.includes(value), `expected the message to carry ${value}`);
  });
  it('R6: announces envelope, then data, once each', async ({ mailer }) => {
    const one = mailNumber(1);
    const { phases, context } = recording(one.key);
    await mailer.send(one.mail, context);
    assert.deepEqual(phases, ['envelope', 'data']);
  });
  it('EGR-1: announces exactly the bytes that the far end receives, and where they go', async ({
    mailer,
    received,
  }) => {
    const one = mailNumber(1);
    const { announced, context } = recording(one.key);
    await mailer.send(one.mail, context);
    const [got] = await received();
    assert.ok(got !== undefined);
    assert.equal(announced.length, 1);
    assert.ok((announced[0]?.host ?? '').length > 0, 'expected the host that the bytes go to');
    if (mailer.host !== undefined)
      assert.equal(announced[0]?.host, mailer.host, 'the mailer declares a host that it does not send to');
    assert.deepEqual(Buffer.from(announced[0]?.bytes ?? []), Buffer.from(got.raw));
  });
  for (const phase of ['envelope', 'data'] as const) {
    it(`R6: a rejection of ${phase} stops the send before any byte of the message leaves, and comes out as it is`, async ({
      mailer,
      received,
    }) => {
      const reason = new Error('not recorded');
      const one = mailNumber(1);
      await assert.rejects(
        mailer.send(one.mail, recording(one.key, { phase, reason }).context),
        (error) => error === reason,
      );
      assert.deepEqual(await received(), []);
      assert.equal((await send(mailer, mailNumber(2))).kind, 'accepted', 'the mailer is usable afterwards');
    });
  }
  it('an aborted signal sends nothing', async ({ mailer, received }) => {
    const one = mailNumber(1);
    const controller = new AbortController();
    controller.abort(new Error('stop'));
    await assert.rejects(mailer.send(one.mail, { ...recording(one.key).context, signal: controller.signal }));
    assert.deepEqual(await received(), []);
  });
  it('an abort at the envelope sends nothing', async ({ mailer, received }) => {
    const one = mailNumber(1);
    const controller = new AbortController();
    const onPhase = async (): Promise<void> => controller.abort(new Error('stop'));
    const sent = mailer.send(one.mail, { key: one.key, signal: controller.signal, onPhase });
    await assert.rejects(sent, 'expected send() to reject once its signal was aborted');
    assert.deepEqual(await received(), []);
  });
  it('NOT-5: two sends of one frozen mail carry the same bytes; another mail carries others', async ({
    mailer,
    received,
  }) => {
    for (const n of [1, 1, 2]) assert.equal((await send(mailer, mailNumber(n))).kind, 'accepted');
    const mails = await received();
    const repeats = mails.filter((mail) => mail.key === mailNumber(1).key);
    assert.equal(repeats.length, mailer.capabilities.idempotency === 'none' ? 2 : 1);
    const [first, second = first] = repeats;
    assert.ok(first && second);
    assert.deepEqual(Buffer.from(first.raw), Buffer.from(second.raw));
    const other = mails.find((mail) => mail.key === mailNumber(2).key);
    assert.ok(other !== undefined && !Buffer.from(other.raw).equals(Buffer.from(first.raw)));
  });
  it('sends many at once, each on its own', async ({ mailer, received }) => {
    const numbers = Array.from({ length: 12 }, (_, n) => n + 1);
    const outcomes = await Promise.all(numbers.map((n) => send(mailer, mailNumber(n))));
    assert.ok(outcomes.every((outcome) => outcome.kind === 'accepted'));
    assert.equal(new Set((await received()).map((mail) => mail.key)).size, numbers.length);
  });
}

function describeFaults(it: Case): void {
  it('NOT-9: a refused recipient is a permanent fault of the recipient, not of the transport', async (under) => {
    if (under.refuseRecipient === undefined) return;
    await under.refuseRecipient();
    const outcome = await send(under.mailer, mailNumber(1));
    assert.ok(outcome.kind === 'rejected' && outcome.permanent);
    assert.equal(outcome.failure.scope, 'recipient');
    assert.ok(!outcome.failure.message.includes('dev@example.test'), 'a failure names no address');
    assert.deepEqual(await under.received(), []);
  });
  it('NOT-7: a lost answer is ambiguous, never a clear no', async (under) => {
    if (under.dropAfterData === undefined) return;
    await under.dropAfterData();
    const outcome = await send(under.mailer, mailNumber(1));
    assert.equal(outcome.kind, 'ambiguous');
    assert.equal((await under.received()).length, 1);
  });
  it('NOT-7: an abort while the answer is awaited ends the send at once, and is no clear no', async (under) => {
    if (under.stallAfterData === undefined) return;
    const { taken } = under.stallAfterData();
    const one = mailNumber(1);
    const controller = new AbortController();
    const sent = under.mailer.send(one.mail, { ...recording(one.key).context, signal: controller.signal });
    sent.catch(() => undefined);
    await expectWithin(defaultDeadlineMs, 'the far end to take the message', taken);
    controller.abort(new Error('stop'));
    const kind = await sent.then(
      (outcome) => outcome.kind,
      (error: unknown) => {
        if (error instanceof assert.AssertionError) throw error;
        return 'threw'; // after the data phase core reads any throw as: may have been sent
      },
    );
    assert.ok(
      kind === 'ambiguous' || kind === 'threw',
      `expected an aborted mail that was handed over to be ambiguous, not ${kind}`,
    );
  });
}

function describeLookup(it: Case): void {
  it('NOT-7: what was accepted is found, also where its answer was lost; what was not is absent', async (under) => {
    const { mailer } = under;
    if (mailer.capabilities.lookup !== 'key') return;
    assert.equal((await send(mailer, mailNumber(1))).kind, 'accepted');
    assert.equal((await lookUp(mailer, mailNumber(1), 0)).kind, 'found');
    assert.equal((await lookUp(mailer, mailNumber(2), 0)).kind, 'absent');
    await under.dropAfterData?.();
    await send(mailer, mailNumber(3));
    assert.equal((await lookUp(mailer, mailNumber(3), 0)).kind, 'found');
  });
  it('NOT-7: absence is conclusive only after the settle time and inside the retention', async ({ mailer }) => {
    const { lookup, settleMs, retentionMs } = mailer.capabilities;
    if (lookup !== 'key') return;
    assert.equal((await send(mailer, mailNumber(1))).kind, 'accepted');
    assert.deepEqual(await lookUp(mailer, mailNumber(2), settleMs), { kind: 'absent', conclusive: true });
    if (settleMs > 0)
      assert.deepEqual(await lookUp(mailer, mailNumber(2), settleMs - 1), { kind: 'absent', conclusive: false });
    if (retentionMs < Number.MAX_SAFE_INTEGER) {
      assert.deepEqual(await lookUp(mailer, mailNumber(2), retentionMs + 1), { kind: 'absent', conclusive: false });
    }
  });
  it('NOT-7: a look-up that could not look proves nothing', async (under) => {
    const { lookup, settleMs } = under.mailer.capabilities;
    if (lookup !== 'key' || under.breakLookup === undefined) return;
    assert.equal((await send(under.mailer, mailNumber(1))).kind, 'accepted');
    await under.breakLookup();
    for (const n of [1, 2]) {
      const found = await lookUp(under.mailer, mailNumber(n), settleMs).catch((error: unknown) => {
        if (error instanceof assert.AssertionError) throw error;
        return undefined;
      });
      const isProof = found !== undefined && found.kind === 'absent' && found.conclusive;
      assert.ok(
        !isProof,
        'expected no conclusive absence from a place that cannot be read: core would send the mail again',
      );
    }
  });
  it('close is idempotent', async ({ mailer }) => {
    await send(mailer, mailNumber(1));
    await mailer.close?.();
    await mailer.close?.();
  });
}

/**
 * What every `Mailer` must do: phases in order, nothing sent when the data phase is refused, one
 * recipient, the same bytes for the same mail, whole and clear outcomes, aborts that end it, honest
 * look-ups. Each call has a deadline and says what was expected when it passes. Faults a harness
 * cannot make are left out of its run.
 */
export function describeMailerContract(runner: Runner, harness: MailerHarness): void {
  const cases = contractCases(runner, harness);
  const it: Case = (title, body) =>
    cases(title, async (given) => {
      const under = { ...given, mailer: underDeadline(given.mailer, harness.deadlineMs ?? defaultDeadlineMs) };
      try {
        await body(under);
      } finally {
        await under.mailer.close?.();
      }
    });
  runner.describe('Mailer contract', () => {
    describeSending(it);
    describeFaults(it);
    describeLookup(it);
  });
}
