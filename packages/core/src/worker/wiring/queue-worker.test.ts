import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { CriticizerError } from '../../foundation/errors.js';
import type { Random } from '../../foundation/time/random.js';
import { createMemoryStores } from '../../memory/memory-stores.js';
import type { SettingsInput } from '../../settings/settings.js';
import type { MigrationStep } from '../../stores/stores.js';
import { type Logger, silentLogger } from '../../telemetry/logger.js';
import { createMemoryTelemetry } from '../../telemetry/memory-telemetry.js';
import { metric } from '../../telemetry/names.js';
import { createManualClock, type ManualClock } from '../../testing/support/manual-clock.js';
import { createSeededRandom } from '../../testing/support/seeded-random.js';
import type { JobKind } from '../run/stage.js';
import { createQueueWorker, type QueueWorkerOptions } from './queue-worker.js';

const job = { kind: 'report', payload: null, stage: 'make', idempotencyKey: 'report:1' };

/** A kind whose only stage runs until its signal aborts; `began` resolves when it does. */
function endless() {
  let begin: () => void;
  const began = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const kind: JobKind<unknown> = {
    kind: 'report',
    payload: z.unknown(),
    stages: [
      {
        name: 'make',
        run: ({ signal }) =>
          new Promise((_, reject) => {
            signal.addEventListener('abort', () => reject(signal.reason));
            begin();
          }),
      },
    ],
  };
  return { kind, began };
}

interface Given {
  settings?: SettingsInput;
  clock?: ManualClock;
  hostAheadMs?: number;
  signal?: AbortSignal;
  stores?: QueueWorkerOptions['stores'];
  random?: Random;
  kind?: JobKind<unknown>;
}

/** A worker of the kind `report` over memory stores under one manual clock. */
function harness(given: Given = {}) {
  const { clock = createManualClock() } = given;
  const memory = createMemoryStores({ clock: { ...clock, nowMs: () => clock.nowMs() - (given.hostAheadMs ?? 0) } });
  const telemetry = createMemoryTelemetry();
  const errors: object[] = [];
  const warnings: object[] = [];
  const logger: Logger = {
    ...silentLogger,
    error: (fields) => void errors.push(fields),
    warn: (fields) => void warnings.push(fields),
  };
  const { kind, began } = endless();
  const observers = { clock, logger, telemetry, random: given.random };
  const { settings, signal } = given;
  const worker = createQueueWorker({
    stores: given.stores ?? memory,
    kinds: [given.kind ?? kind],
    redactText: String,
    settings,
    signal,
    ...observers,
  });
  return { began, clock, errors, stores: memory, telemetry, warnings, worker };
}

/** Starts the worker and waits until it runs the one job. */
async function withOneRunning(h: ReturnType<typeof harness>): Promise<string> {
  const [enqueued] = await h.stores.jobs.enqueue([job]);
  await h.worker.start();
  await h.began;
  return enqueued?.job.id ?? '';
}

async function stateOf(h: ReturnType<typeof harness>, id: string) {
  const [found] = await h.stores.jobs.get([id]);
  return { status: found?.status, claimedBy: found?.claimedBy, attempts: found?.attempts };
}

const givenBack = { status: 'queued', claimedBy: null, attempts: { make: 0 } };

