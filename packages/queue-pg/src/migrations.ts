import { createHash } from 'node:crypto';
import { type AppliedMigration, pendingMigrations } from '@criticizer/core/internal';
import { CriticizerError, type MigrationStep } from '@criticizer/core/ports';
import type { PgQueryable } from './shared/pg-database.js';
import { identifier } from './shared/pg-session.js';
import { sql as artifacts } from './sql/artifacts/0001-artifact-manifest.js';
import { sql as audit } from './sql/audit/0001-audit.js';
import { sql as notify } from './sql/notify/0001-notify-outbox.js';
import { sql as queue } from './sql/queue/0001-work-queue.js';
import { sql as review } from './sql/review/0001-review.js';

// The name and the digest of the text go into the schema with the step, so that a step run by hand
// from the plan counts as applied.
function step(module: MigrationStep['module'], name: string, text: string): MigrationStep {
  const sha256 = createHash('sha256').update(text).digest('hex');
  const makeLedger = `CREATE TABLE IF NOT EXISTS {schema}.migrations (
  module text NOT NULL, name text NOT NULL, sha256 text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now(), PRIMARY KEY (module, name));`;
  const record = `INSERT INTO {schema}.migrations (module, name, sha256) VALUES ('${module}', '${name}', '${sha256}');`;
  return { module, name, sha256, sql: `${makeLedger}\n${text}${record}\n` };
}

/**
 * Every step in the order of application, `{schema}` not filled in. Forward only: a released text
 * never changes, a change is a new step.
 */
export const migrationSteps: readonly MigrationStep[] = [
  step('queue', '0001-work-queue', queue),
  step('notify', '0001-notify-outbox', notify),
  step('artifacts', '0001-artifact-manifest', artifacts),
  step('review', '0001-review', review),
  step('audit', '0001-audit', audit),
];

const ledger = 'migrations';

/** The tables a step makes, but for the ledger. */
function tablesOf({ sql }: MigrationStep): readonly string[] {
  return [...sql.matchAll(/^CREATE TABLE \{schema\}\.(\w+)/gm)].map(([, name = '']) => name);
}

function foreign(schema: string, table: string): CriticizerError {
  return new CriticizerError(
    'SCHEMA_FOREIGN',
    `The schema ${schema} has a table ${table} that is not this store's: choose a schema of its own with the option schema.`,
    { category: 'validation', details: { schema, table } },
  );
}

// Whether a relation has the ledger's columns is told here too, because a failing SELECT would end
// the caller's transaction.
const relations = `SELECT c.relname AS name, (SELECT count(*)::int FROM pg_attribute AS a
    WHERE a.attrelid = c.oid AND a.attname IN ('module', 'name', 'sha256') AND NOT a.attisdropped) = 3 AS is_ledger
  FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace WHERE n.nspname = $1`;

/** What a schema holds: the names of its relations, and the steps that were applied. */
async function readSchema(
  queryable: PgQueryable,
  schema: string,
): Promise<{ names: ReadonlySet<string>; applied: readonly AppliedMigration[] }> {
  // The names first: a step commits its tables and its entry together, so a table seen here whose
  // entry is not seen after is another's.
  const found = (await queryable.query(relations, [schema])).rows as { name: string; is_ledger: boolean }[];
  const names = new Set(found.map(({ name }) => name));
  if (!names.has(ledger)) return { names, applied: [] };
  if (!found.some(({ name, is_ledger }) => name === ledger && is_ledger)) throw foreign(schema, ledger);
  const { rows } = await queryable.query(`SELECT module, name, sha256 FROM ${identifier(schema)}.${ledger}`);
  return { names, applied: rows as AppliedMigration[] };
}

/**
 * Steps not yet applied, in order and ready to run. Throws `SCHEMA_TOO_NEW` where a later version
 * has been here, `SCHEMA_CHANGED` where an applied step's text is not the one this version knows,
 * and `SCHEMA_FOREIGN` where a table that a missing step would make is there already.
 */
export async function planMigrations(
  queryable: PgQueryable,
  schema: string,
  steps: readonly MigrationStep[] = migrationSteps,
): Promise<readonly MigrationStep[]> {
  const { names, applied } = await readSchema(queryable, schema);
  const pending = pendingMigrations(steps, applied, migrationSteps);
  const table = pending.flatMap(tablesOf).find((name) => names.has(name));
  if (table !== undefined) throw foreign(schema, table);
  return readyToRun(queryable, schema, pending);
}

async function readyToRun(
  queryable: PgQueryable,
  schema: string,
  pending: readonly MigrationStep[],
): Promise<readonly MigrationStep[]> {
  const filled = pending.map((step) => ({ ...step, sql: step.sql.replaceAll('{schema}', identifier(schema)) }));
  const [first, ...rest] = filled;
  if (first === undefined) return filled;
  const { rows } = await queryable.query('SELECT 1 FROM pg_namespace WHERE nspname = $1', [schema]);
  if (rows.length > 0) return filled;
  // Only where it is missing: a role without CREATE on the database may not even say IF NOT EXISTS.
  return [{ ...first, sql: `CREATE SCHEMA ${identifier(schema)};\n${first.sql}` }, ...rest];
}

/** Applies what is missing inside the caller's transaction, one process at a time. Gives what it applied. */
export async function applyMigrations(
  queryable: PgQueryable,
  schema: string,
  steps: readonly MigrationStep[] = migrationSteps,
): Promise<readonly MigrationStep[]> {
  await queryable.query(`SELECT pg_advisory_xact_lock(hashtextextended($1, 0))`, [`criticizer/migrate/${schema}`]);
  const pending = await planMigrations(queryable, schema, steps);
  for (const { sql } of pending) await queryable.query(sql);
  return pending;
}

/** Throws `SCHEMA_OLD`, naming the steps, unless all are applied. */
export async function requireCurrentSchema(
  queryable: PgQueryable,
  schema: string,
  steps: readonly MigrationStep[] = migrationSteps,
): Promise<void> {
  const pending = await planMigrations(queryable, schema, steps);
  if (pending.length === 0) return;
  const names = pending.map(({ module, name }) => `${module}/${name}`);
  throw new CriticizerError(
    'SCHEMA_OLD',
    `The schema ${schema} lacks ${names.join(', ')}: run migrate(), or pass migrate: 'auto'.`,
    {
      category: 'bug',
      details: { steps: names },
    },
  );
}
