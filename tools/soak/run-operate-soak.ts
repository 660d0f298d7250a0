// One soak of the operator's verbs: letters of seven causes, two operators at once, killed workers and operators.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Stores } from '@criticizer/core';
import { createSeededRandom } from '@criticizer/core/testing';
import { startPostgres } from '../postgres/postgres.js';
import { killProcess } from './kill-process.js';
import { openPostgresStore, openSqliteStore, type StoreAddress } from './soak-store.js';
import type { WorkerBundle } from './worker-bundle.js';

export interface OperateSoakConfig {
  store: StoreAddress['store'];
  letters: number;
  /** Workers that are killed; every fifth kill is of the first operator. */
  kills: number;
  seed: number;
  /** Real milliseconds without progress after which the soak gives up. */
  idleLimitMs: number;
}

export interface OperateSoakReport {
  config: OperateSoakConfig;
  /** Jobs that did not complete. */
  lost: number;
  /** Letters with more than one replay, by the row or by the trail. */
  replayedTwice: number;
  /** Letters that did not end by themselves once their job had completed. */
  notResolved: number;
  /** Letters whose triage or replay is not in the trail exactly once. */
  notInTrail: number;
  /** Letters more than jobs: replays that failed again. */
  failedAgain: number;
  causes: number;
  /** Replays by operator, as the trail has them. */
  replaysBy: Readonly<Record<string, number>>;
  workerKills: number;
  operatorKills: number;
  seconds: number;
}

const causes = 7;
const workers = 2;

/** What the soak reads; transactions are the processes' own. */
type Facets = Pick<Stores<never>, 'jobs' | 'deadLetters' | 'audit' | 'migrate'>;

interface SoakedStores {
  address: StoreAddress;
  stores: Facets;
  close(): Promise<void>;
}

async function openStores(store: StoreAddress['store'], folder: string): Promise<SoakedStores> {
  if (store === 'sqlite') {
    const file = join(folder, 'queue.sqlite');
    const { stores, close } = openSqliteStore(file);
    return { address: { store, file }, stores, close };
  }
  const server = await startPostgres({ settings: ['synchronous_commit=on'] });
  const schema = 'criticizer';
  const { stores, close } = openPostgresStore(server.url, schema, 4);
  return {
    address: { store, url: server.url, schema },
    stores,
    async close() {
      await close();
      await server.stop();
    },
  };
}

/** All rows of a list, page by page. */
async function all<Row extends { id: string }>(
  list: (page: { limit: number; before?: string | undefined }) => Promise<readonly Row[]>,
): Promise<Row[]> {
  const rows: Row[] = [];
  for (;;) {
    const page = await list({ limit: 1_000, before: rows.at(-1)?.id });
    rows.push(...page);
    if (page.length < 1_000) return rows;
  }
}

function startProcess(bundle: WorkerBundle, argument: object): ChildProcess {
  return spawn(process.execPath, [bundle.file, JSON.stringify(argument)], { stdio: ['pipe', 'pipe', 'inherit'] });
}

/** Waits until `left` gives 0; throws where it gives the same number for too long. */
async function drain(left: () => Promise<number>, idleLimitMs: number): Promise<void> {
  let before = Number.NaN;
  for (let changedAt = Date.now(); ; ) {
    const now = await left();
    if (now === 0) return;
    if (now !== before) changedAt = Date.now();
    else if (Date.now() - changedAt > idleLimitMs) return;
    before = now;
    await sleep(50);
  }
}

async function enqueue(stores: Facets, letters: number): Promise<void> {
  for (let at = 0; at < letters; at += 500) {
    const batch = Array.from({ length: Math.min(500, letters - at) }, (_, i) => {
      const n = at + i;
      return { kind: 'operated', payload: { n, cause: n % causes }, stage: 'work', idempotencyKey: `operated:${n}` };
    });
    await stores.jobs.enqueue(batch);
  }
}