describe('stopping a queue worker', () => {
  it('WQ-12: stop gives a running job back with its attempt refunded', async () => {
    const h = harness();
    const id = await withOneRunning(h);
    expect(await stateOf(h, id)).toMatchObject({ status: 'running', attempts: { make: 1 } });
    const stopped = h.worker.stop({ graceMs: 1_000 });
    await h.clock.advance(999);
    expect((await stateOf(h, id)).status).toBe('running'); // the grace is the job's
    await h.clock.advance(1);
    await stopped;
    expect(await stateOf(h, id)).toEqual(givenBack);
  });

  it('WQ-12: stop gives back at once what was prefetched and waits, with its attempt refunded and not begun', async () => {
    const begun: string[] = [];
    const h = harness({
      settings: { worker: { concurrency: 1, prefetch: 2 } },
      kind: kindOf(({ job: { id }, signal }) => {
        begun.push(id);
        return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
      }),
    });
    const enqueued = await h.stores.jobs.enqueue([1, 2, 3].map((n) => ({ ...job, idempotencyKey: `report:${n}` })));
    const ids = enqueued.map((each) => each.job.id);
    /** The one that runs first: which of three that are due together it is, nobody promises. */
    const states = () =>
      Promise.all([...begun, ...ids.filter((id) => !begun.includes(id))].map((id) => stateOf(h, id)));
    const running = { status: 'running', attempts: { make: 1 } };
    await h.worker.start();
    await h.clock.advance(0);
    expect(await states()).toMatchObject([running, running, running]);
    const stopped = h.worker.stop({ graceMs: 1_000 });
    await h.clock.advance(999);
    expect(await states()).toMatchObject([running, givenBack, givenBack]);
    await h.clock.advance(1);
    await stopped;
    expect(await states()).toEqual([givenBack, givenBack, givenBack]);
    expect(begun).toHaveLength(1);
  });

  it('WQ-12: aborting the signal does the same, with the grace of the settings', async () => {
    const abort = new AbortController();
    const h = harness({ signal: abort.signal, settings: { worker: { shutdownGraceMs: 5_000 } } });
    const id = await withOneRunning(h);
    abort.abort();
    await h.clock.advance(5_000);
    await h.worker.stop(); // resolves with the stop under way
    expect(await stateOf(h, id)).toEqual(givenBack);
    await expect(h.worker.start()).rejects.toMatchObject({ code: 'STOPPED' });
  });

  it('WQ-12: leaving the scope of `await using` does the same', async () => {
    const h = harness({ settings: { worker: { shutdownGraceMs: 0 } } });
    const leave = async (): Promise<string> => {
      await using _worker = h.worker;
      return await withOneRunning(h);
    };
    const left = leave();
    await h.clock.advance(0);
    expect(await stateOf(h, await left)).toEqual(givenBack);
  });

  it('a signal that is aborted already starts nothing, and one that aborts later leaves a stopped worker alone', async () => {
    await expect(harness({ signal: AbortSignal.abort() }).worker.start()).rejects.toMatchObject({ code: 'STOPPED' });
    const abort = new AbortController();
    const h = harness({ signal: abort.signal });
    await h.worker.start();
    await h.worker.stop();
    abort.abort();
    expect(h.errors).toEqual([]);
  });
});

/** A kind whose only stage does as told. */
function kindOf(run: JobKind<unknown>['stages'][0]['run']): JobKind<unknown> {
  return { kind: 'report', payload: z.unknown(), stages: [{ name: 'make', run }] };
}

describe('what a stage may hand to a queue worker', () => {
  const nul = String.fromCharCode(0);
  const half = String.fromCharCode(0xd83d);
  const odd = new CriticizerError(`ODD${nul}`, `about ${half}`, { category: 'policy', details: { [nul]: half } });
  it.each([
    ['throws', 'UNEXPECTED', () => Promise.reject(odd)],
    ['throws without a type', 'UNEXPECTED', () => Promise.reject(new Error(nul))],
    ['gives as its result', 'STAGE_OUTCOME_INVALID', async () => ({ kind: 'done', result: { text: nul } }) as const],
    ['waits for', 'STAGE_OUTCOME_INVALID', async () => ({ kind: 'wait', delayMs: 1, reason: half }) as const],
  ])(
    'ERR-6: odd text that it %s ends in a dead letter at once, not in a lease that runs out',
    async (_what, errorClass, run) => {
      const h = harness({ kind: kindOf(run) });
      await h.stores.jobs.enqueue([job]);
      await h.worker.start();
      await h.clock.advance(1_000);
      await h.worker.stop();
      expect(await h.stores.deadLetters.list({})).toMatchObject([{ errorClass, attempts: 1 }]);
    },
  );
});

/** What one process has of the stores: once it died, it hears nothing more and nothing it asks for is done. */
function mortal(stores: ReturnType<typeof createMemoryStores>) {
  let isDead = false;
  const alive =
    <Asked extends unknown[], Answer>(call: (...asked: Asked) => Promise<Answer>) =>
    (...asked: Asked): Promise<Answer> =>
      isDead ? new Promise(() => undefined) : call(...asked);
  const { claim, heartbeat, settle, requeueExpired } = stores.jobs;
  const jobs = {
    ...stores.jobs,
    claim: alive(claim),
    heartbeat: alive(heartbeat),
    settle: alive(settle),
    requeueExpired: alive(requeueExpired),
  };
  return { die: () => (isDead = true), stores: { ...stores, jobs } };
}

