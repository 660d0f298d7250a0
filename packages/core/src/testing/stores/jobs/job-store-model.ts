import assert from 'node:assert/strict';
import type FastCheck from 'fast-check';
import type { Job, Lease } from '../../../stores/job.js';
import type { Settlement } from '../../../stores/job-store.js';
import type { Stores } from '../../../stores/stores.js';
import type { Runner } from '../../support/runner.js';
import { leaseMs, newJob, sampleDeadLetter, sampleFailure } from '../sample-rows.js';
import type { StoresHarness, StoresUnderTest } from '../stores-harness.js';

/** What the model expects of one job. */
interface ExpectedJob {
  status: Job['status'];
  attempts: number;
  lostLeases: number;
  runAtMs: number;
  priority: number;
  createdMs: number;
  holder: { lease: Lease; expiresMs: number } | null;
  isCancelRequested: boolean;
  transitionNo: number;
  updatedMs: number;
}

interface Model {
  jobs: Map<string, ExpectedJob>;
  /** Every lease ever given, so that old ones are tried again. */
  leases: Lease[];
  limit: number | null;
  nowMs: number;
  /** Commands run so far: part of each owner and token. */
  turns: number;
}

interface Real<Tx> {
  under: StoresUnderTest<Tx>;
}

type Command<Tx> = FastCheck.AsyncCommand<Model, Real<Tx>>;

/** Compares one stored job with the model and holds the transition count to its rule (INV-1). */
function checkJob(job: Job | null, expected: ExpectedJob): void {
  assert.notEqual(job, null, 'a job was lost');
  if (job === null) return;
  assert.deepEqual(
    { status: job.status, attempts: job.attempts['fetch'] ?? 0, lostLeases: job.lostLeases, claimedBy: job.claimedBy },
    {
      status: expected.status,
      attempts: expected.attempts,
      lostLeases: expected.lostLeases,
      claimedBy: expected.holder?.lease.owner ?? null,
    },
  );
  assert.equal(job.leaseExpiresAt?.getTime() ?? null, expected.holder?.expiresMs ?? null);
  assert.ok(job.transitionNo >= expected.transitionNo, 'transitionNo fell');
  assert.ok(job.updatedAt.getTime() >= expected.updatedMs, 'updatedAt fell');
}

/** Every job the model knows is in the store as expected, and no other. */
async function checkAll<Tx>(model: Model, stores: Stores<Tx>): Promise<void> {
  const ids = [...model.jobs.keys()];
  const found = await stores.jobs.get(ids);
  for (const [n, expected] of [...model.jobs.values()].entries()) {
    const job = found[n] ?? null;
    checkJob(job, expected);
    expected.transitionNo = job?.transitionNo ?? expected.transitionNo;
    expected.updatedMs = job?.updatedAt.getTime() ?? expected.updatedMs;
  }
  assert.equal((await stores.jobs.list({ limit: 1000 })).length, ids.length);
  const active = [...model.jobs.values()].filter(
    (job) => job.holder !== null && job.holder.expiresMs > model.nowMs,
  ).length;
  if (model.limit !== null) assert.ok(active <= model.limit, 'more than the limit run');
}

/** Back in the queue, or ended where a cancel was asked for (ruling R24). */
function giveBack(job: ExpectedJob): void {
  job.status = job.isCancelRequested ? 'failed' : 'queued';
  job.isCancelRequested = false;
  job.holder = null;
}

function expire(model: Model): string[] {
  const expired: string[] = [];
  for (const [id, job] of model.jobs) {
    if (job.holder === null || job.holder.expiresMs > model.nowMs) continue;
    giveBack(job);
    job.lostLeases += 1;
    expired.push(id);
  }
  return expired;
}

function holds(model: Model, lease: Lease): ExpectedJob | undefined {
  const job = model.jobs.get(lease.jobId);
  const held = job?.holder?.lease;
  return held?.owner === lease.owner && held.token === lease.token ? job : undefined;
}

/** Wraps an action as a command that checks the whole model afterwards. */
function command<Tx>(name: string, run: (model: Model, under: StoresUnderTest<Tx>) => Promise<void>): Command<Tx> {
  return {
    check: () => true,
    async run(model, { under }) {
      model.turns += 1;
      await run(model, under);
      await checkAll(model, under.stores);
    },
    toString: () => name,
  };
}

