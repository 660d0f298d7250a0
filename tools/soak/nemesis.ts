// Who breaks things: a seeded list of faults, each due when so much of the work is done, never two at the same instant.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '@criticizer/core/ports';
import type { CuttingProxy } from './cutting-proxy.js';
import type { Stall } from './recovery.js';
import type { Crew, Worker } from './worker-crew.js';
import { monotonicMs } from './worker-log.js';

export type FaultKind = 'kill' | 'stop' | 'block' | 'cut' | 'crash' | 'clock';
export type FaultCounts = Readonly<Record<FaultKind, number>>;

export interface NemesisOptions {
  faults: FaultCounts;
  crew: Crew;
  slots: number;
  leaseMs: number;
  random: Random;
  /** The share of the work that is done, 0 to 1. */
  progress(): number;
  /** Absent for a database without a server. */
  server?: { proxy: CuttingProxy; crash(): Promise<void> } | undefined;
  /** See `SoakDatabase`. */
  isWritable?: (() => boolean) | undefined;
  /** Absent where each worker has a clock of its own. */
  stepClock?: (() => void) | undefined;
  signal: AbortSignal;
}

export interface Nemesis {
  done: Record<FaultKind, number>;
  /** Spans in which a worker that was held kept the one write lock with it. */
  stalls: readonly Stall[];
  /** Faults planned and faults done, the frozen that still sleep included. */
  planned: number;
  applied(): number;
  /** Resolves when all faults were applied and every frozen worker is awake. */
  run(): Promise<void>;
}

/** All of them in a random order, so that kills meet freezes and crashes. */
function shuffled(faults: FaultCounts, random: Random): FaultKind[] {
  const list = Object.entries(faults).flatMap(([kind, count]) =>
    Array.from({ length: count }, () => kind as FaultKind),
  );
  for (let i = list.length - 1; i > 0; i--) {
    const j = Math.floor(random.next() * (i + 1));
    const [a, b] = [list[i], list[j]];
    if (a !== undefined && b !== undefined) [list[i], list[j]] = [b, a];
  }
  return list;
}

const lookMs = 10;

// long: one plan of faults, each kind a verb over the same crew
export function createNemesis(options: NemesisOptions): Nemesis {
  const { crew, random, signal, leaseMs, server } = options;
  const done: Record<FaultKind, number> = { kill: 0, stop: 0, block: 0, cut: 0, crash: 0, clock: 0 };
  const list = shuffled(options.faults, random);
  const sleepers: Promise<void>[] = [];
  const stalls: Stall[] = [];

  async function until(holds: () => boolean): Promise<void> {
    while (!holds()) {
      signal.throwIfAborted();
      await sleep(lookMs);
    }
  }

  async function victim(): Promise<Worker> {
    await until(() => crew.free().length > 0);
    const free = crew.free();
    const chosen = free[Math.floor(random.next() * free.length)];
    if (chosen === undefined) throw new Error('no worker to break');
    return chosen;
  }

  /** From just past the lease to two of them: long enough for another worker to take the job and finish it. */
  const pastLeaseMs = (): number => leaseMs * (1.3 + random.next() * 0.7);

  async function hold(how: 'freeze' | 'block'): Promise<void> {
    // Half of the crew stays awake, to take over.
    await until(() => crew.held() < Math.max(1, Math.floor(options.slots / 2)));
    const [worker, ms] = [await victim(), pastLeaseMs()];
    sleepers.push(crew[how](worker, ms));
    if (options.isWritable !== undefined) sleepers.push(watchLock(options.isWritable, ms));
  }

  /** Nobody could write until it woke: it was frozen with the lock. */
  async function watchLock(isWritable: () => boolean, heldMs: number): Promise<void> {
    const fromMs = monotonicMs();
    while (!isWritable()) await sleep(lookMs);
    if (monotonicMs() - fromMs >= heldMs) stalls.push({ fromMs, toMs: fromMs + heldMs });
  }

  async function cut(proxy: CuttingProxy): Promise<void> {
    await until(() => proxy.open() > 0);
    if (random.next() < 0.3) proxy.cut(random);
    else proxy.cutAfter(Math.floor(random.next() * 400), random.next() < 0.5 ? 'request' : 'reply', random);
  }

  async function apply(kind: FaultKind): Promise<void> {
    if (kind === 'kill') crew.kill(await victim());
    else if (kind === 'stop') await hold('freeze');
    else if (kind === 'block') await hold('block');
    else if (kind === 'clock') options.stepClock?.();
    else if (server === undefined) throw new Error(`${kind}: this database has no server`);
    else if (kind === 'cut') await cut(server.proxy);
    else await server.crash();
    done[kind]++;
  }

  return {
    done,
    stalls,
    planned: list.length,
    applied: () => Object.values(done).reduce((sum, n) => sum + n, 0),
    async run() {
      for (const [i, kind] of list.entries()) {
        // Not all at once at the end: the last fault comes while a tenth of the work is left.
        await until(() => options.progress() >= (0.9 * i) / list.length);
        await apply(kind);
        if (kind !== 'cut') await sleep(20 + random.next() * 160);
      }
      await Promise.all(sleepers);
    },
  };
}
