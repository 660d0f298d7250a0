// Kills a worker again and again while it sends to a model and a mail server, and compares what
// these received with the egress rows.
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { EgressRecord } from '@criticizer/core/ports';
import { createSeededRandom } from '@criticizer/core/testing';
import { createSqliteStores } from '@criticizer/queue-sqlite';
import { bundleInto, makeBundleFolder } from '../../../../tools/testing/process-bundle.js';
import { type SoakServer, type SoakServers, startSoakServers } from './soak-servers.js';

/** Where a worker is killed: by itself, or by a server that has taken a body and not answered. */
export const killSteps = [
  ...(['llm', 'mail'] as const).flatMap((server) => [
    `before record of ${server}`,
    `after record of ${server}`,
    `before send of ${server}`,
    `body at ${server}`,
    `after send of ${server}`,
  ]),
] as const;

/** What one worker process is given. */
export interface SoakWork {
  directory: string;
  modelOrigin: string;
  smtpPort: number;
  /** Changes that it submits before it works; those of earlier workers are there already. */
  reviews: { from: number; to: number };
  kill: { step: string; nth: number } | null;
}

/** What a soak found. */
export interface SoakFigures {
  seed: number;
  kills: number;
  killsAt: Readonly<Record<string, number>>;
  reviews: number;
  /** Bodies that the servers took whole, and rows, by server. */
  received: Readonly<Record<SoakServer, number>>;
  rows: Readonly<Record<SoakServer, number>>;
  /** Received bodies that no row speaks for: must be none. */
  unrecorded: number;
  /** Rows whose bytes never arrived. */
  unsent: number;
  /** Bodies that a kill cut off. */
  cut: Readonly<Record<SoakServer, number>>;
  /** Workers that ended otherwise than they should. */
  complaints: readonly string[];
}

/** The bundled worker, and the keys that all workers of a soak share. */
async function openWorkers() {
  const { folder, remove } = makeBundleFolder(fileURLToPath(new URL('../..', import.meta.url)));
  await bundleInto(folder, { worker: fileURLToPath(new URL('./soak-worker.ts', import.meta.url)) }, 'esm');
  const env = {
    ...process.env,
    ARTIFACT_KEY: randomBytes(32).toString('base64'),
    FINGERPRINT_KEY: randomBytes(32).toString('base64'),
  };
  return {
    remove,
    start: (work: SoakWork): ChildProcess =>
      spawn(process.execPath, [join(folder, 'worker.mjs'), JSON.stringify(work)], {
        env,
        stdio: ['ignore', 'ignore', 'pipe'],
      }),
  };
}

function ended(
  child: ChildProcess,
): Promise<{ signal: NodeJS.Signals | null; code: number | null; complaint: string }> {
  let complaint = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    complaint = (complaint + text).slice(-1_000);
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve({ code, signal, complaint }));
  });
}

/** The server kills the worker when the N-th body of this kind is there. */
function killAtBody(servers: SoakServers, child: ChildProcess, kill: NonNullable<SoakWork['kill']>): void {
  let taken = 0;
  servers.onBody = (server) => {
    if (kill.step !== `body at ${server}`) return;
    taken += 1;
    if (taken === kill.nth) child.kill('SIGKILL');
  };
}

/** Every row, page by page. */
async function readRows(directory: string): Promise<readonly EgressRecord[]> {
  const stores = createSqliteStores({ file: join(directory, 'queue.sqlite') });
  const rows: EgressRecord[] = [];
  for (;;) {
    const page = await stores.egress.list({ limit: 1_000, before: rows.at(-1)?.id });
    rows.push(...page);
    if (page.length < 1_000) break;
  }
  await stores.close();
  return rows;
}

/** Takes one row for each body: what is left on either side. A repeated body needs a row of its own. */
function compare(received: readonly string[], recorded: readonly string[]): { unrecorded: number; unsent: number } {
  const rows = new Map<string, number>();
  for (const digest of recorded) rows.set(digest, (rows.get(digest) ?? 0) + 1);
  let unrecorded = 0;
  for (const digest of received) {
    const left = rows.get(digest) ?? 0;
    if (left === 0) unrecorded += 1;
    else rows.set(digest, left - 1);
  }
  return { unrecorded, unsent: [...rows.values()].reduce((sum, left) => sum + left, 0) };
}

const reviewsEach = 3;

/**
 * Kills `kills` workers at steps drawn by the seed, each step as often as the others, then lets one
 * work to the end and compares. `onKill` is told the number of kills so far.
 */
export async function runEgressSoak(
  { kills, seed }: { kills: number; seed: number },
  onKill: (done: number) => void = () => undefined,
): Promise<SoakFigures> {
  const directory = mkdtempSync(join(tmpdir(), 'criticizer-egress-soak-'));
  const [servers, workers] = [await startSoakServers(), await openWorkers()];
  const random = createSeededRandom(seed);
  const killsAt: Record<string, number> = {};
  const complaints: string[] = [];
  const place = { directory, modelOrigin: servers.modelOrigin, smtpPort: servers.smtpPort };
  let to = 0;
  try {
    for (let done = 0; done < kills; done += 1) {
      const step = killSteps[done % killSteps.length] ?? '';
      const kill = { step, nth: 1 + Math.floor(random.next() * reviewsEach) };
      const reviews = { from: to + 1, to: to + reviewsEach };
      to = reviews.to;
      const child = workers.start({ ...place, reviews, kill });
      killAtBody(servers, child, kill);
      const { signal, code, complaint } = await ended(child);
      if (signal !== 'SIGKILL') complaints.push(`${step} #${kill.nth}: ended with ${code} ${complaint}`);
      killsAt[step] = (killsAt[step] ?? 0) + 1;
      onKill(done + 1);
    }
    servers.onBody = () => undefined;
    const last = await ended(workers.start({ ...place, reviews: { from: 1, to }, kill: null }));
    if (last.code !== 0) complaints.push(`the last worker ended with ${last.code} ${last.complaint}`);
    const rows = await readRows(directory);
    const { digests, cut } = servers;
    const recorded = (server: SoakServer) =>
      rows.filter(({ destination }) => destination === server).map(({ bodySha256 }) => bodySha256);
    const found = (['llm', 'mail'] as const).map((server) => compare(digests[server], recorded(server)));
    return {
      ...{ seed, kills, killsAt, reviews: to, complaints },
      received: { llm: digests.llm.length, mail: digests.mail.length },
      rows: { llm: recorded('llm').length, mail: recorded('mail').length },
      unrecorded: found.reduce((sum, one) => sum + one.unrecorded, 0),
      unsent: found.reduce((sum, one) => sum + one.unsent, 0),
      cut: { ...cut },
    };
  } finally {
    await servers.close();
    workers.remove();
    rmSync(directory, { recursive: true, force: true });
  }
}