function enqueue<Tx>(delayMs: number, priority: number): Command<Tx> {
  return command(`enqueue(${delayMs}, ${priority})`, async (model, { stores }) => {
    const [result] = await stores.jobs.enqueue([newJob({ delayMs, priority })]);
    assert.ok(result);
    const { id, transitionNo, updatedAt } = result.job;
    model.jobs.set(id, {
      status: 'queued',
      attempts: 0,
      lostLeases: 0,
      runAtMs: model.nowMs + delayMs,
      priority,
      createdMs: model.nowMs,
      holder: null,
      isCancelRequested: false,
      transitionNo,
      updatedMs: updatedAt.getTime(),
    });
  });
}

function claim<Tx>(limit: number): Command<Tx> {
  return command(`claim(${limit})`, async (model, { stores }) => {
    const request = { kinds: ['review'], owner: `owner-${model.turns}`, token: `token-${model.turns}`, leaseMs, limit };
    const taken = await stores.jobs.claim(request);
    // An implementation may requeue more than it takes; the model knows only that what it took was due.
    const all = await stores.jobs.list({ limit: 1000 });
    const swept = new Set(all.filter(({ status }) => status !== 'running').map(({ id }) => id));
    for (const [id, job] of model.jobs) {
      const expired = job.holder !== null && job.holder.expiresMs <= model.nowMs;
      if (!expired || !(swept.has(id) || taken.some((one) => one.job.id === id))) continue;
      giveBack(job);
      job.lostLeases += 1;
    }
    const isDue = (job: ExpectedJob): boolean => job.status === 'queued' && job.runAtMs <= model.nowMs;
    const due = [...model.jobs].filter(([, job]) => isDue(job));
    const running = [...model.jobs.values()].filter(
      (job) => job.holder !== null && job.holder.expiresMs > model.nowMs,
    ).length;
    const room = model.limit === null ? limit : Math.max(0, Math.min(limit, model.limit - running));
    due.sort(([a, x], [b, y]) => y.priority - x.priority || x.createdMs - y.createdMs || (a < b ? -1 : 1));
    assert.deepEqual(
      taken.map(({ job }) => job.id),
      due.slice(0, room).map(([id]) => id),
    );
    for (const { job, lease } of taken) {
      const expected = model.jobs.get(job.id);
      assert.ok(expected && job.transitionNo > expected.transitionNo);
      Object.assign(expected, {
        status: 'running',
        attempts: expected.attempts + 1,
        holder: { lease, expiresMs: model.nowMs + leaseMs },
      });
      model.leases.push(lease);
    }
  });
}

function heartbeat<Tx>(pick: number): Command<Tx> {
  return command(`heartbeat(${pick})`, async (model, { stores }) => {
    const lease = model.leases[pick % Math.max(1, model.leases.length)];
    if (lease === undefined) return;
    const holder = holds(model, lease);
    const renewed = holder?.isCancelRequested === true ? 'cancel-requested' : 'renewed';
    assert.deepEqual(await stores.jobs.heartbeat([lease], leaseMs), [holder ? renewed : 'lease-lost']);
    if (holder?.holder) holder.holder.expiresMs = model.nowMs + leaseMs;
  });
}

type End = 'done' | 'retry' | 'wait' | 'release' | 'dead-letter' | 'fail' | 'checkpoint';

function settlementOf(end: End, lease: Lease, delayMs: number): Settlement {
  if (end === 'done') return { lease, kind: end, result: {}, requireNotified: true };
  if (end === 'retry') return { lease, kind: end, delayMs, failure: sampleFailure() };
  if (end === 'wait') return { lease, kind: end, delayMs, reason: 'r' };
  if (end === 'checkpoint') return { lease, kind: end, leaseMs };
  if (end === 'fail') return { lease, kind: end, failure: sampleFailure() };
  return end === 'release' ? { lease, kind: end } : { lease, kind: end, deadLetter: sampleDeadLetter() };
}

function settle<Tx>(pick: number, end: End, delayMs: number): Command<Tx> {
  return command(`settle(${pick}, ${end}, ${delayMs})`, async (model, { stores }) => {
    const lease = model.leases[pick % Math.max(1, model.leases.length)];
    if (lease === undefined) return;
    const job = holds(model, lease);
    assert.deepEqual(await stores.jobs.settle([settlementOf(end, lease, delayMs)]), [job ? 'settled' : 'lease-lost']);
    if (job === undefined) return;
    if (end === 'checkpoint') {
      job.holder = { lease, expiresMs: model.nowMs + leaseMs };
      return;
    }
    if (end === 'done' || end === 'dead-letter' || end === 'fail') {
      job.status = end === 'done' ? 'completed' : 'failed';
      job.holder = null;
      job.isCancelRequested = false;
      if (end === 'done') job.lostLeases = 0;
      return;
    }
    giveBack(job);
    job.runAtMs = model.nowMs + (end === 'release' ? 0 : delayMs);
    if (end !== 'retry') job.attempts -= 1;
  });
}

