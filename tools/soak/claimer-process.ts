// A process of claimers for the proof of the global limit: all claim at once, hold what they got
// for a moment, and give it back or abandon it.
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { isCriticizerError } from '@criticizer/core';
import type { ClaimedJob, JobStore } from '@criticizer/core/ports';
import { createSeededRandom } from '@criticizer/core/testing';
import { createPostgresStores } from '@criticizer/queue-pg';
import pg from 'pg';
import { type ClaimerOptions, limitedKind, type Round, type RoundReport } from './claimer-protocol.js';
import { shiftDate } from './clock-offset.js';

const turns = 4;

function main(): void {
  const options = JSON.parse(process.argv[2] ?? '{}') as ClaimerOptions;
  if (options.offsetMs !== 0) shiftDate(() => options.offsetMs);
  const pool = new pg.Pool({ connectionString: options.url, max: options.claimers });
  const { jobs } = createPostgresStores({ pool, schema: options.schema });
  const random = createSeededRandom(options.seed);
  process.once('disconnect', () => process.exit(0));
  process.on('message', (round: Round) => {
    void Promise.all(
      Array.from({ length: options.claimers }, (_, n) => play(jobs, `${process.pid}-${n}`, round, random.next)),
    )
      .then((reports) => {
        const sum = (of: 'claimed' | 'refused'): number => reports.reduce((total, report) => total + report[of], 0);
        process.send?.({ claimed: sum('claimed'), refused: sum('refused') } satisfies RoundReport);
      })
      .catch((error: unknown) => {
        console.error(error);
        process.exit(1);
      });
  });
  process.send?.('ready');
}

/**
 * Several claims, one after the other: an empty one is quick, and one alone would be over before a
 * holder gives anything back.
 */
async function play(jobs: JobStore<never>, owner: string, round: Round, chance: () => number) {
  const total = { claimed: 0, refused: 0 };
  for (let n = 0; n < turns; n++) {
    const { claimed, refused } = await turn(jobs, owner, round, chance).catch(afterConflict);
    total.claimed += claimed;
    total.refused += refused;
  }
  return total;
}

/**
 * A store that gives up a call for others' locks is no fault of the limit; without the limit's lock
 * deadlocks are likely. As a worker would, the claimer goes on, and its leases expire.
 */
function afterConflict(error: unknown): { claimed: number; refused: number } {
  if (!isCriticizerError(error) || !['conflict', 'upstream'].includes(error.category)) throw error;
  console.error(error.code);
  return { claimed: 0, refused: 0 };
}

/** One claim and what becomes of it. */
async function turn(
  jobs: JobStore<never>,
  owner: string,
  { leaseMs, abandoned, overslept }: Round,
  chance: () => number,
) {
  const limit = 1 + Math.floor(chance() * 3);
  const claimed = await jobs.claim({ kinds: [limitedKind], owner, token: randomUUID(), leaseMs, limit });
  if (claimed.length === 0) return { claimed: 0, refused: 0 };
  await sleep(chance() < overslept ? leaseMs * (1 + chance()) : chance() * 6);
  const leases = claimed.map(({ lease }: ClaimedJob) => lease);
  const beats = chance() < 0.3 ? await jobs.heartbeat(leases, leaseMs) : [];
  const settled = chance() < abandoned ? [] : await jobs.settle(leases.map((lease) => ({ lease, kind: 'release' })));
  return {
    claimed: claimed.length,
    refused: [...beats, ...settled].filter((outcome) => outcome === 'lease-lost').length,
  };
}

main();
