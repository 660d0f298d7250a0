import type { ChangeShape } from './bench-changes.js';
import { reviewAll } from './bench-service.js';
import { type Databases, type StoreName, storeNames } from './bench-stores.js';
import { createStageCpu, type StageCost } from './stage-cpu.js';

/** How much is measured. */
export interface BenchConfig {
  shape: ChangeShape;
  /** Reviews of one run. */
  reviews: number;
  /** Reviews of the uncounted run before the first round. */
  warmUp: number;
  rounds: number;
  /** How many reviews run at a time; each is measured. */
  atOnce: readonly number[];
  /** After how many reviews the memory is read. */
  memoryAfter: readonly number[];
}

export interface ThroughputRow {
  store: StoreName;
  atOnce: number;
  /** Medians of the rounds. */
  perSecond: number;
  cpuMs: number;
  rounds: readonly { perSecond: number; cpuMs: number }[];
}

export interface StageRow {
  store: StoreName;
  costs: readonly StageCost[];
}

export interface MemoryRow {
  reviews: number;
  rssMiB: number;
  /** After a full collection. */
  heapMiB: number;
}

const mebibyte = 1024 * 1024;

/** Of an even number the upper one of the middle. */
function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
}

/** Each round runs every store at every concurrency once, so that a busy minute hits all of them. */
export async function measureThroughput(
  databases: Databases,
  { shape, reviews, rounds, warmUp, atOnce }: BenchConfig,
): Promise<ThroughputRow[]> {
  const rows = storeNames.flatMap((store) =>
    atOnce.map((n) => ({ store, atOnce: n, rounds: [] as { perSecond: number; cpuMs: number }[] })),
  );
  for (let round = 0; round <= rounds; round += 1)
    for (const row of rows) {
      await using opened = await databases.open(row.store, row.atOnce);
      const count = round === 0 ? warmUp : reviews;
      console.error(`round ${round} of ${rounds}: ${row.store}, ${row.atOnce} at a time`);
      const { wallMs, cpuMs } = await reviewAll(opened, { reviews: count, atOnce: row.atOnce, shape });
      if (round > 0) row.rounds.push({ perSecond: (count * 1_000) / wallMs, cpuMs: cpuMs / count });
    }
  return rows.map((row) => ({
    ...row,
    perSecond: median(row.rounds.map((one) => one.perSecond)),
    cpuMs: median(row.rounds.map((one) => one.cpuMs)),
  }));
}

/** One review at a time, so that the CPU of the process is the running stage's. */
export async function measureStages(databases: Databases, { shape, reviews }: BenchConfig): Promise<StageRow[]> {
  const rows: StageRow[] = [];
  for (const store of storeNames) {
    console.error(`stages: ${store}`);
    await using opened = await databases.open(store, 1);
    const { telemetry, costs } = createStageCpu();
    const run = await reviewAll(opened, { reviews, atOnce: 1, shape, telemetry, isOneByOne: true });
    rows.push({ store, costs: costs(run, reviews) });
  }
  return rows;
}

/** On SQLite with artifacts in files, since the memory stores keep everything by design. */
export async function measureMemory(databases: Databases, { shape, memoryAfter }: BenchConfig): Promise<MemoryRow[]> {
  console.error(`memory: ${Math.max(...memoryAfter)} reviews`);
  const rows: MemoryRow[] = [];
  await using opened = await databases.open('sqlite', 16);
  await reviewAll(opened, {
    ...{ reviews: Math.max(...memoryAfter), atOnce: 16, shape },
    onReview(ended) {
      if (!memoryAfter.includes(ended)) return;
      globalThis.gc?.();
      const { rss, heapUsed } = process.memoryUsage();
      rows.push({ reviews: ended, rssMiB: rss / mebibyte, heapMiB: heapUsed / mebibyte });
    },
  });
  return rows;
}
