// One soak of the audit delivery: events, three sinks of which one is dead for days, kills, a database that restarts.
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AuditStore, NewAuditEvent, Stores } from '@criticizer/core/ports';
import { createSeededRandom } from '@criticizer/core/testing';
import { startPostgres } from '../postgres/postgres.js';
import { type FarSink, openFarSink } from './audit-far-ends.js';
import { countCodes, judge, openLetters } from './judge-audit-soak.js';
import { killProcess } from './kill-process.js';
import { openPostgresStore, openSqliteStore, type StoreAddress } from './soak-store.js';
import type { WorkerBundle } from './worker-bundle.js';

export interface AuditSoakConfig {
  store: StoreAddress['store'];
  events: number;
  kills: number;
  /** Simulated hours over which the kills are spread; the third sink is dead for all of them. */
  hours: number;
  seed: number;
  /** Real milliseconds without progress after which the soak gives up. */
  idleLimitMs: number;
}

export interface AuditSoakReport {
  config: AuditSoakConfig;
  deliveries: number;
  /** Events that a sink does not have, and of which no open dead letter tells. */
  lost: number;
  /** Not delivered and no dead letter when the soak gave up. */
  stuck: number;
  deadLetters: number;
  /** How many of those letters have each code. */
  letterCodes: Readonly<Record<string, number>>;
  /** Events that one sink got under more than one key. */
  otherKeys: number;
  /** Events taken once more under the same key, and how many of those more than 24 simulated hours after the first. */
  repeats: number;
  repeatsAfterWindow: number;
  /** The most attempts that the dead sink's rows spent. */
  deadSinkAttempts: number;
  kills: number;
  databaseRestarts: number;
  seconds: number;
}

const hourMs = 3_600_000;
const destinations = ['siem', 'lake', 'dead'];

function newEvent(n: number): NewAuditEvent {
  return {
    id: randomUUID(),
    occurredAt: null,
    actorType: 'system',
    actorId: null,
    tenantId: null,
    traceId: null,
    requestId: null,
    action: 'soak.event.record',
    targetType: 'number',
    targetId: String(n),
    resultStatus: 'success',
    httpStatus: null,
    sourceIp: null,
    userAgent: null,
    payload: { n },
    payloadSha256: randomBytes(32).toString('hex'),
    schemaVersion: 1,
  };
}

/** A database, with what only its kind can do. */
interface SoakedDatabase {
  address: StoreAddress;
  audit: AuditStore<never>;
  recordAll(events: readonly NewAuditEvent[]): Promise<void>;
  /** Both have clocks of their own: rows that wait are moved back in place of them. */
  pass(ms: number): Promise<void>;
  restart: (() => Promise<void>) | null;
  close(): Promise<void>;
}

async function recordAll<Tx>(stores: Stores<Tx>, events: readonly NewAuditEvent[]): Promise<void> {
  await stores.transaction(async (tx) => {
    for (const event of events) await stores.audit.record(event, destinations, { tx });
  });
}

