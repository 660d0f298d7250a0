// How soon the jobs of a killed worker are another's.
import type { Claim } from './claims.js';

/**
 * A span, by `monotonicMs`, in which a frozen process kept the one write lock of the database:
 * nobody could take anything.
 */
export interface Stall {
  fromMs: number;
  toMs: number;
}

export interface RecoveryFacts {
  leaseMs: number;
  kills: readonly { worker: string; atMs: number }[];
  stalls: readonly Stall[];
}

export interface Recovery {
  /** From the kill to the moment another worker has the job. */
  afterKillMs: number;
  /** Of that, past the lease and inside a stall. */
  stalledMs: number;
}

/** How much of the span lies in stalls, which may overlap. */
function stalledWithin(fromMs: number, toMs: number, stalls: readonly Stall[]): number {
  let covered = 0;
  let upTo = fromMs;
  for (const stall of stalls.toSorted((a, b) => a.fromMs - b.fromMs)) {
    const begin = Math.max(upTo, stall.fromMs);
    const end = Math.min(toMs, stall.toMs);
    if (end <= begin) continue;
    covered += end - begin;
    upTo = end;
  }
  return covered;
}

/**
 * Leaves out jobs that a second fault took from a worker before it could write down its claim: the
 * database had handed them out.
 */
export function recoveriesOf(
  { leaseMs, kills, stalls }: RecoveryFacts,
  byJob: ReadonlyMap<number, readonly Claim[]>,
): Recovery[] {
  const killedAt = new Map(kills.map(({ worker, atMs }) => [worker, atMs]));
  const recoveries: Recovery[] = [];
  for (const claims of byJob.values())
    for (const claim of claims) {
      const at = killedAt.get(claim.worker);
      if (at === undefined || claim.closed) continue;
      const later = claims.filter(({ worker, atMs }) => worker !== claim.worker && atMs > at);
      const next = later.reduce<Claim | undefined>(
        (first, one) => (first === undefined || one.atMs < first.atMs ? one : first),
        undefined,
      );
      const isSecondFault = next !== undefined && next.lost > (claim.advanced ? 0 : claim.lost) + 1;
      if (next !== undefined && !isSecondFault)
        recoveries.push({ afterKillMs: next.atMs - at, stalledMs: stalledWithin(at + leaseMs, next.atMs, stalls) });
    }
  return recoveries;
}
