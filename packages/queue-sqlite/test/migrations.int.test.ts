import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { applyMigrations, migrationSteps } from '../src/migrations.js';
import { openSqlite, type SqliteDatabase } from '../src/sqlite-database.js';
import { createSqliteStores } from '../src/sqlite-stores.js';
import { scratchFolder } from './stores-on-sqlite.js';

function schemaOf(database: SqliteDatabase): unknown[] {
  return database.prepare('SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY name').all();
}

describe('migrations', () => {
  let folder: ReturnType<typeof scratchFolder>;
  let file: string;
  beforeEach(() => {
    folder = scratchFolder();
    file = join(folder.path, 'criticizer.db');
  });
  afterEach(() => folder.remove());

  it('AUD-1: every prefix of the steps is upgraded to the same schema', async () => {
    const whole = openSqlite(':memory:');
    applyMigrations(whole);
    for (let prefix = 0; prefix <= migrationSteps.length; prefix++) {
      const database = openSqlite(':memory:');
      applyMigrations(database, migrationSteps.slice(0, prefix));
      const stores = createSqliteStores({ database });
      expect((await stores.migrationPlan()).map(({ name }) => name)).toEqual(migrationSteps.slice(prefix).map(({ name }) => name));
      expect(await stores.migrate()).toHaveLength(migrationSteps.length - prefix);
      expect(schemaOf(database)).toEqual(schemaOf(whole));
      expect(await stores.jobs.list({})).toEqual([]);
      await stores.close();
      database.close?.();
    }
    whole.close?.();
  });

  it('AUD-1: the printed plan, run by hand, counts as applied', async () => {
    const stores = createSqliteStores({ file });
    const database = openSqlite(file);
    for (const { sql } of await stores.migrationPlan()) database.exec(sql);
    database.close?.();
    expect(await stores.migrationPlan()).toEqual([]);
    expect(await stores.jobs.stats()).toMatchObject({ due: 0 });
    await stores.close();
  });

  it('AUD-1: work on an old schema fails with a code and names the steps; a migration by another process cures it', async () => {
    const stores = createSqliteStores({ file });
    await expect(stores.jobs.stats()).rejects.toMatchObject({
      code: 'SCHEMA_OLD',
      details: { steps: expect.arrayContaining(['queue/0001-work-queue']) },
    });
    await expect(stores.transaction(async () => 1)).rejects.toMatchObject({ code: 'SCHEMA_OLD' });
    const other = createSqliteStores({ file, migrate: 'auto' });
    await other.jobs.stats();
    await other.close();
    expect(await stores.jobs.stats()).toMatchObject({ due: 0 });
    await stores.close();
  });

  it('AUD-1: a schema of a later version is refused', async () => {
    const database = openSqlite(file);
    applyMigrations(database);
    const text = 'SELECT 1;';
    const sha256 = createHash('sha256').update(text).digest('hex');
    database.prepare('INSERT INTO criticizer_migrations (module, name, sha256) VALUES (?, ?, ?)').run('queue', '9999-later', sha256);
    database.close?.();
    const stores = createSqliteStores({ file, migrate: 'auto' });
    await expect(stores.migrationPlan()).rejects.toMatchObject({ code: 'SCHEMA_TOO_NEW' });
    await expect(stores.migrate()).rejects.toMatchObject({ code: 'SCHEMA_TOO_NEW' });
    await expect(stores.jobs.stats()).rejects.toMatchObject({ code: 'SCHEMA_TOO_NEW' });
    await stores.close();
  });

  it('AUD-1: a step whose text is another one is refused', async () => {
    const database = openSqlite(file);
    applyMigrations(database);
    database.exec(`UPDATE criticizer_migrations SET sha256 = 'x' WHERE name = '0001-work-queue'`);
    database.close?.();
    const stores = createSqliteStores({ file });
    await expect(stores.migrate()).rejects.toMatchObject({ code: 'SCHEMA_CHANGED' });
    await stores.close();
  });
});
