import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { testPool } from './stores-on-postgres.js';

export interface LimitedRole {
  /** Connections of the role. */
  pool: pg.Pool;
  /** Lets it use what the schema holds by now: read and write rows, call functions, and no more. */
  grant(schema: string): Promise<void>;
  drop(): Promise<void>;
}

/** A role that may create nothing, as a host's service has it once a DBA has migrated. */
export async function createLimitedRole(owner: pg.Pool, databaseUrl: string, max?: number): Promise<LimitedRole> {
  const role = `r_${randomUUID().replaceAll('-', '')}`;
  const word = randomUUID();
  await owner.query(`CREATE ROLE ${role} LOGIN PASSWORD '${word}'`);
  const url = new URL(databaseUrl);
  url.username = role;
  url.password = word;
  const pool = testPool(url.href, max);
  return {
    pool,
    async grant(schema) {
      await owner.query(
        `GRANT USAGE ON SCHEMA ${schema} TO ${role}; GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ${schema} TO ${role};
          GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA ${schema} TO ${role}`,
      );
    },
    async drop() {
      await pool.end();
      await owner.query(`DROP OWNED BY ${role}`);
      await owner.query(`DROP ROLE ${role}`);
    },
  };
}
