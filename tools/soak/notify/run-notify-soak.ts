// One soak of one channel: workers that deliver its messages are killed or frozen, and its far end counts copies.
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import type { OutboxRow } from '@criticizer/core/ports';
import { createSeededRandom } from '@criticizer/core/testing';
import { createSqliteStores } from '@criticizer/queue-sqlite';
import { killProcess } from '../kill-process.js';
import type { WorkerBundle } from '../worker-bundle.js';
import type { FarEnd } from './far-end.js';
import { startFarEnd } from './far-ends.js';
import { type NotifyWork, type Point, points, type SoakedChannel, said, traitsOf } from './notify-work.js';

export interface NotifySoakConfig {
  channel: SoakedChannel;
  kills: number;
  seed: number;
  /** After which the last worker is given up, and what it did not send is lost; milliseconds. */
  drainMs: number;
}

/** What one channel's soak found. */
export interface ChannelFigures {
  channel: SoakedChannel;
  kills: number;
  killsAt: Readonly<Record<string, number>>;
  freezes: number;
  /** Messages whose rows say that they were sent. */
  sent: number;
  /** Messages without a copy, or whose rows do not say that they were sent: must be 0. */
  lost: number;
  /** Messages with more than one copy: must be 0 where `isOnce`. */
  doubled: number;
  /** Of these, how many whose row does not say so: must be 0. */
  unflagged: number;
  /** Rows that say that a second copy is possible. */
  flagged: number;
  /** Writes of woken workers that were refused: at least one for each freeze. */
  refused: number;
  isOnce: boolean;
  /** Workers that ended otherwise than they should. */
  complaints: readonly string[];
}

/** True where every goal is met. */
export function isGood({ lost, doubled, unflagged, refused, freezes, isOnce, complaints }: ChannelFigures): boolean {
  return lost + unflagged + complaints.length === 0 && (!isOnce || doubled === 0) && refused >= freezes;
}

/** Changes are numbered from here, so that no other number of a message is one. */
const before = 700_000;
/** Reviews that each worker adds. */
const CHANGES_EACH = 2;
/** Workers that may finish before their point is reached, one after the other. */
const MAX_MISSED = 20;
/** What a random kill waits for at most, in milliseconds. */
const RANDOM_MS = 300;

interface Worker {
  child: ChildProcess;
  /** Resolves when the line comes, or the process ends. */
  says(line: string): Promise<void>;
  count(line: string): number;
  ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
}

