import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { CriticizerError } from '../src/foundation/errors.js';
import type { JobKind } from '../src/worker/run/stage.js';
import { queueHarness, stageOf } from './queue-harness.js';

const line = 'a job became a dead letter';
const payload = z.strictObject({
  to: z.string(),
  items: z.array(z.object({ count: z.int() })),
  labels: z.record(z.string(), z.int()),
});

/** A kind whose stage `make` does as told. */
const reports = (run: () => unknown): JobKind<unknown> => ({
  kind: 'report',
  payload,
  stages: [stageOf('make', async () => run())],
});

const good = { to: 'ada', items: [], labels: {} };

/** Enqueues one job, lets a worker meet it, and gives the lines and letters it left. */
async function meet(kind: JobKind<unknown>, job: { payload?: unknown; stage?: string; lostLeases?: number } = {}) {
  const h = queueHarness();
  const id = await h.enqueue('report', (job.payload ?? good) as never, job.stage ?? 'make');
  for (let n = 0; n < (job.lostLeases ?? 0); n++) {
    await h.stores.jobs.claim({ kinds: ['report'], owner: 'died', token: `its-token-${n}`, leaseMs: 1_000, limit: 1 });
    await h.clock.advance(1_001);
  }
  const worker = h.worker([kind]);
  await worker.start();
  await h.clock.advance(1_000);
  await worker.stop();
  return { id, lines: h.lines(line), all: h.log, letters: await h.stores.deadLetters.list({}) };
}

describe('the line of a dead letter', () => {
  it.each<[string, Parameters<typeof meet>]>([
    ['WORKER_LOST', [reports(() => ({ kind: 'next' })), { lostLeases: 3 }]],
    ['STAGE_UNKNOWN', [reports(() => ({ kind: 'next' })), { stage: 'gone' }]],
    ['SCHEMA_INVALID', [reports(() => ({ kind: 'next' })), { payload: {} }]],
    ['STAGE_OUTCOME_INVALID', [reports(() => undefined)]],
    ['ODD_POLICY', [reports(() => Promise.reject(new CriticizerError('ODD_POLICY', 'no', { category: 'policy' })))]],
    ['UNEXPECTED', [reports(() => Promise.reject(new Error('at a loss')))]],
  ])('OPS-2: %s: one line at error level, with job, kind, stage, attempt and code', async (code, [kind, job]) => {
    const { id, lines, letters } = await meet(kind, job);
    expect(letters).toMatchObject([{ errorClass: code }]);
    const stage = job?.stage ?? 'make';
    const fields = {
      jobId: id,
      kind: 'report',
      stage,
      code,
      attempt: expect.any(Number),
      escalation: letters[0]?.escalation,
    };
    expect(lines).toEqual([{ level: 'error', message: line, fields: expect.objectContaining(fields) }]);
  });

  it('OPS-2: names the fields that do not fit by path and issue code, never a value and never a key that may be content', async () => {
    const secret = `pat-${'x'.repeat(3)}-1`;
    const wrong = {
      to: 7,
      items: [{ count: 1 }, { count: secret }],
      labels: { [`${secret} in a key`]: 'y' },
      tooMuch: secret,
    };
    const { lines, letters, all } = await meet(
      reports(() => ({ kind: 'next' })),
      { payload: wrong },
    );
    const issues = [
      { path: 'to', code: 'invalid_type' },
      { path: 'items.1.count', code: 'invalid_type' },
      { path: 'labels.*', code: 'invalid_type' },
      { path: '', code: 'unrecognized_keys', keys: ['tooMuch'] },
    ];
    expect(lines[0]?.fields.issues).toEqual(issues);
    expect(letters[0]?.sanitizedContext).toMatchObject({ error: { issues } });
    expect(JSON.stringify([all, letters])).not.toContain(secret);
  });

  const revoked = (): unknown => {
    const { proxy, revoke } = Proxy.revocable([], {});
    revoke();
    return proxy;
  };
  const hostile = {
    get path(): never {
      throw new Error('gone');
    },
  };
  it.each<[string, unknown]>([
    ['an issue whose getter throws', [hostile]],
    ['a revoked proxy among them', [revoked()]],
    ['a revoked proxy instead of a list', revoked()],
    ['a path that is a revoked proxy', [{ path: revoked(), code: 'odd' }]],
    ['nothing in the list', [null, 5]],
  ])('OPS-2: an error that holds %s as issues ends in a letter and its line', async (_what, issues) => {
    const { lines, letters } = await meet(reports(() => Promise.reject(Object.assign(new Error('odd'), { issues }))));
    expect(letters).toMatchObject([{ errorClass: 'UNEXPECTED' }]);
    expect(lines).toHaveLength(1);
  });

  it('OPS-2: does so for what a stage’s own schema rejects, and counts what is beyond twenty', async () => {
    const values = z.array(z.int());
    const { lines } = await meet(reports(() => values.parse(Array.from({ length: 23 }, () => 'x'))));
    expect(lines[0]?.fields).toMatchObject({ code: 'SCHEMA_INVALID', moreIssues: 3 });
    expect(lines[0]?.fields.issues).toHaveLength(20);
  });
});
