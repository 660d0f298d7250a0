// A worker process of the soak: the real worker on the real stores, until it is told to stop,
// killed, or left by its parent.
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { createQueueWorker, isCriticizerError, type QueueWorker } from '@criticizer/core/queue';
import { readOffsetFile, shiftDate } from './clock-offset.js';
import { type PlantedQueueFault, plantQueueFault } from './planted-queue-faults.js';
import { recordJobs, type SettleDelay, type SettleMode } from './recorded-jobs.js';
import { soakJobKinds } from './soak-job.js';
import { openPostgresStore, openSqliteStore, type SoakStore, type StoreAddress } from './soak-store.js';
import { openWorkerLog } from './worker-log.js';

export interface WorkerOptions {
  address: StoreAddress;
  /** Unique per process start. */
  name: string;
  logFile: string;
  leaseMs: number;
  concurrency: number;
  prefetch: number;
  settle: SettleMode;
  delay: SettleDelay;
  planted: PlantedQueueFault | null;
  /** Shifts `Date`; null where libfaketime does, or where the clock is right. */
  clock: { offsetMs: number } | { file: string } | null;
}

/** To the worker: `block` holds its event loop for so long, `ping` asks for `pong` once the loop turns. */
export type ToWorker = { stop: true } | { block: number } | { ping: true };
export type FromWorker = 'ready' | 'pong' | 'stopped';

const tell = (message: FromWorker): void => void process.send?.(message);

async function run<Tx>(options: WorkerOptions, store: SoakStore<Tx>): Promise<void> {
  const log = openWorkerLog(options.logFile);
  const { jobs, claimOf } = recordJobs(store, plantQueueFault(options.planted, store), {
    mode: options.settle,
    delay: options.delay,
    worker: options.name,
    log,
  });
  const { concurrency, prefetch, leaseMs } = options;
  const stopping = new AbortController();
  const create = (): QueueWorker =>
    createQueueWorker({
      stores: { ...store.stores, jobs },
      kinds: soakJobKinds({ called: (n) => log.write({ what: 'called', n }) }),
      redactText: (text) => text,
      onEvent(event) {
        if (event.type === 'stage.ended' && event.code === 'LEASE_LOST')
          log.write({ what: 'aborted', n: claimOf(event.jobId).n });
      },
      settings: {
        worker: { concurrency, prefetch, leaseMs, pollMinMs: 10, pollMaxMs: 100, sweepEveryMs: 1_000 },
        // Kills and freezes are the faults here, not what a job is to die of.
        retry: { maxAttemptsPerStage: 100, maxLostLeases: 100, initialMs: 20, maxMs: 200 },
      },
    });
  process.on('message', (message: ToWorker) => {
    if ('ping' in message) tell('pong');
    else if ('block' in message) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, message.block);
    else stopping.abort();
  });
  const worker = await started(create);
  tell('ready');
  if (!stopping.signal.aborted) await once(stopping.signal, 'abort');
  await worker.stop({ graceMs: 5_000 });
  await store.close();
  tell('stopped');
  process.disconnect();
}

/** A worker that starts while its database is away is made anew, as a service manager would have it. */
async function started(create: () => QueueWorker): Promise<QueueWorker> {
  for (let left = 100; ; left--) {
    const worker = create();
    try {
      await worker.start();
      return worker;
    } catch (error) {
      await worker.stop();
      if (left === 0 || !isCriticizerError(error) || error.category !== 'network') throw error;
      await sleep(100);
    }
  }
}

function main(): void {
  const options = JSON.parse(process.argv[2] ?? '{}') as WorkerOptions;
  const { clock, address, concurrency } = options;
  if (clock !== null) shiftDate('file' in clock ? readOffsetFile(clock.file) : () => clock.offsetMs);
  process.once('disconnect', () => process.exit(0)); // nobody is there to stop it
  const running =
    address.store === 'pg'
      ? run(options, openPostgresStore(address.url, address.schema, concurrency + 2))
      : run(options, openSqliteStore(address.file));
  running.catch((error: unknown) => {
    console.error(error);
    process.exit(1);
  });
}

main();
