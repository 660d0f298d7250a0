import type { Logger, Stores } from '@criticizer/core';
import { silentLogger, systemRandom } from '@criticizer/core';
import { type AuditRecorded, type AuditTrail, createAuditTrail } from '@criticizer/core/audit';
import type { PayloadRedactor } from '@criticizer/core/ports';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { PgTx } from '../src/shared/pg-database.js';
import { createLimitedRole } from './limited-role.js';
import { freshStores, openStores, testPool } from './stores-on-postgres.js';

const databaseUrl = inject('databaseUrl');
const pool = testPool(databaseUrl);
let given: Awaited<ReturnType<typeof freshStores>>;
let schema = '';
beforeAll(async () => {
  given = await freshStores(pool);
  schema = given.schema;
  await pool.query(`CREATE TABLE IF NOT EXISTS ${schema}.host_rows (name text PRIMARY KEY)`);
});
afterAll(async () => {
  await pool.query(`DROP TABLE ${schema}.host_rows`);
  await given.dispose();
  await pool.end();
});

/** What a fault does before the record, and what takes it back after the host's commit. */
type Fault = (host: pg.PoolClient) => Promise<() => Promise<unknown>>;

/** Another session that holds what `statements` take until it is released. */
async function holdFrom(
  ...statements: readonly string[]
): Promise<{ client: pg.PoolClient; release(): Promise<void> }> {
  const client = await pool.connect();
  await client.query('BEGIN');
  for (const statement of statements) await client.query(statement);
  return {
    client,
    async release() {
      await client.query('ROLLBACK');
      client.release();
    },
  };
}

const rename = (from: string, to: string) => pool.query(`ALTER TABLE ${schema}.${from} RENAME TO ${to}`);