function sweep<Tx>(): Command<Tx> {
  return command('requeueExpired', async (model, { stores }) => {
    const swept = (await stores.jobs.requeueExpired()).map(({ id }) => id);
    assert.deepEqual([...swept].sort(), expire(model).sort());
  });
}

function cancel<Tx>(pick: number): Command<Tx> {
  return command(`cancel(${pick})`, async (model, { stores }) => {
    const id = [...model.jobs.keys()][pick % Math.max(1, model.jobs.size)];
    const job = id === undefined ? undefined : model.jobs.get(id);
    if (id === undefined || job === undefined) return;
    const asked = job.isCancelRequested ? 'already-requested' : 'cancel-requested';
    const expected = { queued: 'cancelled', running: asked, completed: 'not-open', failed: 'not-open' }[job.status];
    assert.deepEqual(await stores.jobs.cancel([id], 'r'), [expected]);
    if (job.status === 'queued') job.status = 'failed';
    else if (job.status === 'running') job.isCancelRequested = true;
  });
}

function advanceClock<Tx>(ms: number): Command<Tx> {
  return command(`clock(${ms})`, async (model, { clock }) => {
    await clock.advance(ms);
    model.nowMs += ms;
  });
}

function setLimit<Tx>(limit: number | null): Command<Tx> {
  return command(`limit(${limit})`, async (model, { stores }) => {
    const running = [...model.jobs.values()].filter((job) => job.holder !== null).length;
    // A lowered limit does not stop what runs; the invariant is about claims, so the model lowers
    // it only as far as that.
    model.limit = limit === null ? null : Math.max(limit, running);
    await stores.limits.set('running', model.limit);
  });
}

function commands<Tx>(fc: typeof FastCheck): FastCheck.Arbitrary<Command<Tx>>[] {
  const delay = fc.constantFrom(0, 1, 5000, leaseMs);
  const pick = fc.nat({ max: 40 });
  const ends = fc.constantFrom<End>('done', 'retry', 'wait', 'release', 'dead-letter', 'fail', 'checkpoint');
  return [
    fc.tuple(delay, fc.integer({ min: -1, max: 1 })).map(([ms, priority]) => enqueue<Tx>(ms, priority)),
    fc.integer({ min: 1, max: 4 }).map((limit) => claim<Tx>(limit)),
    pick.map((n) => heartbeat<Tx>(n)),
    fc.tuple(pick, ends, delay).map(([n, end, ms]) => settle<Tx>(n, end, ms)),
    fc.constant(sweep<Tx>()),
    pick.map((n) => cancel<Tx>(n)),
    fc.constantFrom(1, 5000, leaseMs - 1, leaseMs).map((ms) => advanceClock<Tx>(ms)),
    fc.option(fc.integer({ min: 1, max: 4 }), { nil: null }).map((limit) => setLimit<Tx>(limit)),
  ];
}

/**
 * Random sequences of enqueue, claim, heartbeat, settle, sweep, cancel, limit and clock against a
 * small model of the queue: one owner at a time, attempts add up, no job is lost, transition
 * numbers never fall, the limit holds (WQ-1..12, INV-1). `runs` sequences (default 100); with
 * `seed` a failure can be replayed. Needs fast-check.
 */
export function describeJobStoreModel<Tx>(
  runner: Runner,
  harness: StoresHarness<Tx>,
  options: { runs?: number | undefined; seed?: number | undefined } = {},
): void {
  runner.describe('JobStore model', () => {
    runner.it('WQ-1: random sequences of calls keep to the model', async () => {
      // Where the suite runs: an optional peer, which the other suites do without.
      const { default: fc } = await import('fast-check');
      const seed = options.seed === undefined ? {} : { seed: options.seed };
      await fc.assert(
        fc.asyncProperty(fc.commands(commands<Tx>(fc), { maxCommands: 60, size: '+1' }), async (sequence) => {
          const under = await harness.create();
          try {
            const nowMs = (await under.stores.now()).getTime();
            const model: Model = { jobs: new Map(), leases: [], limit: null, nowMs, turns: 0 };
            await fc.asyncModelRun(() => ({ model, real: { under } }), sequence);
          } finally {
            await under.dispose();
          }
        }),
        { numRuns: options.runs ?? 100, ...seed },
      );
    });
  });
}