/**
 * One job of two stages, each begun as `ran` tells. A stage listed in `deadly` is never over: the
 * worker that runs it is to die.
 */
async function deadlyJob(settings: SettingsInput = {}) {
  const ran: string[] = [];
  const deadly = new Set(['make']);
  const stage = (name: string): JobKind<unknown>['stages'][0] => ({
    name,
    async run() {
      ran.push(name);
      return deadly.has(name) ? new Promise(() => undefined) : { kind: 'next' };
    },
  });
  const kind: JobKind<unknown> = { kind: 'report', payload: z.unknown(), stages: [stage('make'), stage('send')] };
  const h = harness();
  const [enqueued] = await h.stores.jobs.enqueue([job]);
  async function loseWorkers(count: number): Promise<void> {
    for (let n = 0; n < count; n++) {
      const { die, stores } = mortal(h.stores);
      await harness({ kind, settings, clock: h.clock, stores }).worker.start();
      await h.clock.advance(0);
      die();
      await h.clock.advance(60_000); // its lease is over
    }
  }
  /** A worker that lives: what it made of the job. Not stopped: one that runs what it must not is never done. */
  async function work() {
    await harness({ kind, settings, clock: h.clock, stores: h.stores }).worker.start();
    await h.clock.advance(1_000);
    return (await h.stores.jobs.get([enqueued?.job.id ?? '']))[0];
  }
  return { deadly, letters: () => h.stores.deadLetters.list({}), loseWorkers, ran, work };
}