async function openSqlite(): Promise<SoakedDatabase> {
  const directory = mkdtempSync(join(tmpdir(), 'audit-soak-'));
  const file = join(directory, 'audit.sqlite');
  const { stores, close } = openSqliteStore(file);
  await stores.migrate();
  return {
    address: { store: 'sqlite', file },
    audit: stores.audit,
    recordAll: (events) => recordAll(stores, events),
    pass: (ms) =>
      stores.transaction(async (tx) => {
        tx.prepare(
          `UPDATE audit_outbox SET next_attempt_at_utc = next_attempt_at_utc - ?1,
            lease_expires_at_utc = lease_expires_at_utc - ?1 WHERE delivery_state IN ('retry_wait', 'in_progress')`,
        ).run(Math.round(ms));
      }),
    restart: null,
    async close() {
      await close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

async function openPostgres(): Promise<SoakedDatabase> {
  const server = await startPostgres({ settings: ['synchronous_commit=on'] });
  const schema = 'criticizer';
  const { stores, close } = openPostgresStore(server.url, schema, 8);
  await stores.migrate();
  return {
    address: { store: 'pg', url: server.url, schema },
    audit: stores.audit,
    recordAll: (events) => recordAll(stores, events),
    pass: (ms) =>
      stores.transaction(async (tx) => {
        await tx.query(
          `UPDATE ${schema}.audit_outbox SET next_attempt_at_utc = next_attempt_at_utc - $1 * interval '1 ms',
            lease_expires_at_utc = lease_expires_at_utc - $1 * interval '1 ms' WHERE delivery_state IN ('retry_wait', 'in_progress')`,
          [ms],
        );
      }),
    restart: () => server.restart({ mode: 'immediate' }),
    async close() {
      await close();
      await server.stop();
    },
  };
}

/** True where nothing is due or being sent: what is left waits by the schedule, so time may pass. */
async function isAllWaiting(audit: AuditStore<never>): Promise<boolean> {
  for (const state of ['pending', 'in_progress'] as const)
    if ((await audit.listDeliveries({ state, limit: 1 })).length > 0) return false;
  const waiting = await audit.listDeliveries({ state: 'retry_wait', limit: 1_000 });
  return waiting.every(({ nextAttemptAt }) => nextAttemptAt.getTime() > Date.now() + 500);
}

function isUp(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    child.stdout?.once('data', () => resolve());
    child.once('close', (code) => reject(new Error(`an audit worker ended with ${code}`)));
  });
}

/** Until the sinks took so many events more: a worker that only starts and dies shows no recovery. */
async function taken(count: number, sinks: readonly FarSink[], limitMs: number): Promise<void> {
  const sum = (): number => sinks.reduce((sum, { taken }) => sum + taken.size, 0);
  const [began, before] = [Date.now(), sum()];
  while (sum() < before + count && Date.now() - began < limitMs) await sleep(10);
}

// long: the rounds of one soak, in their order
/**
 * Records the events, kills workers over the simulated hours, brings the dead sink back, and judges
 * by what the sinks took.
 */
export async function runAuditSoak(config: AuditSoakConfig, bundle: WorkerBundle): Promise<AuditSoakReport> {
  const { store, events: count, kills, hours, seed, idleLimitMs } = config;
  const random = createSeededRandom(seed).next;
  const began = Date.now();
  let aheadMs = 0;
  const nowMs = (): number => Date.now() + aheadMs;
  const database = await (store === 'pg' ? openPostgres() : openSqlite());
  const { audit } = database;
  const sinks = await Promise.all(destinations.map((id) => openFarSink({ id, random, nowMs, isDown: id === 'dead' })));
  const secret = randomBytes(32).toString('base64');
  const work = () => ({ address: database.address, sinks: sinks.map(({ id, url }) => ({ id, url })), secret });
  const start = async (): Promise<ChildProcess> => {
    const child = spawn(process.execPath, [bundle.file, JSON.stringify(work())], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await isUp(child);
    return child;
  };
  const pending = async (): Promise<number> => {
    const counts = await audit.stats().catch(() => null);
    return counts === null ? Number.POSITIVE_INFINITY : counts.reduce((sum, one) => sum + one.pending, 0);
  };
  const ids: string[] = [];
  let databaseRestarts = 0;
  try {
    for (let at = 0; at < count; at += 500) {
      const batch = Array.from({ length: Math.min(500, count - at) }, (_, n) => newEvent(at + n));
      await database.recordAll(batch);
      ids.push(...batch.map(({ id }) => id));
    }
    const takenBeforeKill = Math.min(100, Math.ceil(count / Math.max(1, 4 * kills)));
    const stepMs = (hours * hourMs) / Math.max(1, kills);
    for (let done = 0; done < kills; done++) {
      const child = await start();
      await taken(takenBeforeKill, sinks, 5_000);
      await sleep(random() * 300);
      if (database.restart !== null && done === Math.floor(kills / 2)) {
        await database.restart();
        databaseRestarts += 1;
        await sleep(100);
      }
      await killProcess(child);
      aheadMs += stepMs;
      await database.pass(stepMs);
    }
    const spent = await audit.listDeliveries({ destination: 'dead', limit: 1_000 });
    const deadSinkAttempts = Math.max(0, ...spent.map(({ attemptCount }) => attemptCount));
    await sinks[2]?.listen();
    const child = await start();
    let left = await pending();
    for (let changedAt = Date.now(); left > 0 && Date.now() - changedAt < idleLimitMs; ) {
      await sleep(50);
      const now = await pending();
      if (now !== left) changedAt = Date.now();
      left = now;
      if (await isAllWaiting(audit)) {
        aheadMs += hourMs;
        await database.pass(hourMs);
      }
    }
    await killProcess(child);
    const letters = await openLetters(audit);
    return {
      config,
      deliveries: count * destinations.length,
      ...judge(sinks, ids, letters),
      stuck: left,
      deadLetters: letters.length,
      letterCodes: countCodes(letters),
      deadSinkAttempts,
      kills,
      databaseRestarts,
      seconds: Math.round((Date.now() - began) / 1_000),
    };
  } finally {
    await Promise.all(sinks.map((sink) => sink.close()));
    await database.close();
  }
}
