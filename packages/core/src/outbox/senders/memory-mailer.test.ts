import { describe, expect, it } from 'vitest';
import { describeMailerContract, type MailerHarness } from '../../testing/ports/delivery/mailer-contract.js';
import type { Mailer } from './mailer.js';
import { createMemoryMailer, type MemoryMailer } from './memory-mailer.js';

const wire = { host: 'memory', bytes: Buffer.from('mail') };

function harness(
  make: () => MemoryMailer,
  change: (mailer: MemoryMailer) => Mailer = (mailer) => mailer,
): MailerHarness {
  return {
    async create() {
      const memory = make();
      return {
        mailer: change(memory),
        received: async () =>
          memory.accepted().map(({ key, mail, raw }) => ({
            key,
            messageId: mail.messageId,
            from: mail.envelopeFrom,
            to: [mail.to.address],
            raw,
          })),
        dispose: async () => undefined,
      };
    },
  };
}

describe('memory mailer', () => {
  describeMailerContract({ describe, it }, harness(createMemoryMailer));
});
describe('memory mailer that settles late and forgets', () => {
  describeMailerContract(
    { describe, it },
    harness(() => createMemoryMailer({ capabilities: { settleMs: 500, retentionMs: 9_000 } })),
  );
});
describe('memory mailer as a receiver that knows the key', () => {
  describeMailerContract(
    { describe, it },
    harness(() => createMemoryMailer({ capabilities: { idempotency: 'receiver', lookup: 'none' } })),
  );
});

describe('the contract convicts', () => {
  /** Runs the suite with a faulty mailer and gives the number of tests that failed. */
  async function convictions(change: (memory: MemoryMailer) => Partial<Mailer>): Promise<number> {
    const tests: (() => void | Promise<void>)[] = [];
    const collect = {
      describe: (_name: string, body: () => void) => body(),
      it: (_name: string, body: () => void | Promise<void>) => tests.push(body),
    };
    describeMailerContract(
      collect,
      harness(createMemoryMailer, (memory) => ({ ...memory, ...change(memory) })),
    );
    const ended = await Promise.allSettled(tests.map(async (test) => test()));
    return ended.filter((result) => result.status === 'rejected').length;
  }

  it('nothing where nothing is wrong', async () => {
    expect(await convictions(() => ({}))).toBe(0);
  });

  it.each([
    [
      'data before envelope',
      (memory: MemoryMailer): Partial<Mailer> => ({
        send: (mail, context) => context.onPhase('data', wire).then(() => memory.send(mail, context)),
      }),
    ],
    [
      'sends before the phase is recorded',
      (memory) => ({
        send: async (mail, context) => {
          const outcome = await memory.send(mail, { ...context, onPhase: async () => undefined });
          await context.onPhase('envelope');
          await context.onPhase('data', wire);
          return outcome;
        },
      }),
    ],
    [
      'announces other bytes than it sends',
      (memory) => ({
        send: (mail, context) =>
          memory.send(mail, {
            ...context,
            onPhase: (...step) => (step[0] === 'data' ? context.onPhase('data', wire) : context.onPhase(...step)),
          }),
      }),
    ],
    [
      'retries by itself',
      (memory) => ({
        async send(mail, context) {
          await memory.send(mail, context);
          return memory.send(mail, { ...context, onPhase: async () => undefined });
        },
      }),
    ],
    [
      'other bytes each time',
      (memory) => ({
        send: async (mail, context) =>
          memory.send({ ...mail, text: `${mail.text}${memory.accepted().length}` }, context),
      }),
    ],
    [
      'loses the mail',
      () => ({
        async send(mail, context) {
          await context.onPhase('envelope');
          await context.onPhase('data', wire);
          return { kind: 'accepted', id: mail.messageId };
        },
      }),
    ],
    [
      'absence is always conclusive',
      (memory) => ({
        capabilities: { ...memory.capabilities, settleMs: 60_000 },
        lookup: async (query) =>
          (await memory.lookup?.(query))?.kind === 'found'
            ? { kind: 'found', id: query.messageId }
            : { kind: 'absent', conclusive: true },
      }),
    ],
    ['finds what was never sent', () => ({ lookup: async (query) => ({ kind: 'found', id: query.messageId }) })],
  ] satisfies [string, (memory: MemoryMailer) => Partial<Mailer>][])('%s', async (_fault, change) => {
    expect(await convictions(change)).toBeGreaterThan(0);
  });
});
