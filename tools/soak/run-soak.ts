// One soak from an empty database to its verdict.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '@criticizer/core/ports';
import { createSeededRandom } from '@criticizer/core/testing';
import { faketimeEnvironment, findFaketime, readOffsetFile, shiftDate, writeOffsetFile } from './clock-offset.js';
import { type Feed, feedJobs, isDeletedKind } from './feeder.js';
import { createNemesis, type FaultCounts, type Nemesis } from './nemesis.js';
import type { PlantedFence } from './planted-fences.js';
import type { PlantedQueueFault } from './planted-queue-faults.js';
import type { SettleDelay, SettleMode } from './recorded-jobs.js';
import { openPostgresDatabase, openSqliteDatabase, type SoakDatabase } from './soak-database.js';
import { planOf, type SoakPayload } from './soak-job.js';
import { describeDuplicates, judge, type SoakVerdict } from './verdict.js';
import { bundleProcess } from './worker-bundle.js';
import { type Crew, createCrew, type Engagement } from './worker-crew.js';
import { readWorkerLogs } from './worker-log.js';

export interface SoakConfig {
  store: 'pg' | 'sqlite';
  jobs: number;
  seed: number;
  workers: number;
  concurrency: number;
  leaseMs: number;
  faults: FaultCounts;
  /** Jobs that nothing but a fault can keep from their end. */
  plain: boolean;
  planted: PlantedQueueFault | null;
  /** A fence that is taken out of the queue. */
  fence: PlantedFence | null;
  /** How workers settle; null: half of them either way. */
  settle: SettleMode | null;
  delay: SettleDelay;
  /** See `soakPayload`. */
  longAfterLoss: number;
  /** No job finished for so long, and no fault left: what remains is stuck. */
  idleLimitMs: number;
}

export interface SoakReport {
  config: SoakConfig;
  database: string;
  /** How worker clocks are set wrong. */
  clocks: string;
  verdict: SoakVerdict;
  done: Nemesis['done'];
  /** Spans in which a frozen worker kept the one write lock. */
  stalls: Nemesis['stalls'];
  /** Of the cuts, those that met a byte to cut at. */
  connectionsBroken: number;
  feed: { duplicates: number; resent: number; wrong: readonly string[] };
  /** Worker processes that ended unasked. */
  complaints: readonly string[];
  /** Rows of effects that were made more than once. */
  repeated: readonly string[];
  /** SQLite's own check; null elsewhere. */
  integrity: string | null;
  seconds: number;
}

const hourMs = 3_600_000;
/** Most of the clocks of a fleet are right. */
const offsets = [0, 0, 0, hourMs, -hourMs, hourMs / 6, -hourMs / 6];
const mostQueued = 1_500;

interface Progress {
  enqueued: number;
  backlog: number;
}

/** Keeps `progress` up to date until the signal aborts. */
async function watch(database: SoakDatabase, progress: Progress, feed: Feed, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const enqueued = feed.acked.size;
    const backlog = await database.backlog();
    if (backlog !== undefined) Object.assign(progress, { enqueued, backlog });
    await sleep(50, undefined, { signal }).catch(() => undefined);
  }
}

function engagement(config: SoakConfig, database: SoakDatabase, clockFile: string, random: Random): () => Engagement {
  const { leaseMs, concurrency, planted, delay } = config;
  let started = 0;
  return () => {
    const turn = planted !== null || started++ % 2 === 0 ? 'transaction' : 'plain';
    const settle = config.settle ?? turn;
    // Every third worker holds no jobs in hand.
    const prefetch = started % 3 === 0 ? 0 : concurrency;
    const options = {
      address: database.address,
      leaseMs,
      concurrency,
      prefetch,
      settle,
      delay,
      planted,
      clock: null,
    } as const;
    if (database.server === undefined) return { options: { ...options, clock: { file: clockFile } }, env: {} };
    const offsetMs = offsets[Math.floor(random.next() * offsets.length)] ?? 0;
    const library = findFaketime();
    if (offsetMs === 0) return { options, env: {} };
    return library === undefined
      ? { options: { ...options, clock: { offsetMs } }, env: {} }
      : { options, env: faketimeEnvironment(library, offsetMs) };
  };
}

const clocksOf = (database: SoakDatabase): string =>
  database.server === undefined
    ? 'one host clock, stepped by up to 1 h (shifted Date)'
    : `each worker its own, up to 1 h off (${findFaketime() === undefined ? 'shifted Date' : 'libfaketime'})`;

/** Waits until nothing is left, or nothing moves any more. */
async function drained(progress: Progress, idleLimitMs: number, signal: AbortSignal): Promise<void> {
  let last = { backlog: -1, atMs: performance.now() };
  while (progress.backlog > 0) {
    signal.throwIfAborted();
    if (progress.backlog !== last.backlog) last = { backlog: progress.backlog, atMs: performance.now() };
    if (performance.now() - last.atMs > idleLimitMs) return;
    await sleep(50);
  }
}

