import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { JobKind } from '../src/worker/run/stage.js';
import { queueHarness, stageOf } from './queue-harness.js';

/** Runs one job whose first stage returns `returned`; the second stage tells whether it ran. */
async function runWith(returned: unknown) {
  const h = queueHarness();
  const ran: string[] = [];
  const make = stageOf('make', async () => returned);
  const send = stageOf('send', async () => {
    ran.push('send');
    return { kind: 'next' };
  });
  const kind: JobKind<unknown> = { kind: 'report', payload: z.unknown(), stages: [make, send] };
  const id = await h.enqueue('report');
  const worker = h.worker([kind]);
  await worker.start();
  await h.clock.advance(1_000);
  await worker.stop();
  return { ran, job: await h.job(id), letters: await h.stores.deadLetters.list({}) };
}

describe('what a stage returned', () => {
  it.each<[string, unknown, string]>([
    ['nothing', undefined, 'kind'],
    ['null', null, 'kind'],
    ['a text', 'done', 'kind'],
    ['a list', [{ kind: 'next' }], 'kind'],
    ['an outcome that is none', { kind: 'retry', delayMs: 1_000 }, 'kind'],
    ['the name of a property of every object', { kind: 'constructor' }, 'kind'],
    ['a kind that is no text', { kind: ['next'] }, 'kind'],
    ['a wait without a span', { kind: 'wait', reason: 'mail' }, 'delayMs'],
    ['a wait of NaN', { kind: 'wait', delayMs: Number.NaN, reason: 'mail' }, 'delayMs'],
    ['a wait for ever', { kind: 'wait', delayMs: Number.POSITIVE_INFINITY, reason: 'mail' }, 'delayMs'],
    ['a wait of a past span', { kind: 'wait', delayMs: -1, reason: 'mail' }, 'delayMs'],
    ['a wait as text', { kind: 'wait', delayMs: '1000', reason: 'mail' }, 'delayMs'],
    ['a wait beyond any date', { kind: 'wait', delayMs: 9e15, reason: 'mail' }, 'delayMs'],
    ['a wait without a reason', { kind: 'wait', delayMs: 1 }, 'reason'],
    ['a wait with a field of another name', { kind: 'wait', delayMS: 1, delayMs: 1, reason: 'mail' }, 'delayMS'],
    ['done without a result', { kind: 'done' }, 'result'],
    ['done with a result that is no object', { kind: 'done', result: 'well' }, 'result'],
    ['done with a result that no store keeps', { kind: 'done', result: { at: new Date(0) } }, 'result'],
    ['done with a flag that is none', { kind: 'done', result: {}, requireNotified: 'yes' }, 'requireNotified'],
    ['next with a result, which only done has', { kind: 'next', result: {} }, 'result'],
    ['effects that are none', { kind: 'next', effects: 'outputs' }, 'effects'],
    ['effects of another name', { kind: 'next', effects: { output: { a: 'b' } } }, 'effects.output'],
    ['outputs that are none', { kind: 'next', effects: { outputs: 'a' } }, 'effects.outputs'],
    ['an output that is no id', { kind: 'next', effects: { outputs: { a: 7 } } }, 'effects.outputs'],
    ['artifacts that are no list', { kind: 'next', effects: { publish: 'a' } }, 'effects.publish'],
    ['mails that are no list', { kind: 'next', effects: { outbox: {} } }, 'effects.outbox'],
  ])(
    'OPS-2: %s ends in a dead letter that pages and names the field; no later stage runs',
    async (_what, returned, field) => {
      const { ran, job, letters } = await runWith(returned);
      expect(ran).toEqual([]);
      expect(job).toMatchObject({ status: 'failed', stage: 'make', attempts: { make: 1 } });
      expect(letters).toMatchObject([
        { errorClass: 'STAGE_OUTCOME_INVALID', category: 'bug', stage: 'make', escalation: 'page' },
      ]);
      expect(letters[0]?.lastStack).toContain(`outcome: ${field}`);
    },
  );

  it.each<[string, unknown, string]>([
    ['next', { kind: 'next' }, 'completed'],
    ['next with effects', { kind: 'next', effects: { outputs: { a: 'b' }, publish: [], outbox: [] } }, 'completed'],
    [
      'done, with fields that are undefined',
      { kind: 'done', result: {}, requireNotified: undefined, note: undefined },
      'completed',
    ],
    ['a wait of no time', { kind: 'wait', delayMs: 86_400_000, reason: 'mail' }, 'queued'],
  ])('takes %s', async (_what, returned, status) => {
    const { job, letters } = await runWith(returned);
    expect([job?.status, letters]).toEqual([status, []]);
  });

  it('OPS-2: a payload schema that throws ends in a dead letter, not in a lease that runs out', async () => {
    const h = queueHarness();
    const payload = z.unknown().transform(() => {
      throw new Error('the schema is broken');
    });
    const kind: JobKind<unknown> = {
      kind: 'report',
      payload,
      stages: [stageOf('make', async () => ({ kind: 'next' }))],
    };
    await h.enqueue('report');
    const worker = h.worker([kind]);
    await worker.start();
    await h.clock.advance(1_000);
    await worker.stop();
    expect(await h.stores.deadLetters.list({})).toMatchObject([
      { errorClass: 'UNEXPECTED', category: 'bug', escalation: 'page' },
    ]);
  });
});
