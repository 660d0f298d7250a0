import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { CriticizerError } from '../../foundation/errors.js';
import { createMemoryStores } from '../../memory/memory-stores.js';
import { createManualClock } from '../../testing/support/manual-clock.js';
import type { JobEvent, Stage } from '../run/stage.js';
import { createQueueWorker, type QueueWorkerOptions } from './queue-worker.js';

/** Runs one job of one stage under a manual clock, and gives its first end and its row. */
async function runOnce(stage: Stage<unknown>['run'], options: Partial<QueueWorkerOptions> = {}) {
  const clock = createManualClock();
  const stores = createMemoryStores({ clock });
  let ended: (event: JobEvent) => void;
  const end = new Promise<JobEvent>((resolve) => {
    ended = resolve;
  });
  const worker = createQueueWorker({
    stores,
    kinds: [{ kind: 'report', payload: z.unknown(), stages: [{ name: 'make', run: stage }] }],
    redactText: String,
    clock,
    onEvent: (event) => event.type === 'stage.ended' && ended(event),
    ...options,
  });
  const [enqueued] = await stores.jobs.enqueue([
    { kind: 'report', payload: null, stage: 'make', idempotencyKey: 'report:1' },
  ]);
  await worker.start();
  const event = await end;
  await worker.stop();
  const [row] = await stores.jobs.get([enqueued?.job.id ?? '']);
  return { event, row, letters: await stores.deadLetters.list({}), startMs: enqueued?.job.createdAt.getTime() ?? 0 };
}

const failing = (error: unknown) => async (): Promise<never> => {
  throw error;
};

describe('failures of a host’s stage', () => {
  it.each([
    ['no number', Number.NaN, 60_000],
    ['below 0', -1, 60_000],
    ['285,000 years', 9e15, 86_400_000],
  ])(
    'INT-4: a parked stage whose upstream asks to wait for %s waits a bounded time',
    async (_, retryAfterMs, waited) => {
      const { event, row, letters, startMs } = await runOnce(
        failing(new CriticizerError('VENDOR_DOWN', 'x', { category: 'upstream', parks: true, retryAfterMs })),
      );
      expect(event).toMatchObject({ outcome: 'wait', code: 'VENDOR_DOWN' });
      expect(row).toMatchObject({ status: 'queued', waitingFor: 'VENDOR_DOWN', attempts: { make: 0 }, lostLeases: 0 });
      expect((row?.runAt.getTime() ?? 0) - startMs).toBe(waited);
      expect(letters).toEqual([]);
    },
  );

  it('ERR-1: the host’s own rows decide about its own errors', async () => {
    class VendorBusy extends Error {}
    const classify = (cause: unknown) =>
      cause instanceof VendorBusy ? ({ code: 'VENDOR_BUSY', category: 'rate_limit' } as const) : undefined;
    expect((await runOnce(failing(new VendorBusy('x')), { classify })).event).toMatchObject({
      outcome: 'retry',
      code: 'VENDOR_BUSY',
    });
    expect((await runOnce(failing(new VendorBusy('x')))).event).toMatchObject({
      outcome: 'dead-letter',
      code: 'UNEXPECTED',
    });
    const wrong = { stores: createMemoryStores(), kinds: [], redactText: String, classify: 'network' };
    expect(() => createQueueWorker({ ...wrong, kinds: [{}] } as never)).toThrow(/classify/);
  });

  it('ERR-8: a secret in the code of a failure reaches neither the dead letter nor an event', async () => {
    const secret = randomBytes(8).toString('hex').toUpperCase();
    const redactText = (text: string): string => text.replaceAll(secret, '[REDACTED]');
    const error = Object.assign(new CriticizerError(`DENIED_${secret}`, 'x', { category: 'auth' }), {
      name: `Denied ${secret}`,
    });
    const { event, row, letters } = await runOnce(failing(error), { redactText });
    expect(letters).toMatchObject([{ errorClass: 'UNEXPECTED', category: 'auth' }]);
    expect(JSON.stringify([event, row, letters])).not.toContain(secret);
  });
});

describe('a job that its stage ends as failed', () => {
  it('WQ-1: has its code, no dead letter and no attempt left to run; its message is redacted', async () => {
    const secret = randomBytes(8).toString('hex').toUpperCase();
    const redactText = (text: string): string => text.replaceAll(secret, '[REDACTED]');
    const failure = { code: 'ORDER_WITHDRAWN', category: 'policy', message: `withdrawn with ${secret}` } as const;
    const { event, row, letters } = await runOnce(async () => ({ kind: 'fail', failure, result: { orders: 0 } }), {
      redactText,
    });
    expect(event).toMatchObject({ outcome: 'failed', code: 'ORDER_WITHDRAWN' });
    expect(row).toMatchObject({
      status: 'failed',
      result: { orders: 0 },
      lastFailure: { ...failure, message: 'withdrawn with [REDACTED]' },
    });
    expect(letters).toEqual([]);
  });

  it.each([
    ['failure', undefined],
    ['failure.code', { category: 'policy', message: 'x' }],
    ['failure.category', { code: 'X', category: 'weather', message: 'x' }],
    ['failure.message', { code: 'X', category: 'policy' }],
  ])('OPS-2: an outcome without a proper %s is the stage’s bug', async (field, failure) => {
    const { letters } = await runOnce(async () => ({ kind: 'fail', failure }) as never);
    expect(letters).toMatchObject([
      { errorClass: 'STAGE_OUTCOME_INVALID', escalation: 'page', sanitizedContext: { error: { field } } },
    ]);
  });

  it('OPS-2: a revoked proxy that a stage throws is a bug with a dead letter, not a lost worker', async () => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    const { event, letters } = await runOnce(failing(proxy));
    expect(event).toMatchObject({ outcome: 'dead-letter', code: 'UNEXPECTED' });
    expect(letters).toMatchObject([{ errorClass: 'UNEXPECTED', escalation: 'page' }]);
  });
});
