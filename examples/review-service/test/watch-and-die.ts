// A service that is killed between the submit of what its watcher found and the move of the cursor.
// Usage: JSON {directory, p4} as argument.
import { join } from 'node:path';
import { createFileSecrets, silentLogger } from '@criticizer/core';
import type { CursorStore } from '@criticizer/core/ports';
import { createSqliteStores, type SqliteTx } from '@criticizer/queue-sqlite';
import { startSimulatedService } from '../src/simulated/simulated-service.js';

const { directory, p4 } = JSON.parse(process.argv[2] ?? '{}');
const stores = createSqliteStores({ file: join(directory, 'queue.sqlite') });
const cursors: CursorStore<SqliteTx> = {
  ...stores.cursors,
  async advance(name, expected, next, options) {
    if (name === 'p4/main/submitted' && expected !== null) process.kill(process.pid, 'SIGKILL');
    return stores.cursors.advance(name, expected, next, options);
  },
};
const secrets = createFileSecrets({ directory: join(directory, 'secrets') });
await startSimulatedService(
  { directory, secrets, p4 },
  {
    stores: { ...stores, cursors },
    logger: silentLogger,
    watch: { watch: ['submitted'], startAt: 10 },
    settings: { worker: { leaseMs: 1_000 } },
  },
);
