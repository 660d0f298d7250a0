// The job store of a worker, with a ledger round it: what was claimed, what was settled, what was refused.
import { setTimeout as sleep } from 'node:timers/promises';
import type { ClaimedJob, JobStore, Settlement, SettleOutcome } from '@criticizer/core/ports';
import type { SoakPayload } from './soak-job.js';
import type { SoakStore } from './soak-store.js';
import { type EffectName, monotonicMs, type WorkerLog } from './worker-log.js';

/**
 * `transaction`: settlements and their ledger rows in one transaction of the worker's. `plain`: as
 * a host without effects of its own settles.
 */
export type SettleMode = 'transaction' | 'plain';

/** The effects of a settlement that may commit once only, and `requeue:…`, which may commit again and again. */
export function effectsOf(settlement: Settlement): EffectName[] {
  switch (settlement.kind) {
    case 'advance':
      return ['advance'];
    case 'checkpoint':
      return Object.keys(settlement.effects?.outputs ?? {}).map((name) => `checkpoint:${name}`);
    case 'done':
    case 'dead-letter':
      return [`end:${settlement.kind}`];
    default:
      return [`requeue:${settlement.kind}`];
  }
}

export interface RecordedJobs<Tx> {
  jobs: JobStore<Tx>;
  /** The number and token of a job this worker claimed last. */
  claimOf(jobId: string): { n: number; token: string };
}

/**
 * How a slow path to the database delays settlements that the worker has already decided on: a
 * freeze then falls between the two.
 */
export interface SettleDelay {
  /** Of the calls of `settle`, 0 to 1. */
  share: number;
  maxMs: number;
}

export interface Recording {
  mode: SettleMode;
  delay: SettleDelay;
  /** Name of the worker. */
  worker: string;
  log: WorkerLog;
}

// long: wraps the verbs of the store, one after the other
export function recordJobs<Tx>(
  store: SoakStore<Tx>,
  inner: JobStore<Tx>,
  { mode, delay, worker, log }: Recording,
): RecordedJobs<Tx> {
  const claims = new Map<string, { n: number; token: string }>();
  const claimOf = (jobId: string): { n: number; token: string } => claims.get(jobId) ?? { n: -1, token: '' };
  const numberOf = ({ job }: ClaimedJob): number => (job.payload as SoakPayload).n;

  async function settle(settlements: readonly Settlement[]): Promise<readonly SettleOutcome[]> {
    if (mode === 'plain') return inner.settle(settlements);
    return store.stores.transaction(async (tx) => {
      const outcomes = await inner.settle(settlements, { tx });
      // Of what a try before this one settled, whose answer was lost, the ledger has the rows.
      const settled = settlements.filter((_, i) => outcomes[i] === 'settled');
      const effects = settled.flatMap((settlement) => {
        const { jobId, token } = settlement.lease;
        return effectsOf(settlement).map((effect) => ({ n: claimOf(jobId).n, job: jobId, effect, token, worker }));
      });
      await store.recordEffects(
        tx,
        effects.filter(({ effect }) => !effect.startsWith('requeue:')),
      );
      return outcomes;
    });
  }

  const jobs: JobStore<Tx> = {
    ...inner,
    async claim(request) {
      const claimed = await inner.claim(request);
      for (const one of claimed) {
        claims.set(one.job.id, { n: numberOf(one), token: request.token });
        log.write({
          what: 'claim',
          n: numberOf(one),
          token: request.token,
          atMs: monotonicMs(),
          lost: one.job.lostLeases,
        });
      }
      return claimed;
    },
    async heartbeat(leases, leaseMs) {
      const outcomes = await inner.heartbeat(leases, leaseMs);
      for (const [i, { jobId, token }] of leases.entries())
        if (outcomes[i] === 'lease-lost') log.write({ what: 'beat-refused', n: claimOf(jobId).n, token });
      return outcomes;
    },
    async settle(settlements) {
      if (Math.random() < delay.share) await sleep(Math.random() * delay.maxMs);
      const outcomes = await settle(settlements);
      for (const [i, settlement] of settlements.entries()) {
        const { jobId, token } = settlement.lease;
        const { n } = claimOf(jobId);
        for (const effect of effectsOf(settlement)) {
          if (outcomes[i] === 'settled' || outcomes[i] === 'settled-before')
            log.write({ what: 'settled', n, token, effect });
          else log.write({ what: 'refused', n, token, effect, atMs: monotonicMs() });
        }
      }
      return outcomes;
    },
  };
  return { jobs, claimOf };
}
