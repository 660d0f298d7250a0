// The proof of the global limit W: processes of claimers that all claim at once, round after round,
// and a trigger that counts what runs.
import { type ChildProcess, spawn } from 'node:child_process';
import { createPostgresStores } from '@criticizer/queue-pg';
import pg from 'pg';
import { startPostgres } from '../postgres/postgres.js';
import { type ClaimerOptions, limitedKind, type Round, type RoundReport } from './claimer-protocol.js';
import { faketimeEnvironment, findFaketime } from './clock-offset.js';
import { type PlantedLimitFault, plantLimitFault } from './planted-limit-faults.js';
import { type RunningCounts, readCounts, runningLedger } from './running-ledger.js';
import { bundleProcess } from './worker-bundle.js';

export interface LimitConfig {
  /** W. */
  limit: number;
  rounds: number;
  processes: number;
  claimers: number;
  seed: number;
  planted: PlantedLimitFault | null;
}

export interface LimitReport extends RunningCounts {
  config: LimitConfig;
  database: string;
  clocks: string;
  claimed: number;
  /** Leases that ran out and were requeued, and writes refused for it. */
  expired: number;
  refused: number;
  seconds: number;
}

const schema = 'criticizer';
const jobCount = 200;
const hourMs = 3_600_000;
/** By process. */
const offsets = [hourMs, -hourMs, 0, hourMs / 6];

/** Every other round leaves some of its leases to expire while the next claims come. */
const roundOf = (n: number): Round =>
  n % 2 === 0 ? { leaseMs: 30_000, abandoned: 0, overslept: 0 } : { leaseMs: 60, abandoned: 0.4, overslept: 0.3 };

interface Claimers {
  /** Resolves when all of its claimers are done. */
  play(round: Round): Promise<RoundReport>;
  end(): Promise<void>;
}

function answer<T>(child: ChildProcess): Promise<T> {
  return new Promise((resolve, reject) => {
    child.once('message', (message) => resolve(message as T));
    child.once('exit', (code, signal) => reject(new Error(`a claimer process ended with ${code ?? signal}`)));
  });
}

async function startClaimers(file: string, options: ClaimerOptions): Promise<Claimers> {
  const library = options.offsetMs === 0 ? undefined : findFaketime();
  const given = library === undefined ? options : { ...options, offsetMs: 0 };
  const env = library === undefined ? {} : faketimeEnvironment(library, options.offsetMs);
  const child = spawn(process.execPath, [file, JSON.stringify(given)], {
    env: { ...process.env, NODE_OPTIONS: '', ...env },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  child.setMaxListeners(0);
  await answer<'ready'>(child);
  return {
    play(round) {
      const report = answer<RoundReport>(child);
      child.send(round);
      return report;
    },
    async end() {
      const gone = new Promise((resolve) => child.once('exit', resolve));
      if (child.connected) child.disconnect();
      if (child.exitCode === null && child.signalCode === null) await gone;
    },
  };
}

async function prepare(pool: pg.Pool, limit: number): Promise<void> {
  const stores = createPostgresStores({ pool, schema });
  await stores.migrate();
  await stores.limits.set('running', limit);
  await stores.jobs.enqueue(
    Array.from({ length: jobCount }, (_, n) => ({
      kind: limitedKind,
      payload: n,
      stage: 'only',
      idempotencyKey: `limited-${n}`,
    })),
  );
  await pool.query(runningLedger(schema));
  await stores.close();
}

async function playAll(crew: readonly Claimers[], rounds: number): Promise<{ claimed: number; refused: number }> {
  const total = { claimed: 0, refused: 0 };
  for (let n = 0; n < rounds; n++) {
    const reports = await Promise.all(crew.map((claimers) => claimers.play(roundOf(n))));
    for (const { claimed, refused } of reports) {
      total.claimed += claimed;
      total.refused += refused;
    }
  }
  return total;
}

export async function runLimitRounds(config: LimitConfig): Promise<LimitReport> {
  const began = performance.now();
  const { processes, claimers, planted, seed } = config;
  const server = await startPostgres({ settings: [`max_connections=${processes * claimers + 20}`] });
  const bundle = await bundleProcess('claimer-process.ts');
  const pool = new pg.Pool({ connectionString: server.url, max: 2 });
  pool.on('error', () => undefined); // the server ends while the pool does
  const crew: Claimers[] = [];
  try {
    await prepare(pool, config.limit);
    if (planted !== null) await plantLimitFault(pool, schema, planted);
    for (let n = 0; n < processes; n++) {
      const offsetMs = offsets[n % offsets.length] ?? 0;
      crew.push(await startClaimers(bundle.file, { url: server.url, schema, claimers, seed: seed + n, offsetMs }));
    }
    const total = await playAll(crew, config.rounds);
    const counts = (await pool.query<RunningCounts>(readCounts, [config.limit])).rows[0];
    const lost = (await pool.query<{ n: number }>(`SELECT sum(lost_leases)::int AS n FROM ${schema}.work_queue`))
      .rows[0];
    if (counts === undefined || lost === undefined) throw new Error('the ledger gave no row');
    const clocks = `up to 1 h off (${findFaketime() === undefined ? 'shifted Date' : 'libfaketime'})`;
    const seconds = (performance.now() - began) / 1_000;
    return { config, database: server.version, clocks, ...counts, ...total, expired: lost.n, seconds };
  } finally {
    await Promise.all(crew.map((claimers) => claimers.end()));
    await pool.end();
    bundle.remove();
    await server.stop();
  }
}

/** A run's figures. */
export const limitLine = ({
  most,
  config,
  atLimit,
  increases,
  changes,
  claimed,
  expired,
  refused,
  seconds,
}: LimitReport): string =>
  `most running ${most} of ${config.limit}, at the limit ${atLimit} times; ${changes} changes recorded, ${increases} of them claims or late heartbeats; ${claimed} jobs claimed, ${expired} leases expired, ${refused} writes refused; ${seconds.toFixed(1)} s`;
