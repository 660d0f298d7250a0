import { describe, expect, it } from 'vitest';
import { CriticizerError } from '../../../foundation/errors.js';
import type { Mailer, SendOutcome } from '../../../outbox/senders/mailer.js';
import { createMemoryMailer, type MemoryMailer } from '../../../outbox/senders/memory-mailer.js';
import type { DeliveryFailure } from '../../../stores/notify-outbox.js';
import { collectCases, failedCases } from '../../support/collecting-runner.js';
import { describeMailerContract, type MailerUnderTest } from './mailer-contract.js';

/** The far end, and what it does with the next message. */
interface FarEnd {
  memory: MemoryMailer;
  mode: 'takes' | 'loses-answer' | 'stalls' | 'refuses';
  isJournalGone: boolean;
  taken(): void;
}

const failure = (scope: DeliveryFailure['scope'], code: string): DeliveryFailure => ({
  scope,
  code,
  category: 'policy',
  message: 'no',
});
const lost: SendOutcome = { kind: 'ambiguous', failure: failure('transport', 'ANSWER_LOST') };
const refused: SendOutcome = { kind: 'rejected', failure: failure('recipient', 'REFUSED'), permanent: true };

function honest(far: FarEnd): Mailer {
  const { memory } = far;
  return {
    ...memory,
    async send(mail, context) {
      if (far.mode === 'refuses') return refused;
      const outcome = await memory.send(mail, context);
      far.taken();
      if (far.mode === 'loses-answer') return lost;
      if (far.mode === 'takes') return outcome;
      return new Promise((resolve) => context.signal.addEventListener('abort', () => resolve(lost)));
    },
    async lookup(query) {
      if (far.isJournalGone) throw new CriticizerError('MAIL_LOOKUP_FAILED', 'gone', { category: 'upstream' });
      return (await memory.lookup?.(query)) ?? { kind: 'absent', conclusive: false };
    },
  };
}

type Plant = (mailer: Mailer, far: FarEnd) => Partial<Mailer>;

function create(plant: Plant): MailerUnderTest {
  const far: FarEnd = { memory: createMemoryMailer(), mode: 'takes', isJournalGone: false, taken: () => undefined };
  const mailer = honest(far);
  return {
    mailer: { ...mailer, ...plant(mailer, far) },
    received: async () =>
      far.memory.accepted().map(({ key, mail, raw }) => ({
        key,
        messageId: mail.messageId,
        from: mail.envelopeFrom,
        to: [mail.to.address],
        raw,
      })),
    dropAfterData: () => {
      far.mode = 'loses-answer';
    },
    refuseRecipient: () => {
      far.mode = 'refuses';
    },
    stallAfterData: () => {
      far.mode = 'stalls';
      return {
        taken: new Promise((resolve) => {
          far.taken = resolve;
        }),
      };
    },
    breakLookup: () => {
      far.isJournalGone = true;
    },
    dispose: async () => undefined,
  };
}

async function failures(plant: Plant): Promise<string[]> {
  const cases = collectCases(describeMailerContract, { create: async () => create(plant), deadlineMs: 200 });
  return (await failedCases(cases)).map(
    ({ name, error }) => `${name.split(' > ').at(-1)}: ${(error as Error).message}`,
  );
}

const changed =
  (kind: SendOutcome['kind'], change: (failure: DeliveryFailure) => Partial<DeliveryFailure>): Plant =>
  (mailer) => ({
    async send(mail, context) {
      const outcome = await mailer.send(mail, context);
      if (outcome.kind !== kind || outcome.kind === 'accepted') return outcome;
      return { ...outcome, failure: { ...outcome.failure, ...change(outcome.failure) } };
    },
  });
const without = (): Partial<DeliveryFailure> => JSON.parse('{"category":null}');

describe('the mailer contract convicts', () => {
  it.each<[string, Plant, RegExp]>([
    [
      'a reply address left out',
      (mailer) => ({ send: (mail, context) => mailer.send({ ...mail, replyTo: undefined }, context) }),
      /NOT-5: carries the frozen envelope sender.*replies@example\.test/,
    ],
    [
      'headers left out but the first',
      (mailer) => ({
        send: (mail, context) => mailer.send({ ...mail, headers: mail.headers.slice(0, 1) }, context),
      }),
      /NOT-5: carries the frozen envelope sender.*contract/,
    ],
    [
      'an envelope sender of its own',
      (mailer) => ({
        send: (mail, context) => mailer.send({ ...mail, envelopeFrom: 'own@example.test' }, context),
      }),
      /NOT-5: carries the frozen envelope sender/,
    ],
    [
      'a look-up that could not look and answers: absent, conclusive',
      (mailer) => ({
        lookup: (query) =>
          mailer.lookup?.(query).catch(() => ({ kind: 'absent', conclusive: true })) ?? Promise.reject(),
      }),
      /NOT-7: a look-up that could not look.*expected no conclusive absence/,
    ],
    [
      'a send that ignores an abort at the envelope',
      (mailer) => ({
        send: (mail, context) => mailer.send(mail, { ...context, signal: new AbortController().signal }),
      }),
      /an abort at the envelope/,
    ],
    [
      'a send that ignores an abort while it waits for the answer',
      (mailer, far) => ({
        async send(mail, context) {
          if (far.mode !== 'stalls') return mailer.send(mail, context);
          return mailer.send(mail, { ...context, signal: new AbortController().signal });
        },
      }),
      /an abort while the answer is awaited.*expected send\(\) to settle/,
    ],
    [
      'an abort after the data phase that is called a clear no',
      (mailer, far) => ({
        async send(mail, context) {
          const outcome = await mailer.send(mail, context);
          return far.mode === 'stalls' ? { ...refused, failure: failure('transport', 'ABORTED') } : outcome;
        },
      }),
      /an abort while the answer is awaited.*expected an aborted mail/,
    ],
    [
      'a refusal without category',
      changed('rejected', without),
      /NOT-9: a refused recipient.*expected failure\.category/,
    ],
    [
      'an ambiguous failure without category',
      changed('ambiguous', without),
      /NOT-7: a lost answer.*expected failure\.category/,
    ],
    [
      'an ambiguous failure that blames the recipient',
      changed('ambiguous', () => ({ scope: 'recipient' })),
      /NOT-7: a lost answer.*blame the transport/,
    ],
    ['a code that is a sentence', changed('rejected', () => ({ code: 'no such user' })), /expected failure\.code/],
    [
      'a message that is a transcript',
      changed('rejected', () => ({ message: 'x'.repeat(2_000) })),
      /expected failure\.message/,
    ],
    [
      'a send that never settles',
      () => ({ send: () => new Promise(() => undefined) }),
      /NOT-5: accepts a mail.*expected send\(\) to settle within 200 ms/,
    ],
    [
      'a look-up that never settles',
      () => ({ lookup: () => new Promise(() => undefined) }),
      /NOT-7: what was accepted is found.*expected lookup\(\) to settle within 200 ms/,
    ],
  ])('%s', async (_name, plant, expected) => {
    expect(await failures(plant)).toContainEqual(expect.stringMatching(expected));
  });

  it('no honest mailer', async () => {
    expect(await failures(() => ({}))).toEqual([]);
  });
});
