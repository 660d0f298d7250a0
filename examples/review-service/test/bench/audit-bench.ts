// npm run bench:audit -- [--clients N] [--seconds N] [--rounds N] [--check] [--json FILE]
// What `record` costs a host's transaction of three statements, by part. The parts take turns within
// each round on one server that writes to the disk; --check: exit 1 where the target is missed.
import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { silentLogger, systemRandom } from '@criticizer/core';
import { type AuditTrail, createAuditTrail } from '@criticizer/core/audit';
import type { AuditStore } from '@criticizer/core/ports';
import { createPostgresStores, type PgTx } from '@criticizer/queue-pg';
import { createPayloadRedactor } from '@criticizer/redact';
import pg from 'pg';
import { startPostgres } from '../../../../tools/postgres/postgres.js';

/** Of the host's throughput. */
const mostLost = 0.25;

type Work = (tx: pg.PoolClient) => Promise<unknown>;

interface Part {
  name: string;
  /** What a transaction does besides the host's three statements. */
  work: Work;
}

const entry = (n: number) => ({
  actorType: 'admin_user' as const,
  actorId: `user-${n % 50}`,
  action: 'admin.user.update',
  targetType: 'user',
  targetId: `user-${n}`,
  resultStatus: 'success' as const,
  requestId: `request-${n}`,
  httpStatus: 200,
  sourceIp: '192.0.2.7',
  userAgent: 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/129.0 Safari/537.36',
  payload: {
    before: { role: 'viewer', email: 'somebody@example.test', groups: ['render', 'audio'], active: true },
    after: { role: 'editor', email: 'somebody@example.test', groups: ['render', 'audio', 'tools'], active: true },
    note: 'Granted for the release; the request was approved by two leads and expires at the end of the month.',
    ticket: `OPS-${n}`,
  },
});

function listParts(store: AuditStore<PgTx>): readonly Part[] {
  let n = 0;
  // Answers at once: what is left is redaction, truncation and the hash.
  const nowhere: AuditStore<PgTx> = {
    ...store,
    record: async (event) => ({ ...event, occurredAt: new Date(0), createdAt: new Date(0) }),
  };
  const common = { redactor: createPayloadRedactor(), random: systemRandom, logger: silentLogger };
  const trailTo = (to: AuditStore<PgTx>, destinations: readonly string[]): AuditTrail<PgTx> =>
    createAuditTrail({ ...common, store: to, destinations });
  const recording = (trail: AuditTrail<PgTx>): Work => {
    return (tx) => trail.record(entry(++n), { tx, onFailure: 'throw' });
  };
  return [
    { name: 'host alone', work: async () => undefined },
    { name: 'redaction, truncation, hash', work: recording(trailTo(nowhere, [])) },
    {
      name: 'a savepoint',
      work: async (tx) => {
        await tx.query('SAVEPOINT criticizer');
        await tx.query('RELEASE SAVEPOINT criticizer');
      },
    },
    { name: 'record, no destination', work: recording(trailTo(store, [])) },
    { name: 'record, 1 destination', work: recording(trailTo(store, ['siem'])) },
    { name: 'record, 3 destinations', work: recording(trailTo(store, ['siem', 'lake', 'archive'])) },
  ];
}

/** Three statements of an admin write, and the part. */
async function transact(client: pg.PoolClient, work: Work): Promise<void> {
  const id = randomUUID();
  await client.query('BEGIN');
  await client.query('INSERT INTO users (id, role) VALUES ($1, $2)', [id, 'viewer']);
  await client.query('UPDATE users SET role = $2 WHERE id = $1', [id, 'editor']);
  await client.query('SELECT role FROM users WHERE id = $1', [id]);
  await work(client);
  await client.query('COMMIT');
}

/** Transactions a second, over so many clients. */
async function measure(pool: pg.Pool, clients: number, seconds: number, work: Work): Promise<number> {
  const began = performance.now();
  const until = began + seconds * 1_000;
  let done = 0;
  await Promise.all(
    Array.from({ length: clients }, async () => {
      const client = await pool.connect();
      try {
        for (; performance.now() < until; done++) await transact(client, work);
      } finally {
        client.release();
      }
    }),
  );
  return done / ((performance.now() - began) / 1_000);
}

const middle = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0;

function readWhole(name: string, given: string | undefined, byDefault: number): number {
  const value = Number(given ?? byDefault);
  if (!Number.isSafeInteger(value) || value < 1) throw new TypeError(`--${name}: expected a whole number from 1`);
  return value;
}

async function main(): Promise<void> {
  const text = { type: 'string' } as const;
  const options = { clients: text, seconds: text, rounds: text, json: text, check: { type: 'boolean' } } as const;
  const { values } = parseArgs({ args: process.argv.slice(2).filter((arg) => arg !== '--'), options });
  const clients = readWhole('clients', values.clients, 8);
  const seconds = readWhole('seconds', values.seconds, 3);
  const rounds = readWhole('rounds', values.rounds, 5);
  // As in production: a commit waits for the disk.
  const server = await startPostgres({ settings: ['fsync=on', 'synchronous_commit=on', 'full_page_writes=on'] });
  const pool = new pg.Pool({ connectionString: server.url, max: clients + 4 });
  const stores = createPostgresStores({ pool, modules: ['audit'] });
  try {
    await stores.migrate();
    await stores.audit.stats(); // a call outside a transaction: from here on the schema is known to be current
    await pool.query('CREATE TABLE users (id uuid PRIMARY KEY, role text NOT NULL)');
    const parts = listParts(stores.audit);
    const rates = new Map(parts.map(({ name }) => [name, [] as number[]]));
    for (let round = 0; round < rounds; round++) {
      for (const { name, work } of parts) rates.get(name)?.push(await measure(pool, clients, seconds, work));
      console.error(`round ${round + 1} of ${rounds}`);
    }
    const host = middle(rates.get('host alone') ?? []);
    const rows = parts.map(({ name }) => {
      // Of each round by itself: what else the machine does falls on both.
      const own = rates.get(name) ?? [];
      const lost = middle(own.map((rate, round) => 1 - rate / (rates.get('host alone')?.[round] ?? rate)));
      return { part: name, perSecond: Math.round(middle(own)), lostPercent: Math.round(lost * 1_000) / 10 };
    });
    console.log(`node ${process.version}, PostgreSQL ${server.version}, ${cpus().length} x ${cpus()[0]?.model ?? '?'}`);
    console.log(
      `${clients} clients, ${rounds} rounds of ${seconds} s each; the host alone ${Math.round(host)} a second`,
    );
    console.table(rows);
    const lost = (rows.find(({ part }) => part === 'record, 1 destination')?.lostPercent ?? 100) / 100;
    const isMet = lost <= mostLost;
    console.log(`${isMet ? 'ok    ' : 'MISSED'} record, 1 destination: ${(lost * 100).toFixed(1)} % (<= 25 %)`);
    if (values.json !== undefined)
      writeFileSync(values.json, `${JSON.stringify({ clients, seconds, rounds, rows }, null, 2)}\n`);
    if (values.check === true && !isMet) process.exitCode = 1;
  } finally {
    await stores.close();
    await pool.end();
    await server.stop();
  }
}

await main();
