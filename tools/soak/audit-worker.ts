// A process that delivers audit events until it is killed. Its argument is one JSON document.
import { Secret } from '@criticizer/core';
import { createAuditDelivery, createWebhookSink } from '@criticizer/core/audit-delivery';
import { createHttpClient } from '@criticizer/core/http';
import type { AuditStore } from '@criticizer/core/ports';
import { openPostgresStore, openSqliteStore, type StoreAddress } from './soak-store.js';

interface Work {
  address: StoreAddress;
  sinks: readonly { id: string; url: string }[];
  secret: string;
}

const { address, sinks, secret } = JSON.parse(process.argv[2] ?? '') as Work;

const { stores } =
  address.store === 'sqlite' ? openSqliteStore(address.file) : openPostgresStore(address.url, address.schema, 8);
const version = { secret: new Secret(secret), version: '1' };
const source = { contract: 1 as const, read: async () => ({ current: version }) };
const http = createHttpClient({ allowPrivateOrigins: sinks.map(({ url }) => new URL(url).origin) });
const delivery = createAuditDelivery({
  store: stores.audit as AuditStore<never>,
  sinks: sinks.map(({ id, url }) => createWebhookSink({ id, url, http, secret: { source, name: 'S' } })),
  settings: {
    worker: { pollMinMs: 10, pollMaxMs: 50 },
    audit: { concurrency: 16, sendTimeoutMs: 2_000, breaker: { drainPerSecond: 100_000, parkMs: 1_000 } },
  },
});
void delivery.start().then(() => process.stdout.write('up\n'));
