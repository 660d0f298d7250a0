import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { createGrantScript } from '../src/index.js';
import { testPool } from './stores-on-postgres.js';

/** The roles of the grant script, of one test. */
export interface GrantedRoles {
  /** Their names. */
  owner: string;
  app: string;
  auditor: string;
  keeper: string;
  /** Connections of each that may log in. */
  pools: Readonly<Record<'app' | 'auditor' | 'keeper', pg.Pool>>;
  /** `pools.app`: what the stores work as. */
  pool: pg.Pool;
  /** Runs the script on a migrated schema, once. */
  grant(schema: string): Promise<void>;
  drop(): Promise<void>;
}

/** Roles with a login, so that a test can work as each; the owner has none. `hasKeeper: false` lets the app prune. */
export async function createGrantedRoles(
  superuser: pg.Pool,
  databaseUrl: string,
  { hasKeeper }: { hasKeeper: boolean },
): Promise<GrantedRoles> {
  const tail = randomUUID().replaceAll('-', '').slice(0, 20);
  const [owner, app, auditor, keeper] = ['owner', 'app', 'auditor', 'keeper'].map((role) => `g_${role}_${tail}`) as [
    ...[string, string, string, string],
  ];
  const word = randomUUID();
  for (const role of [app, auditor, keeper]) await superuser.query(`CREATE ROLE ${role} LOGIN PASSWORD '${word}'`);
  const poolOf = (role: string): pg.Pool => {
    const url = new URL(databaseUrl);
    url.username = role;
    url.password = word;
    return testPool(url.href);
  };
  const pools = { app: poolOf(app), auditor: poolOf(auditor), keeper: poolOf(keeper) };
  const granted = new Set<string>();
  return {
    ...{ owner, app, auditor, keeper, pools, pool: pools.app },
    async grant(schema) {
      if (granted.has(schema)) return;
      granted.add(schema);
      const roles = { schema, owner, app, auditor, ...(hasKeeper ? { keeper } : {}) };
      await superuser.query(createGrantScript(roles));
    },
    async drop() {
      for (const pool of Object.values(pools)) await pool.end();
      for (const role of [owner, app, auditor, keeper]) {
        const { rows } = await superuser.query('SELECT FROM pg_roles WHERE rolname = $1', [role]);
        if (rows.length === 0) continue;
        await superuser.query(`REASSIGN OWNED BY ${role} TO CURRENT_USER; DROP OWNED BY ${role}; DROP ROLE ${role}`);
      }
    },
  };
}