describe('who owns a job', () => {
  it('INV-3: two starts of one worker own jobs under two names, which both begin with its own', async () => {
    const owners: unknown[] = [];
    for (let start = 1; start <= 2; start++) {
      const h = harness(); // with the machine's randomness, as in a service
      const id = await withOneRunning(h);
      owners.push((await stateOf(h, id)).claimedBy);
      const stopped = h.worker.stop({ graceMs: 0 });
      await h.clock.advance(0);
      await stopped;
    }
    const named = expect.stringMatching(/^jobs-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    expect(owners).toEqual([named, named]);
    expect(owners[0]).not.toBe(owners[1]);
  });
});

describe('a job that its workers do not survive', () => {
  it('ERR-6: after three lost workers the next writes the dead letter and does not run it', async () => {
    const t = await deadlyJob();
    await t.loseWorkers(3);
    expect(await t.work()).toMatchObject({
      status: 'failed',
      stage: 'make',
      lostLeases: 3,
      lastFailure: { code: 'WORKER_LOST' },
    });
    expect(t.ran).toEqual(['make', 'make', 'make']);
    expect(await t.letters()).toMatchObject([
      { errorClass: 'WORKER_LOST', category: 'bug', stage: 'make', escalation: 'page' },
    ]);
  });

  it('ERR-6: a stage that was got through starts the count of lost workers anew', async () => {
    const t = await deadlyJob();
    await t.loseWorkers(2);
    t.deadly.delete('make');
    t.deadly.add('send');
    await t.loseWorkers(2);
    t.deadly.delete('send');
    expect(await t.work()).toMatchObject({ status: 'completed', attempts: { make: 3, send: 3 } });
    expect(t.ran).toEqual(['make', 'make', 'make', 'send', 'send', 'send']);
    expect(await t.letters()).toEqual([]);
  });

  it('ERR-6: workers that died use up the attempts too, and what they left is not run once more', async () => {
    const t = await deadlyJob({ retry: { maxAttemptsPerStage: 2, maxLostLeases: 100 } });
    await t.loseWorkers(2);
    expect(await t.work()).toMatchObject({ status: 'failed', lostLeases: 2, lastFailure: { code: 'WORKER_LOST' } });
    expect(t.ran).toEqual(['make', 'make']);
    expect(await t.letters()).toMatchObject([{ errorClass: 'WORKER_LOST', stage: 'make' }]);
  });
});

describe('a queue worker by its defaults', () => {
  it('WQ-9: takes up the job of a worker that died within 1.5 s of the end of its lease, without the help of a sweep', async () => {
    const leaseMs = 60_000;
    for (let seed = 1; seed <= 20; seed++) {
      const h = harness({ random: createSeededRandom(seed), settings: { worker: { sweepEveryMs: 600_000 } } });
      await h.stores.jobs.enqueue([job]);
      await h.stores.jobs.claim({ kinds: ['report'], owner: 'died', token: 'its-token', leaseMs, limit: 1 });
      await h.worker.start(); // idle for a whole lease, so that it sleeps as long as it ever does
      await h.clock.advance(leaseMs + 1_500);
      const [taken] = await h.stores.jobs.list({ limit: 1 });
      expect([seed, taken?.lostLeases, taken?.status]).toEqual([seed, 1, 'running']);
      const stopped = h.worker.stop({ graceMs: 0 });
      await h.clock.advance(0);
      await stopped;
    }
  });
});

describe('what a queue worker checks when it starts', () => {
  const step = (name: string): MigrationStep => ({
    module: 'queue',
    name,
    sha256: 'a'.repeat(64),
    sql: `CREATE TABLE ${name}`,
  });

  it('an old schema: a code, the missing steps by name, their SQL in the log, and nothing is claimed', async () => {
    const memory = createMemoryStores();
    const claims: object[] = [];
    const claim: typeof memory.jobs.claim = async (request) => {
      claims.push(request);
      return [];
    };
    const stores = {
      ...memory,
      jobs: { ...memory.jobs, claim },
      migrationPlan: async () => [step('0001-a'), step('0002-b')],
    };
    const h = harness({ stores });
    await expect(h.worker.start()).rejects.toMatchObject({
      code: 'SCHEMA_OLD',
      details: { steps: ['queue/0001-a', 'queue/0002-b'] },
    });
    const event = 'schema.migration_missing';
    expect(h.errors).toEqual([
      { event, step: 'queue/0001-a', sha256: 'a'.repeat(64), sql: 'CREATE TABLE 0001-a' },
      { event, step: 'queue/0002-b', sha256: 'a'.repeat(64), sql: 'CREATE TABLE 0002-b' },
    ]);
    await h.clock.advance(60_000);
    expect(claims).toEqual([]);
  });

  it('WQ-10: processes that disagree on the limit do not start', async () => {
    const stores = createMemoryStores();
    await stores.limits.agree('running', 2);
    await expect(harness({ stores, settings: { worker: { maxRunning: 3 } } }).worker.start()).rejects.toMatchObject({
      code: 'LIMIT_DISAGREES',
      details: { others: 2, own: 3 },
    });
    const agreeing = harness({ stores, settings: { worker: { maxRunning: 2 } } });
    await agreeing.worker.start();
    await agreeing.worker.stop();
  });

  it('INV-7: the skew of the host’s clock is measured at start and at each sweep, and warned of beyond the budget', async () => {
    const h = harness({ hostAheadMs: 2_001, settings: { worker: { sweepEveryMs: 10_000 } } });
    const measured = () =>
      h.telemetry.measurements.filter(({ name }) => name === metric.clockSkew).map(({ value }) => value);
    await h.worker.start();
    expect([measured(), h.warnings]).toEqual([[2.001], [{ event: 'clock.skewed', skewMs: 2_001 }]]);
    await h.clock.advance(11_000);
    expect([measured().length, h.warnings.length]).toEqual([2, 2]);
    // The store's instants are whole milliseconds, the jittered sweep's are not.
    expect(measured()[1]).toBeCloseTo(2.001, 2);
    await h.worker.stop();
  });

  it('refuses what is no set of stores, no kinds, and no signal', () => {
    const memory = createMemoryStores();
    const { kind } = endless();
    const make = (more: object) => () =>
      createQueueWorker({ stores: memory, kinds: [kind], redactText: String, ...more });
    expect(make({ stores: memory.jobs })).toThrow(/stores/);
    expect(make({ kinds: [] })).toThrow(/kinds/);
    expect(make({ signal: {} })).toThrow(/signal/);
    expect(make({})).not.toThrow();
  });
});