const missingTable = async (): Promise<() => Promise<unknown>> => {
  await rename('audit_outbox', 'audit_outbox_gone');
  return () => rename('audit_outbox_gone', 'audit_outbox');
};
/** No disk of the test may be filled: a trigger raises what the server raises then. */
const fullDisk: Fault = async () => {
  await pool.query(`CREATE FUNCTION ${schema}.full_disk() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN RAISE EXCEPTION 'could not extend file' USING ERRCODE = 'disk_full'; END $$;
    CREATE TRIGGER full_disk BEFORE INSERT ON ${schema}.audit_events FOR EACH ROW EXECUTE FUNCTION ${schema}.full_disk()`);
  return () => pool.query(`DROP FUNCTION ${schema}.full_disk() CASCADE`);
};
const lockTimeout: Fault = async (host) => {
  const { release } = await holdFrom(`LOCK TABLE ${schema}.audit_events IN ACCESS EXCLUSIVE MODE`);
  await host.query("SET LOCAL lock_timeout = '20ms'");
  return release;
};
const statementTimeout: Fault = async (host) => {
  const { release } = await holdFrom(`LOCK TABLE ${schema}.audit_outbox IN ACCESS EXCLUSIVE MODE`);
  await host.query("SET LOCAL statement_timeout = '50ms'");
  return async () => {
    await release();
  };
};
/** The other session holds the audit's table and waits for the host's row; the host's wait ends first. */
const deadlock: Fault = async (host) => {
  await host.query("SET LOCAL deadlock_timeout = '20ms'");
  const { client, release } = await holdFrom(
    "SET LOCAL deadlock_timeout = '60s'",
    `LOCK TABLE ${schema}.audit_events IN ACCESS EXCLUSIVE MODE`,
  );
  const { pid } = (await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')).rows[0] ?? {};
  const waiting = client.query(`INSERT INTO ${schema}.host_rows VALUES ('a deadlock')`).catch(() => undefined);
  // The host's own wait must come second: only then its deadlock check finds the circle.
  const isWaiting = "SELECT 1 FROM pg_stat_activity WHERE pid = $1 AND wait_event_type = 'Lock'";
  while ((await pool.query(isWaiting, [pid])).rowCount === 0);
  return async () => {
    await waiting;
    await release();
  };
};

const redacted = { rule_version: '1', fields_redacted_count: 0, patterns_redacted_count: 0, redacted_paths: [] };
const redactor: PayloadRedactor = { ruleVersion: '1', redact: () => ({ value: {}, meta: redacted }) };

/** A trail that counts its tries and keeps its log. */
function trailOn(stores: Stores<PgTx>): { trail: AuditTrail<PgTx>; logged: object[]; tries: () => number } {
  const logged: object[] = [];
  const logger: Logger = { ...silentLogger, error: (fields) => void logged.push(fields) };
  let tries = 0;
  const record: typeof stores.audit.record = (...call) => {
    tries += 1;
    return stores.audit.record(...call);
  };
  const store = { ...stores.audit, record };
  const parts = { destinations: ['siem'], redactor, random: systemRandom, logger };
  return { trail: createAuditTrail({ ...parts, store }), logged, tries: () => tries };
}

const entry = {
  actorType: 'admin_user',
  actorId: 'ada',
  action: 'admin.user.update',
  resultStatus: 'success',
} as const;
const hostRows = async (name: string): Promise<number> =>
  (await pool.query(`SELECT 1 FROM ${schema}.host_rows WHERE name LIKE '${name}%'`)).rowCount ?? 0;

/** A host's transaction of two writes with a record between them, under a fault. */
async function writeUnder(name: string, fault: Fault, stores = given.stores, from = pool) {
  const { trail, logged, tries } = trailOn(stores);
  const host = await from.connect();
  let undo = async (): Promise<unknown> => undefined;
  let recorded: AuditRecorded;
  try {
    await host.query(`BEGIN; INSERT INTO ${schema}.host_rows VALUES ('${name}')`);
    undo = await fault(host);
    recorded = await trail.record(entry, { tx: host });
    await host.query(`INSERT INTO ${schema}.host_rows VALUES ('${name} 2')`);
    await host.query('COMMIT');
  } finally {
    host.release(
      await host.query('ROLLBACK').then(
        () => false,
        () => true,
      ),
    );
    await undo();
  }
  const loggedBefore = logged.length;
  if (recorded.degraded) recorded.logFallback();
  return { recorded, tries: tries(), loggedBefore, logged };
}

describe('an audit trail in a host’s transaction on PostgreSQL', () => {
  it.each<[string, Fault, string, number]>([
    ['a missing table', missingTable, 'PG_ERROR', 1],
    ['a full disk', fullDisk, 'PG_RESOURCES', 1],
    ['a statement timeout', statementTimeout, 'PG_CANCELED', 1],
    ['a lock timeout', lockTimeout, 'PG_LOCK_TIMEOUT', 3],
    ['a deadlock', deadlock, 'PG_DEADLOCK', 3],
  ])(
    'AUD-3: under %s the admin write commits and the log has fingerprint and code',
    async (name, fault, code, tries) => {
      const answer = await writeUnder(name, fault);
      expect(answer.recorded).toMatchObject({ outcome: 'degraded', degraded: true, errorCode: code });
      expect([answer.tries, answer.loggedBefore]).toEqual([tries, 0]);
      expect(answer.logged).toMatchObject([
        { errorCode: code, action: entry.action, fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/) },
      ]);
      expect(await hostRows(name)).toBe(2);
      expect(await given.stores.audit.list({})).toEqual([]);
    },
  );

  it('AUD-3: contention that ends within the retries costs no event', async () => {
    const held = await holdFrom(`LOCK TABLE ${schema}.audit_events IN ACCESS EXCLUSIVE MODE`);
    const { trail, tries } = trailOn(given.stores);
    const stored = await given.stores.transaction(async (tx) => {
      await tx.query("SET LOCAL lock_timeout = '20ms'");
      const failing = { query: tx.query.bind(tx) } satisfies PgTx;
      // The first failed try gives the other session its moment to end.
      const query: PgTx['query'] = async (text, values) => {
        if (text.startsWith('ROLLBACK TO') && tries() === 1) await held.release();
        return failing.query(text, values);
      };
      return trail.record(entry, { tx: { query } });
    });
    expect([stored.outcome, tries()]).toEqual(['recorded', 2]);
    expect(await given.stores.audit.list({})).toHaveLength(1);
  });

  it('AUD-3: without the right to insert, the admin write commits', async () => {
    const role = await createLimitedRole(pool, databaseUrl, 2);
    await role.grant(schema);
    const name = decodeURIComponent(
      (await role.pool.query<{ name: string }>('SELECT current_user AS name')).rows[0]?.name ?? '',
    );
    await pool.query(`REVOKE INSERT ON ${schema}.audit_events FROM ${name}`);
    const stores = openStores({ pool: role.pool, schema });
    const answer = await writeUnder('forbidden', async () => async () => undefined, stores, role.pool);
    expect(answer.recorded).toMatchObject({ outcome: 'degraded', errorCode: 'PG_FORBIDDEN' });
    expect([answer.tries, await hostRows('forbidden')]).toEqual([1, 2]);
    await stores.close();
    await role.drop();
  });

  it('AUD-3: a lost connection degrades, and the host learns of it from its own next statement', async () => {
    const { trail } = trailOn(given.stores);
    const host = await pool.connect();
    host.on('error', () => undefined);
    const { rows } = await host.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    await host.query(`BEGIN; INSERT INTO ${schema}.host_rows VALUES ('lost')`);
    await pool.query('SELECT pg_terminate_backend($1, 5000)', [rows[0]?.pid]);
    const recorded = await trail.record(entry, { tx: host });
    expect(recorded).toMatchObject({ outcome: 'degraded', errorCode: 'PG_CONNECTION' });
    await expect(host.query('COMMIT')).rejects.toBeInstanceOf(Error);
    host.release(true);
    expect(await hostRows('lost')).toBe(0);
  });

  it('AUD-3: a serialization failure is the host’s own, whatever it chose for failures', async () => {
    for (const onFailure of ['degrade', 'throw'] as const) {
      const { trail } = trailOn(given.stores);
      const [host, other] = [await pool.connect(), await pool.connect()];
      for (const client of [host, other]) await client.query('BEGIN ISOLATION LEVEL SERIALIZABLE');
      await host.query(`SELECT count(*) FROM ${schema}.host_rows`);
      await other.query(`SELECT count(*) FROM ${schema}.audit_events`);
      await other.query(`INSERT INTO ${schema}.host_rows VALUES ('cycle ${onFailure}')`);
      await other.query('COMMIT');
      await expect(trail.record(entry, { tx: host, onFailure })).rejects.toMatchObject({
        code: 'PG_SERIALIZATION_FAILURE',
        details: { sqlState: '40001' },
      });
      await host.query('ROLLBACK');
      for (const client of [host, other]) client.release();
    }
  });

  it('AUD-3: onFailure `throw` rejects, leaves the transaction usable, and lets the host roll back', async () => {
    const { trail, logged } = trailOn(given.stores);
    const undo = await missingTable();
    const host = await pool.connect();
    await host.query(`BEGIN; INSERT INTO ${schema}.host_rows VALUES ('thrown')`);
    await expect(trail.record(entry, { tx: host, onFailure: 'throw' })).rejects.toMatchObject({
      code: 'AUDIT_NOT_STORED',
      category: 'bug',
      details: { errorCode: 'PG_ERROR', fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/) },
    });
    await host.query('SELECT 1');
    await host.query('ROLLBACK');
    host.release();
    await undo();
    expect([await hostRows('thrown'), logged]).toEqual([0, []]);
  });
});
