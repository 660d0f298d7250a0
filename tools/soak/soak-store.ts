// The stores as a worker process opens them, with what the ledger needs of each database.
import type { Stores } from '@criticizer/core';
import type { Lease } from '@criticizer/core/ports';
import { createPostgresStores, type PgTx } from '@criticizer/queue-pg';
import { createSqliteStores, type SqliteTx } from '@criticizer/queue-sqlite';
import pg from 'pg';
import type { SettlementEffect } from './ledger.js';

/** Where the queue is: a connection string of PostgreSQL, or a file. */
export type StoreAddress = { store: 'pg'; url: string; schema: string } | { store: 'sqlite'; file: string };

export interface SoakStore<Tx> {
  stores: Stores<Tx>;
  /** Into the ledger, with the transaction or not at all. */
  recordEffects(tx: Tx, effects: readonly SettlementEffect[]): Promise<void>;
  /** Who holds a running job now: for planted faults alone. */
  leaseOf(tx: Tx, jobId: string): Promise<Lease | undefined>;
  close(): Promise<void>;
}

export function openPostgresStore(url: string, schema: string, connections: number): SoakStore<PgTx> {
  const pool = new pg.Pool({ connectionString: url, max: connections, connectionTimeoutMillis: 5_000 });
  pool.on('error', () => undefined); // an idle client's end; the next query opens another
  const stores = createPostgresStores({ pool, schema });
  return {
    stores,
    async recordEffects(tx, effects) {
      if (effects.length === 0) return;
      await tx.query(
        `INSERT INTO soak_ledger.effects (source, n, job, effect, token, worker)
          SELECT 'settlement', * FROM unnest($1::int[], $2::text[], $3::text[], $4::text[], $5::text[])`,
        [
          effects.map((e) => e.n),
          effects.map((e) => e.job),
          effects.map((e) => e.effect),
          effects.map((e) => e.token),
          effects.map((e) => e.worker),
        ],
      );
    },
    async leaseOf(tx, jobId) {
      const text = `SELECT claimed_by AS owner, claim_token AS token FROM ${schema}.work_queue WHERE id = $1 AND status = 'running'`;
      const [row] = (await tx.query(text, [jobId])).rows as { owner: string; token: string }[];
      return row === undefined ? undefined : { jobId, ...row };
    },
    async close() {
      await stores.close();
      await pool.end();
    },
  };
}

export function openSqliteStore(file: string): SoakStore<SqliteTx> {
  // `normal` is enough against every fault here: none of them is a loss of power.
  const stores = createSqliteStores({ file, synchronous: 'normal' });
  return {
    stores,
    async recordEffects(tx, effects) {
      const insert = tx.prepare(
        `INSERT INTO soak_effects (source, n, job, effect, token, worker) VALUES ('settlement', ?, ?, ?, ?, ?)`,
      );
      for (const { n, job, effect, token, worker } of effects) insert.run(n, job, effect, token, worker);
    },
    async leaseOf(tx, jobId) {
      const text = `SELECT claimed_by AS owner, claim_token AS token FROM work_queue WHERE id = ? AND status = 'running'`;
      const [row] = tx.prepare(text).all(jobId) as { owner: string; token: string }[];
      return row === undefined ? undefined : { jobId, ...row };
    },
    close: () => stores.close(),
  };
}