/** Judges by the rows and the trail alone. */
async function judge(stores: Facets, letters: number) {
  const jobs = await all((page) => stores.jobs.list(page));
  const found = await all((page) => stores.deadLetters.list(page));
  const count = async (action: string): Promise<Map<string, string[]>> => {
    const byLetter = new Map<string, string[]>();
    for (const { targetId, actorId } of await all((page) => stores.audit.list({ ...page, action })))
      byLetter.set(targetId ?? '', [...(byLetter.get(targetId ?? '') ?? []), actorId ?? '']);
    return byLetter;
  };
  const [triages, replays] = [await count('dead_letter.triage'), await count('dead_letter.replay')];
  const replaysBy: Record<string, number> = {};
  for (const actor of [...replays.values()].flat()) replaysBy[actor] = (replaysBy[actor] ?? 0) + 1;
  const times = (of: Map<string, string[]>, id: string): number => of.get(id)?.length ?? 0;
  return {
    lost: letters - jobs.filter(({ status }) => status === 'completed').length,
    replayedTwice: found.filter(({ id, replays: of }) => of > 1 || times(replays, id) > 1).length,
    notResolved: found.filter(({ status }) => status !== 'resolved').length,
    notInTrail: found.filter(({ id }) => times(triages, id) !== 1 || times(replays, id) !== 1).length,
    failedAgain: found.length - letters,
    causes: new Set(found.map(({ causeKey }) => causeKey)).size,
    replaysBy,
  };
}

// long: the phases of one soak, in their order
/** Lets all jobs fail, has two operators replay them while workers and one operator are killed, and judges. */
export async function runOperateSoak(
  config: OperateSoakConfig,
  [worker, operator]: readonly [worker: WorkerBundle, operator: WorkerBundle],
): Promise<OperateSoakReport> {
  const { store, letters, kills, seed, idleLimitMs } = config;
  const random = createSeededRandom(seed).next;
  const began = Date.now();
  const folder = mkdtempSync(join(tmpdir(), 'operate-soak-'));
  const mended = join(folder, 'mended');
  mkdirSync(mended);
  const { address, stores, close } = await openStores(store, folder);
  const crew: ChildProcess[] = [];
  const shifts = new Map<string, ChildProcess>();
  const startWorker = (): ChildProcess => startProcess(worker, { address, mended });
  const startShift = (who: string): void => {
    const limit = Math.max(10, Math.ceil(letters / causes / 4));
    shifts.set(who, startProcess(operator, { address, mended, operator: who, limit, overMs: 200 }));
  };
  const unfinished = async (): Promise<number> => {
    const { due, scheduled, running } = await stores.jobs.depth();
    return due + scheduled + running;
  };
  let [workerKills, operatorKills] = [0, 0];
  try {
    await stores.migrate();
    await enqueue(stores, letters);
    for (let n = 0; n < workers; n++) crew.push(startWorker());
    await drain(unfinished, idleLimitMs);
    for (const who of ['ada', 'grace']) startShift(who);
    for (let done = 0; done < kills; done++) {
      await sleep(50 + random() * 250);
      const first = shifts.get('ada');
      if (done % 5 === 2 && first !== undefined) {
        await killProcess(first);
        startShift('ada');
        operatorKills += 1;
        continue;
      }
      const at = Math.floor(random() * crew.length);
      const one = crew[at];
      if (one !== undefined) await killProcess(one);
      crew[at] = startWorker();
      workerKills += 1;
    }
    await Promise.all([...shifts.values()].map((child) => (child.exitCode === null ? once(child, 'exit') : [])));
    await drain(unfinished, idleLimitMs);
    const seconds = Math.round((Date.now() - began) / 1_000);
    return { config, ...(await judge(stores, letters)), workerKills, operatorKills, seconds };
  } finally {
    await Promise.all([...crew, ...shifts.values()].map(killProcess));
    await close();
    rmSync(folder, { recursive: true, force: true });
  }
}
