import { createHash } from 'node:crypto';
import { type AppliedMigration, pendingMigrations } from '@criticizer/core/internal';
import { CriticizerError, type MigrationStep } from '@criticizer/core/ports';
import type { SqliteTx } from './shared/sqlite-database.js';
import { sql as artifacts } from './sql/artifacts/0001-artifact-manifest.js';
import { sql as audit } from './sql/audit/0001-audit.js';
import { sql as notify } from './sql/notify/0001-notify-outbox.js';
import { sql as queue } from './sql/queue/0001-work-queue.js';
import { sql as review } from './sql/review/0001-review.js';
import { sql as clock } from './sql/store/0001-clock.js';

// The name and the digest of the text go into the schema with the step, so that a step run by hand
// from the plan counts as applied.
function step(module: MigrationStep['module'], name: string, text: string): MigrationStep {
  const sha256 = createHash('sha256').update(text).digest('hex');
  const makeLedger = `CREATE TABLE IF NOT EXISTS criticizer_migrations (
  module TEXT NOT NULL, name TEXT NOT NULL, sha256 TEXT NOT NULL,
  applied_at INTEGER NOT NULL DEFAULT (1000 * CAST(strftime('%s', 'now') AS INTEGER)), PRIMARY KEY (module, name));`;
  const record = `INSERT INTO criticizer_migrations (module, name, sha256) VALUES ('${module}', '${name}', '${sha256}');`;
  return { module, name, sha256, sql: `${makeLedger}\n${text}${record}\n` };
}

/** Every step in the order of application. Forward only: a released text never changes, a change is a new step. */
export const migrationSteps: readonly MigrationStep[] = [
  step('store', '0001-clock', clock),
  step('queue', '0001-work-queue', queue),
  step('notify', '0001-notify-outbox', notify),
  step('artifacts', '0001-artifact-manifest', artifacts),
  step('review', '0001-review', review),
  step('audit', '0001-audit', audit),
];

const ledger = 'criticizer_migrations';

/** The tables a step makes, but for the ledger. */
function tablesOf({ sql }: MigrationStep): readonly string[] {
  return [...sql.matchAll(/^CREATE TABLE (?!IF )(\w+)/gm)].map(([, name = '']) => name);
}

/** What a schema holds: its names in lower case, as SQLite compares them, and the steps that were applied. */
function readSchema(handle: SqliteTx): { names: ReadonlySet<string>; applied: readonly AppliedMigration[] } {
  // The names first: a step commits its tables and its entry together, so a table seen here whose
  // entry is not seen after is another's.
  const rows = handle.prepare('SELECT lower(name) AS name FROM sqlite_master').all() as { name: string }[];
  const names = new Set(rows.map(({ name }) => name));
  if (!names.has(ledger)) return { names, applied: [] };
  return { names, applied: handle.prepare(`SELECT module, name, sha256 FROM ${ledger}`).all() as AppliedMigration[] };
}

/**
 * Steps not yet applied, in order. Throws `SCHEMA_TOO_NEW` where a later version has been here,
 * `SCHEMA_CHANGED` where an applied step's text is not the one this version knows, and
 * `SCHEMA_FOREIGN` where a table that a missing step would make is there already.
 */
export function planMigrations(
  handle: SqliteTx,
  steps: readonly MigrationStep[] = migrationSteps,
): readonly MigrationStep[] {
  const { names, applied } = readSchema(handle);
  const pending = pendingMigrations(steps, applied, migrationSteps);
  const table = pending.flatMap(tablesOf).find((name) => names.has(name));
  if (table !== undefined) {
    throw new CriticizerError(
      'SCHEMA_FOREIGN',
      `The database has a table ${table} that is not this store's: give it a file of its own.`,
      {
        category: 'validation',
        details: { table },
      },
    );
  }
  return pending;
}

/** Applies what is missing; the caller holds the write lock and commits. Gives what it applied. */
export function applyMigrations(
  handle: SqliteTx,
  steps: readonly MigrationStep[] = migrationSteps,
): readonly MigrationStep[] {
  const pending = planMigrations(handle, steps);
  for (const { sql } of pending) handle.exec(sql);
  return pending;
}

/** Throws `SCHEMA_OLD`, naming the steps, unless all are applied. */
export function requireCurrentSchema(handle: SqliteTx, steps: readonly MigrationStep[] = migrationSteps): void {
  const pending = planMigrations(handle, steps);
  if (pending.length === 0) return;
  const names = pending.map(({ module, name }) => `${module}/${name}`);
  throw new CriticizerError(
    'SCHEMA_OLD',
    `The schema lacks ${names.join(', ')}: run migrate(), or pass migrate: 'auto'.`,
    {
      category: 'bug',
      details: { steps: names },
    },
  );
}
