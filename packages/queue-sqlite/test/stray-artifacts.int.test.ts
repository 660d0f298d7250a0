import { mkdirSync, renameSync, rmSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { systemRandom as random } from '@criticizer/core';
import { createFileArtifactStore, sweepArtifacts } from '@criticizer/core/artifacts';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { firstLine, testScript } from '../../../tools/testing/run-process.js';
import { unknownSql } from '../src/artifacts/sqlite-artifact-manifest.js';
import { openSqlite } from '../src/shared/sqlite-database.js';
import { createSqliteStores } from '../src/sqlite-stores.js';
import { scratchFolder } from './stores-on-sqlite.js';

const dayMs = 86_400_000;
const writeAndHang = testScript(new URL('write-and-hang.ts', import.meta.url));
let folder: ReturnType<typeof scratchFolder>;
let file: string;
beforeEach(() => {
  folder = scratchFolder();
  file = join(folder.path, 'criticizer.db');
});
afterEach(() => folder.remove());

async function tagOf(path: string): Promise<string> {
  const stores = createSqliteStores({ file: path, synchronous: 'normal' });
  const tag = await stores.artifactManifest.keyTag();
  await stores.close();
  return tag;
}

async function migrate(path: string): Promise<void> {
  const stores = createSqliteStores({ file: path, synchronous: 'normal' });
  await stores.migrate();
  await stores.close();
}

it('ART-7: bytes of a process that was killed before its transaction committed go a week later', {
  timeout: 60_000,
}, async () => {
  const directory = join(folder.path, 'artifacts');
  const stores = createSqliteStores({ file, migrate: 'auto', synchronous: 'normal' });
  await stores.migrate();
  const child = writeAndHang.start(file, directory);
  await firstLine(child);
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await gone;
  const store = createFileArtifactStore({ directory });
  const objects = async () =>
    (await store.list('raw', { limit: 9 })).map((key) => join(directory, 'raw', key.slice(0, 2), key));
  const sweep = async () =>
    (await sweepArtifacts({ store, manifest: stores.artifactManifest, random, orphanMs: 30 * dayMs })).strays;
  const ages = async (ms: number): Promise<void> => {
    for (const path of await objects()) utimesSync(path, new Date(Date.now() - ms), new Date(Date.now() - ms));
  };
  expect(await objects()).toHaveLength(2);
  await ages(6 * dayMs);
  expect([await sweep(), (await objects()).length]).toEqual([0, 2]);
  await ages(8 * dayMs);
  expect([await sweep(), (await objects()).length]).toEqual([1, 1]);
  const [row] = await stores.artifactManifest.list({ changelistId: 'main/1' });
  expect(await objects()).toEqual([join(directory, 'raw', row?.storageKey.slice(0, 2) ?? '', row?.storageKey ?? '')]);
  expect(row?.storageKey.endsWith(await tagOf(file))).toBe(true);
  await stores.close();
});

it('ART-7: a file keeps its tag, also when it was restored in its place; a copy elsewhere has another', async () => {
  await migrate(file);
  const [backup, copy, other] = [
    join(folder.path, 'backup.db'),
    join(folder.path, 'copy', 'criticizer.db'),
    join(folder.path, 'other.db'),
  ];
  const tag = await tagOf(file);
  mkdirSync(join(folder.path, 'copy'));
  const database = openSqlite(file);
  for (const path of [backup, copy]) database.exec(`VACUUM INTO '${path}'`);
  database.close?.();
  for (const tail of ['', '-wal', '-shm']) rmSync(`${file}${tail}`, { force: true });
  renameSync(backup, file);
  expect(await tagOf(file)).toBe(tag);
  expect(await tagOf(copy)).not.toBe(tag);
  await migrate(other);
  expect(await tagOf(other)).not.toBe(tag);
});

it('ART-7: a database that lost the id of its manifest has no tag', async () => {
  const stores = createSqliteStores({ file, migrate: 'auto' });
  await stores.migrate();
  const database = openSqlite(file);
  database.exec('DELETE FROM artifact_manifest_id');
  await expect(stores.artifactManifest.keyTag()).rejects.toMatchObject({ code: 'STORE_INVARIANT' });
  expect(() => database.exec("INSERT INTO artifact_manifest_id VALUES (2, 'x')")).toThrow();
  database.close?.();
  await stores.close();
});

it('ART-7: what is asked of a page of keys is found by an index', async () => {
  await migrate(file);
  const database = openSqlite(file);
  const plan = database.prepare(`EXPLAIN QUERY PLAN ${unknownSql}`).all('["a"]', 'raw') as { detail: string }[];
  const looks = plan.map(({ detail }) => detail).filter((detail) => / a /.test(`${detail} `));
  expect(looks).toEqual([
    expect.stringMatching(/^SEARCH a USING COVERING INDEX .* \(namespace=\? AND storage_key=\?\)$/),
  ]);
  database.close?.();
});
