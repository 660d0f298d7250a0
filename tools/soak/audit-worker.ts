// A process that delivers audit events until it is killed. Its argument is one JSON document.
import { Secret } from '@criticizer/core';
import { createAuditDelivery, createWebhookSink } from '@criticizer/core/audit-delivery';
import { createHttpClient } from '@criticizer/core/http';
import type { Stores } from '@criticizer/core/ports';
import { createPostgresStores } from '@criticizer/queue-pg';
import { createSqliteStores } from '@criticizer/queue-sqlite';
import pg from 'pg';
import type { StoreAddress } from './soak-store.js';

interface Work {
  address: StoreAddress;
  sinks: readonly { id: string; url: string }[];
  secret: string;
}

const { address, sinks, secret } = JSON.parse(process.argv[2] ?? '') as Work;

function open(): Stores<never> {
  if (address.store === 'sqlite')
    return createSqliteStores({ file: address.file, synchronous: 'normal' }) as Stores<never>;
  const pool = new pg.Pool({ connectionString: address.url, max: 8, connectionTimeoutMillis: 5_000 });
  pool.on('error', () => undefined); // the next query opens another
  return createPostgresStores({ pool, schema: address.schema }) as Stores<never>;
}

const version = { secret: new Secret(secret), version: '1' };
const source = { contract: 1 as const, read: async () => ({ current: version }) };
const http = createHttpClient({ allowPrivateOrigins: sinks.map(({ url }) => new URL(url).origin) });
const delivery = createAuditDelivery({
  store: open().audit,
  sinks: sinks.map(({ id, url }) => createWebhookSink({ id, url, http, secret: { source, name: 'S' } })),
  settings: {
    worker: { pollMinMs: 10, pollMaxMs: 50 },
    audit: { concurrency: 16, sendTimeoutMs: 2_000, breaker: { drainPerSecond: 100_000, parkMs: 1_000 } },
  },
});
void delivery.start().then(() => process.stdout.write('up\n'));
