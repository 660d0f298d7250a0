import { randomUUID } from 'node:crypto';
import { chmodSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { candidatesSql, requeueSql } from '../src/jobs/claim-jobs.js';
import { openSqlite, type SqliteValue } from '../src/shared/sqlite-database.js';
import { createSqliteStores, createStoresOnSqlite } from '../src/sqlite-stores.js';
import { scratchFolder } from './stores-on-sqlite.js';

const newJob = (key: string) => ({ kind: 'review', payload: key, stage: 'fetch', idempotencyKey: key });
const artifact = (id: string) => ({
  id,
  namespace: 'raw' as const,
  purpose: 'change' as const,
  storageKey: 'a'.repeat(32),
  contentType: 'text/plain',
  changelistId: null,
  jobId: null,
  ttlMs: 1000,
  redaction: null,
  kekId: 'k',
  wrappedKey: 'w',
  bytes: 1,
  digest: 'd'.repeat(64),
});

describe('connections', () => {
  let folder: ReturnType<typeof scratchFolder>;
  let file: string;
  beforeEach(() => {
    folder = scratchFolder();
    file = join(folder.path, 'criticizer.db');
  });
  afterEach(() => folder.remove());

  it('EGR-5: what they keep is for its owner alone, a file that was there stays as it is', async () => {
    const stores = createSqliteStores({ file, migrate: 'auto' });
    await stores.jobs.enqueue([newJob('a')]);
    const modes = ['', '-wal', '-shm'].map((suffix) => (statSync(`${file}${suffix}`).mode & 0o777).toString(8));
    expect(modes).toEqual(['600', '600', '600']);
    await stores.close();
    chmodSync(file, 0o640);
    await createSqliteStores({ file }).close();
    expect((statSync(file).mode & 0o777).toString(8)).toBe('640');
  });

  it('INV-2: of calls that commit together one fails alone', async () => {
    const stores = createSqliteStores({ file, migrate: 'auto' });
    await stores.artifactManifest.reserve([artifact('taken')]);
    const results = await Promise.allSettled([
      stores.jobs.enqueue([newJob('a')]),
      stores.artifactManifest.reserve([{ ...artifact('other'), storageKey: 'b'.repeat(32) }, artifact('taken')]),
      stores.jobs.enqueue([newJob('b')]),
    ]);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(results[1]).toMatchObject({ reason: { code: 'SQLITE_CONSTRAINT', category: 'conflict' } });
    expect(await stores.artifactManifest.get(['other'])).toEqual([null]);
    expect(await stores.jobs.list({})).toHaveLength(2);
    await stores.close();
  });

  it('calls of one turn of the event loop share a commit, however many promises they waited for', async () => {
    const opened = openSqlite(file);
    const commits: string[] = [];
    const counted = {
      exec(sql: string) {
        if (sql === 'COMMIT') commits.push(sql);
        return opened.exec(sql);
      },
      prepare: (sql: string) => opened.prepare(sql),
    };
    const stores = createSqliteStores({ database: counted, migrate: 'auto' });
    await stores.migrate();
    commits.length = 0;
    const enqueueAfter = async (promises: number) => {
      for (let n = 0; n < promises; n += 1) await undefined;
      return stores.jobs.enqueue([newJob(`after ${promises}`)]);
    };
    await Promise.all([0, 5, 20, 50].map(enqueueAfter));
    expect(await stores.jobs.list({})).toHaveLength(4);
    expect(commits).toHaveLength(1);
    await stores.close();
    opened.close?.();
  });

  it('WQ-2: a write without its tx inside transaction() is refused at once instead of waiting for ever', async () => {
    const stores = createSqliteStores({ file, migrate: 'auto' });
    const inside = stores.transaction(() => stores.jobs.enqueue([newJob('a')]));
    await expect(inside).rejects.toMatchObject({ code: 'TRANSACTION_BYPASSED' });
    const nested = stores.transaction(() => stores.transaction(async () => 1));
    await expect(nested).rejects.toMatchObject({ code: 'TRANSACTION_BYPASSED' });
    expect(await stores.jobs.enqueue([newJob('a')])).toHaveLength(1);
    await stores.close();
  });

  it('WQ-2: a call waits for another connection’s lock, and gives up with a code after its time', async () => {
    const stores = createSqliteStores({ file, migrate: 'auto', busyTimeoutMs: 10_000 });
    const hasty = createSqliteStores({ file, busyTimeoutMs: 0 });
    await stores.jobs.stats();
    await hasty.jobs.stats();
    const other = openSqlite(file);
    other.exec('BEGIN IMMEDIATE');
    await expect(hasty.jobs.enqueue([newJob('a')])).rejects.toMatchObject({
      code: 'SQLITE_BUSY',
      category: 'conflict',
    });
    const waiting = stores.jobs.enqueue([newJob('b')]);
    setImmediate(() => other.exec('COMMIT'));
    expect((await waiting)[0]?.outcome).toBe('enqueued');
    other.close?.();
    await Promise.all([stores.close(), hasty.close()]);
  });

  it('WQ-2: setting a connection up waits for a lock that readers meet too, and gives up with a code after its time', async () => {
    const other = openSqlite(file);
    other.exec('CREATE TABLE unrelated (id INTEGER)');
    other.exec('BEGIN EXCLUSIVE'); // no WAL yet: it keeps readers out
    const hasty = createSqliteStores({ file, migrate: 'auto', busyTimeoutMs: 0 });
    const patient = createSqliteStores({ file, migrate: 'auto', busyTimeoutMs: 30_000 });
    await expect(hasty.jobs.stats()).rejects.toMatchObject({ code: 'SQLITE_BUSY', category: 'conflict' });
    await expect(hasty.migrationPlan()).rejects.toMatchObject({ code: 'SQLITE_BUSY' });
    const waiting = Promise.all([patient.jobs.stats(), patient.migrationPlan(), patient.now()]);
    setTimeout(() => other.exec('COMMIT'), 150);
    expect((await waiting).slice(0, 2)).toEqual([expect.objectContaining({ due: 0 }), []]);
    expect(await hasty.migrationPlan()).toEqual([]);
    other.close?.();
    await Promise.all([hasty.close(), patient.close()]);
  });

  it('AUD-2: a job is stored in the transaction of a host on its own connection', async () => {
    const stores = createSqliteStores({ file, migrate: 'auto' });
    await stores.migrate();
    const host = openSqlite(file);
    host.exec('CREATE TABLE orders (id INTEGER PRIMARY KEY)');
    for (const end of ['ROLLBACK', 'COMMIT']) {
      host.exec('BEGIN IMMEDIATE');
      host.exec('INSERT INTO orders DEFAULT VALUES');
      await stores.jobs.enqueue([newJob('k')], { tx: host });
      host.exec(end);
      expect(await stores.jobs.list({})).toHaveLength(end === 'COMMIT' ? 1 : 0);
      expect(host.prepare('SELECT 1 FROM orders').all()).toHaveLength(end === 'COMMIT' ? 1 : 0);
    }
    host.close?.();
    await stores.close();
  });

  it('AUD-2: stores on a database that the host opened leave it open', async () => {
    const database = openSqlite(file);
    const stores = createSqliteStores({ database, migrate: 'auto' });
    await stores.jobs.enqueue([newJob('k')]);
    await stores.close();
    await expect(stores.jobs.stats()).rejects.toMatchObject({ code: 'STORE_CLOSED' });
    expect(database.prepare('SELECT idempotency_key FROM work_queue').all()).toEqual([
      expect.objectContaining({ idempotency_key: 'k' }),
    ]);
    database.close?.();
  });

  it('INV-6: when the host’s clock falls, stored time does not, and leases still end', async () => {
    let hostMs = Date.UTC(2026, 0, 1);
    let monotonicMs = 0;
    const host = { hostMs: () => hostMs, monotonicMs: () => monotonicMs };
    const stores = createStoresOnSqlite({ file, migrate: 'auto' }, host);
    const [result] = await stores.jobs.enqueue([newJob('k')]);
    hostMs -= 3_600_000;
    const [taken] = await stores.jobs.claim({
      kinds: ['review'],
      owner: 'o',
      token: randomUUID(),
      leaseMs: 1000,
      limit: 1,
    });
    expect(taken?.job.updatedAt.getTime()).toBe(result?.job.createdAt.getTime());
    hostMs += 1112; // at nine tenths of the pace: one second of stored time
    monotonicMs += 1112;
    expect(await stores.jobs.requeueExpired()).toHaveLength(1);
    const second = createStoresOnSqlite({ file }, host);
    expect((await second.now()).getTime()).toBeGreaterThanOrEqual(Date.UTC(2026, 0, 1) + 1000);
    await Promise.all([stores.close(), second.close()]);
  });

  it('INV-6: the clock is read behind the write lock, in a host’s own transaction too', async () => {
    const other = openSqlite(file);
    const locked: boolean[] = [];
    const hostMs = (): number => {
      try {
        other.exec('BEGIN IMMEDIATE; ROLLBACK');
        locked.push(false);
      } catch {
        locked.push(true);
      }
      return Date.UTC(2026, 0, 1);
    };
    const stores = createStoresOnSqlite({ file, migrate: 'auto' }, { hostMs, monotonicMs: () => 0 });
    await stores.migrate();
    other.exec('PRAGMA busy_timeout = 0');
    const host = openSqlite(file);
    host.exec('BEGIN'); // takes no lock yet
    await stores.jobs.enqueue([newJob('a')], { tx: host });
    host.exec('COMMIT');
    await stores.jobs.enqueue([newJob('b')]);
    expect(locked).toEqual([true, true]);
    for (const database of [other, host]) database.close?.();
    await stores.close();
  });

  it('INV-6: processes whose clocks disagree do not make stored time leap', async () => {
    const startMs = Date.UTC(2026, 0, 1);
    let passedMs = 0;
    const open = (wallMs: number, monotonicMs: number) =>
      createStoresOnSqlite(
        { file, migrate: 'auto' },
        { hostMs: () => wallMs + passedMs, monotonicMs: () => monotonicMs + passedMs },
      );
    const usual = open(startMs, 0);
    const ahead = open(startMs + 7_200_000, 0);
    await ahead.jobs.enqueue([newJob('k')]); // from here on stored time is ahead of all others
    await usual.jobs.requeueExpired(); // the fall
    const others = [open(startMs, 9e9), open(startMs - 3_600_000, 0), usual];
    for (let turn = 0; turn < 60; turn++) {
      passedMs += 10;
      await others[turn % others.length]?.jobs.requeueExpired();
    }
    const movedMs = (await usual.now()).getTime() - startMs - 7_200_000;
    expect(movedMs).toBeGreaterThan(0);
    expect(movedMs).toBeLessThanOrEqual(passedMs);
    await Promise.all([ahead, ...others].map((stores) => stores.close()));
  });

  async function planOf(sql: string, ...values: SqliteValue[]): Promise<string[]> {
    const database = openSqlite(file);
    await createSqliteStores({ database }).migrate();
    const plan = database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...values);
    database.close?.();
    return plan.map((row) => (row as { detail: string }).detail);
  }

  it('WQ-3: the claim reads its partial index in order, without a sort', async () => {
    const plan = await planOf(candidatesSql, 0, '["review"]', 10);
    expect(plan.filter((detail) => detail.includes('work_queue_ready'))).toHaveLength(1);
    expect(plan.filter((detail) => detail.includes('TEMP B-TREE'))).toEqual([]);
  });

  it('WQ-8: the sweep reads the expired rows alone', async () => {
    const plan = await planOf(requeueSql, 0, 0, 0, 10);
    expect(plan.filter((detail) => detail.startsWith('SCAN'))).toEqual([]);
    expect(plan.filter((detail) => detail.includes('work_queue_running (lease_expires_at<?)'))).toHaveLength(1);
  });

  it('EGR-1: rows of the egress log and audit events cannot be changed', async () => {
    const database = openSqlite(file);
    const stores = createSqliteStores({ database, migrate: 'auto' });
    const event = {
      id: randomUUID(),
      occurredAt: null,
      actorType: 'system',
      actorId: null,
      tenantId: null,
      traceId: null,
      requestId: null,
    } as const;
    const rest = {
      action: 'a.b',
      targetType: null,
      targetId: null,
      resultStatus: 'success',
      httpStatus: null,
      sourceIp: null,
    } as const;
    const payload = { userAgent: null, payload: {}, payloadSha256: 'a'.repeat(64), schemaVersion: 1 };
    await stores.audit.record({ ...event, ...rest, ...payload }, []);
    expect(() => database.exec(`UPDATE audit_events SET action = 'x'`)).toThrow();
    expect((await stores.audit.get(event.id))?.action).toBe('a.b');
    await stores.close();
    database.close?.();
  });

  it('AUD-1: options are checked at construction, a file that cannot be opened has a code', () => {
    const wrong = [
      {},
      { file: '' },
      { file, database: openSqlite(':memory:') },
      { file, busyTimeoutMs: -1 },
      { file, busyTimeoutMs: Number.NaN },
    ];
    for (const options of wrong) expect(() => createSqliteStores(options)).toThrow(TypeError);
    // As JavaScript calls it.
    const untyped = (...args: unknown[]): unknown => Reflect.apply(createSqliteStores, undefined, args);
    for (const given of [undefined, null, file]) expect(() => untyped(given)).toThrow(TypeError);
    expect(() => untyped()).toThrow(/expected an object with file, database/);
    expect(() => untyped({ file, busyTimeout: 1 })).toThrow(TypeError);
    expect(() => untyped({ file, busyTimeout: 1 })).toThrow(
      /busyTimeout: .*file, database, migrate, modules, busyTimeoutMs, synchronous/,
    );
    expect(() => createSqliteStores({ file: join(folder.path, 'no', 'such', 'folder.db') })).toThrow(
      expect.objectContaining({ code: 'SQLITE_CANTOPEN' }),
    );
  });
});
