// A process that runs the soak's jobs until it is killed. Its argument is one JSON document.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Stores } from '@criticizer/core';
import { CriticizerError, createQueueWorker, type JobKind } from '@criticizer/core/queue';
import { z } from 'zod';
import { openPostgresStore, openSqliteStore, type StoreAddress } from './soak-store.js';

const { address, mended } = JSON.parse(process.argv[2] ?? '') as {
  address: StoreAddress;
  /** Folder with a file for each cause that an operator has mended. */
  mended: string;
};

const payload = z.strictObject({ n: z.number(), cause: z.number() });

/** Fails for good, by the cause of its payload, until that is mended. */
const kind: JobKind<z.infer<typeof payload>> = {
  kind: 'operated',
  payload,
  stages: [
    {
      name: 'work',
      async run({ payload: { n, cause } }) {
        if (existsSync(join(mended, String(cause)))) return { kind: 'done', result: { n } };
        throw new CriticizerError(`CAUSE_${cause}`, `part ${n} is refused by peer ${'abcdefg'[cause]}`, {
          category: 'validation',
        });
      },
    },
  ],
};

async function run<Tx>(stores: Stores<Tx>): Promise<void> {
  const worker = createQueueWorker({
    stores,
    kinds: [kind as JobKind<unknown>],
    redactText: (text) => text,
    settings: {
      worker: { concurrency: 8, prefetch: 8, leaseMs: 1_000, pollMinMs: 10, pollMaxMs: 100, sweepEveryMs: 1_000 },
      retry: { maxLostLeases: 100 }, // kills are the faults here, not what a job is to die of
    },
  });
  await worker.start();
  process.stdout.write('up\n');
}

process.stdin.once('end', () => process.exit(0)).resume(); // nobody is there to kill it
const running =
  address.store === 'pg'
    ? run(openPostgresStore(address.url, address.schema, 10).stores)
    : run(openSqliteStore(address.file).stores);
running.catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