interface Scene {
  config: SoakConfig;
  database: SoakDatabase;
  crew: Crew;
  random: Random;
  clockFile: string;
  payloadOf(n: number): SoakPayload;
  signal: AbortSignal;
}

/** Feeds, breaks and watches to the end. */
async function perform({
  config,
  database,
  crew,
  random,
  clockFile,
  payloadOf,
  signal,
}: Scene): Promise<{ feed: Feed; nemesis: Nemesis }> {
  const feed: Feed = { acked: new Set(), duplicates: 0, resent: 0, wrong: [] };
  const progress: Progress = { enqueued: 0, backlog: 0 };
  const nemesis = createNemesis({
    faults: config.faults,
    crew,
    slots: config.workers,
    leaseMs: config.leaseMs,
    random: createSeededRandom(config.seed + 1),
    progress: () => Math.max(0, progress.enqueued - progress.backlog) / config.jobs,
    server: database.server,
    isWritable: database.isWritable,
    stepClock: () => writeOffsetFile(clockFile, offsets[Math.floor(random.next() * offsets.length)] ?? 0),
    signal,
  });
  /** Work waits for the faults, so that none of them hits an idle queue. */
  const room = async (enqueued: number): Promise<number> => {
    for (;;) {
      const share = nemesis.planned === 0 ? 1 : (nemesis.applied() + 3) / nemesis.planned;
      const free = Math.min(
        mostQueued - (feed.acked.size - progress.enqueued) - progress.backlog,
        Math.ceil(share * config.jobs) - enqueued,
      );
      if (free >= 1) return free;
      signal.throwIfAborted();
      await sleep(10);
    }
  };
  const watching = new AbortController();
  const watched = watch(database, progress, feed, watching.signal);
  const feeding = feedJobs({
    jobs: database.jobs,
    count: config.jobs,
    payloadOf,
    room,
    random: createSeededRandom(config.seed + 2),
    feed,
    signal,
  });
  try {
    await Promise.all([feeding, nemesis.run()]);
    progress.backlog = Number.POSITIVE_INFINITY; // to be looked at once more
    await drained(progress, config.idleLimitMs, signal);
  } finally {
    watching.abort();
    await watched;
  }
  return { feed, nemesis };
}

/** Runs one soak. Rejects where the harness itself fails; what the queue did wrong is in the verdict. */
export async function runSoak(
  config: SoakConfig,
  signal: AbortSignal = new AbortController().signal,
): Promise<SoakReport> {
  const began = performance.now();
  const folder = mkdtempSync(join(tmpdir(), 'crit-soak-ledger-'));
  const bundle = await bundleProcess('worker-process.ts', config.fence?.sources);
  const clockFile = join(folder, 'clock-offset');
  writeOffsetFile(clockFile, 0);
  // The enqueuer, which is this process, is on the host whose clock is stepped. It was not: stored
  // time leapt at each turn between two clocks.
  const rightDate = config.store === 'sqlite' ? shiftDate(readOffsetFile(clockFile)) : () => undefined;
  const database = await (config.store === 'pg' ? openPostgresDatabase(config.fence?.sql) : openSqliteDatabase());
  const random = createSeededRandom(config.seed);
  const crew = createCrew(bundle.file, folder, config.workers, engagement(config, database, clockFile, random));
  const { seed, plain, leaseMs, longAfterLoss } = config;
  const payloadOf = (n: number): SoakPayload => ({ n, seed, plain, longMs: Math.round(leaseMs * 1.5), longAfterLoss });
  try {
    const { feed, nemesis } = await perform({ config, database, crew, random, clockFile, payloadOf, signal });
    await crew.stopAll(15_000);
    const effects = await database.effects();
    const verdict = judge({
      acked: feed.acked,
      planOf: (n) => planOf(payloadOf(n)),
      isDeleted: isDeletedKind,
      effects,
      rows: await database.rows(),
      logs: readWorkerLogs(folder),
      modes: new Map([...crew.engaged].map(([name, { options }]) => [name, options.settle])),
      leaseMs,
      kills: crew.kills,
      stalls: nemesis.stalls,
      frozen: crew.frozen,
    });
    return {
      config,
      database: database.version,
      clocks: clocksOf(database),
      verdict,
      done: nemesis.done,
      stalls: nemesis.stalls,
      connectionsBroken: database.server?.proxy.broken() ?? 0,
      feed: { duplicates: feed.duplicates, resent: feed.resent, wrong: feed.wrong },
      complaints: crew.complaints,
      repeated: describeDuplicates(effects),
      integrity: database.integrity?.() ?? null,
      seconds: (performance.now() - began) / 1_000,
    };
  } finally {
    rightDate();
    crew.killAll();
    await database.close();
    bundle.remove();
    rmSync(folder, { recursive: true, force: true });
  }
}