/** Opens the place of one soak: stores, far end, and workers on both. */
async function openPlace(bundle: WorkerBundle, channel: SoakedChannel) {
  const folder = mkdtempSync(join(tmpdir(), 'criticizer-notify-soak-'));
  const stores = createSqliteStores({ file: join(folder, 'queue.sqlite'), synchronous: 'normal' });
  await stores.migrate();
  const far = await startFarEnd(channel, folder);
  const env = { ...process.env, ARTIFACT_KEY: randomBytes(32).toString('base64') };
  let last = before;

  function start(fault: NotifyWork['fault'], added = CHANGES_EACH): Worker {
    const changes = added === 0 ? { from: before + 1, to: last } : { from: last + 1, to: last + added };
    for (let number = last + 1; number <= changes.to; number += 1) far.prepare?.(number);
    last = changes.to;
    const work: NotifyWork = { folder, channel, reach: far.reach, changes, fault };
    const child = spawn(process.execPath, [bundle.file, JSON.stringify(work)], {
      env,
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const lines: string[] = [];
    const output = createInterface({ input: child.stdout });
    const seen = new Map<string, () => void>();
    output.on('line', (line) => {
      lines.push(line);
      seen.get(line)?.();
    });
    const ended = once(child, 'close').then(() => ({ code: child.exitCode, signal: child.signalCode }));
    return {
      ...{ child, ended },
      count: (line) => lines.filter((one) => one === line).length,
      says: (line) =>
        lines.includes(line)
          ? Promise.resolve()
          : Promise.race([new Promise<void>((resolve) => void seen.set(line, resolve)), ended.then(() => undefined)]),
    };
  }

  return {
    ...{ far, stores, start },
    changes: () => last - before,
    async close() {
      await far.close();
      await stores.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

type Place = Awaited<ReturnType<typeof openPlace>>;

/** The points in turn; before one of a look-up something is left to look up. */
export function planPoints(channel: SoakedChannel): readonly (Point | 'random')[] {
  const { plans, looksUp } = traitsOf(channel);
  const own = points.filter((point) => (plans || !point.endsWith(' plan')) && (looksUp || !point.endsWith('look-up')));
  return [
    ...own.flatMap((point) => (point.endsWith('look-up') ? (['after phase', point] as const) : [point])),
    'random',
  ];
}

/** Starts workers until one of them was killed at the point. */
async function killAt(place: Place, point: Point | 'random', random: () => number): Promise<string | null> {
  for (let missed = 0; missed < MAX_MISSED; missed += 1) {
    const nth = point.endsWith('look-up') ? 1 : 1 + Math.floor(random() * CHANGES_EACH);
    const isOwn = point !== 'random' && point !== 'at the far end';
    const worker = place.start(isOwn ? { point, nth, how: 'kill' } : null);
    let taken = 0;
    place.far.onTaken = () => {
      taken += 1;
      if (point === 'at the far end' && taken === nth) worker.child.kill('SIGKILL');
    };
    if (point === 'random') {
      await worker.says(said.up);
      await sleep(random() * RANDOM_MS);
      await killProcess(worker.child);
    }
    const { code, signal } = await worker.ended;
    place.far.onTaken = () => undefined;
    if (signal === 'SIGKILL') return null;
    if (code !== 0) return `${point} #${nth}: ended with ${code ?? signal}`;
  }
  return `${point}: not reached by ${MAX_MISSED} workers`;
}

/** Freezes a worker, lets another one take its message over, and wakes it: what it writes then must be refused. */
async function freezeAt(place: Place, point: Point): Promise<{ refused: number; complaint: string | null }> {
  const frozen = place.start({ point, nth: 1, how: 'freeze' });
  await frozen.says(said.frozen);
  const other = place.start(null, 0);
  const done = await other.ended;
  frozen.child.kill('SIGCONT');
  const { code, signal } = await frozen.ended;
  const isWell = code === 0 && done.code === 0;
  return {
    refused: frozen.count(said.refused),
    complaint: isWell ? null : `${point}: froze and ended with ${code ?? signal}`,
  };
}

/** Lets a worker finish, for as long as it may take. */
async function drain(place: Place, drainMs: number): Promise<string | null> {
  const worker = place.start(null, 0);
  const limit = AbortSignal.timeout(drainMs);
  const late = once(limit, 'abort').then(() => 'late' as const);
  const ended = await Promise.race([worker.ended, late]);
  if (ended !== 'late') return ended.code === 0 ? null : `the last worker ended with ${ended.code ?? ended.signal}`;
  await killProcess(worker.child);
  return null; // what is not sent is lost
}

async function readRows({ stores }: Place): Promise<readonly OutboxRow[]> {
  const rows: OutboxRow[] = [];
  for (;;) {
    const page = await stores.outbox.list({ limit: 1_000, before: rows.at(-1)?.id });
    rows.push(...page);
    if (page.length < 1_000) return rows;
  }
}

/** Compares what the rows say with what the far end has. */
function judge(rows: readonly OutboxRow[], far: FarEnd, changes: number) {
  const doubled = rows.filter((row) => far.copies(row) > 1);
  const missing = rows.filter((row) => row.status !== 'sent' || far.copies(row) === 0);
  const reviewed = new Set(rows.map(({ changelistId }) => changelistId)).size;
  return {
    sent: rows.filter(({ status }) => status === 'sent').length,
    lost: missing.length + changes - reviewed,
    doubled: doubled.length,
    unflagged: doubled.filter(({ possibleDuplicate }) => !possibleDuplicate).length,
    flagged: rows.filter(({ possibleDuplicate }) => possibleDuplicate).length,
  };
}

/** One freeze at each end of a delivery for so many kills. */
const KILLS_A_FREEZE = 25;

/** Soaks one channel. `onKill` gets the number of kills so far. */
export async function soakChannel(
  bundle: WorkerBundle,
  { channel, kills, seed, drainMs }: NotifySoakConfig,
  onKill: (done: number) => void = () => undefined,
): Promise<ChannelFigures> {
  const place = await openPlace(bundle, channel);
  const random = createSeededRandom(seed);
  const killsAt: Record<string, number> = {};
  const complaints: string[] = [];
  const turns = planPoints(channel);
  let [freezes, refused, freezeFrom] = [0, 0, 0];
  try {
    for (let done = 0; done < kills; done += 1) {
      const point = turns[done % turns.length] ?? 'random';
      const complaint = await killAt(place, point, () => random.next());
      if (complaint !== null) complaints.push(complaint);
      killsAt[point] = (killsAt[point] ?? 0) + 1;
      onKill(done + 1);
      // A freeze sends all there is, so it never comes between a kill and the look-up that this one leaves.
      const next = turns[(done + 1) % turns.length] ?? 'random';
      if (done < freezeFrom || next.endsWith('look-up')) continue;
      freezeFrom = done + KILLS_A_FREEZE;
      const froze = await freezeAt(place, freezes % 2 === 0 ? 'before phase' : 'before mark');
      freezes += 1;
      refused += froze.refused;
      if (froze.complaint !== null) complaints.push(froze.complaint);
    }
    const complaint = await drain(place, drainMs);
    if (complaint !== null) complaints.push(complaint);
    const verdict = judge(await readRows(place), place.far, place.changes());
    const { isOnce } = traitsOf(channel);
    return { ...{ channel, kills, killsAt, freezes, refused, isOnce, complaints }, ...verdict };
  } finally {
    await place.close();
  }
}

/** Channels that are soaked at a time: their workers wait for leases more than they work. */
const AT_ONCE = 4;

/** Soaks several channels, those with no kill left out; figures in the order given. */
export async function soakChannels(
  bundle: WorkerBundle,
  configs: readonly NotifySoakConfig[],
  onKill: (config: NotifySoakConfig, done: number) => void = () => undefined,
): Promise<readonly ChannelFigures[]> {
  const wanted = configs.filter(({ kills }) => kills > 0);
  const found = new Map<NotifySoakConfig, ChannelFigures>();
  const waiting = [...wanted];
  const work = async (): Promise<void> => {
    for (let config = waiting.shift(); config !== undefined; config = waiting.shift()) {
      const own = config;
      found.set(own, await soakChannel(bundle, own, (done) => onKill(own, done)));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return wanted.flatMap((config) => found.get(config) ?? []);
}
