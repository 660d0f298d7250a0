// A service that comments in P4 Code Review until somebody kills it.
// Usage: JSON {directory, p4, origin, change} as argument.
import { join } from 'node:path';
import { createFileSecrets, silentLogger } from '@criticizer/core';
import { createSqliteStores } from '@criticizer/queue-sqlite';
import { startSimulatedService } from '../src/simulated/simulated-service.js';
import { commentIn, reportMissing } from './code-review-parts.js';

const { directory, p4, origin, change } = JSON.parse(process.argv[2] ?? '{}');
const stores = createSqliteStores({ file: join(directory, 'queue.sqlite') });
const secrets = createFileSecrets({ directory: join(directory, 'secrets') });
const service = await startSimulatedService(
  { directory, secrets, p4 },
  {
    stores,
    logger: silentLogger,
    watch: { watch: ['submitted'], startAt: 100 },
    settings: { worker: { leaseMs: 1_000 }, mail: { leaseMs: 1_000 } },
    channels: commentIn(origin),
    reply: reportMissing,
  },
);
await service.criticizer.submit({ serverId: 'main', number: change, reviewVersion: 1 });
