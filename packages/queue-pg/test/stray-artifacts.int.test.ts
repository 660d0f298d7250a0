import { randomBytes } from 'node:crypto';
import { systemRandom as random, Secret } from '@criticizer/core';
import {
  createArtifacts,
  createLocalKeyRing,
  createMemoryArtifactStore,
  sweepArtifacts,
} from '@criticizer/core/artifacts';
import { afterAll, expect, inject, it } from 'vitest';
import { findUnknown } from '../src/artifacts/pg-artifact-manifest.js';
import { createDialect } from '../src/shared/pg-session.js';
import { freshStores, openStores, testPool } from './stores-on-postgres.js';

const dayMs = 86_400_000;
const pool = testPool(inject('databaseUrl'));
afterAll(() => pool.end());

it('ART-7: each schema has a tag of its own, the same for every pool; one without its id has none', async () => {
  const [one, other] = [await freshStores(pool), await freshStores(pool)];
  const tag = await one.stores.artifactManifest.keyTag();
  expect(await other.stores.artifactManifest.keyTag()).not.toBe(tag);
  const second = testPool(inject('databaseUrl'), 1);
  expect(await openStores({ pool: second, schema: one.schema }).artifactManifest.keyTag()).toBe(tag);
  await second.end();
  const { rows } = await pool.query<{ id: string }>(`DELETE FROM ${other.schema}.artifact_manifest_id RETURNING id`);
  await expect(other.stores.artifactManifest.keyTag()).rejects.toMatchObject({ code: 'STORE_INVARIANT' });
  await pool.query(`INSERT INTO ${other.schema}.artifact_manifest_id (only_row, id) VALUES (1, $1)`, [rows[0]?.id]);
  await Promise.all([one.dispose(), other.dispose()]);
});

it('ART-7: bytes that a host rolled back go a week later, written on the only client of a pool', async () => {
  const given = await freshStores(pool);
  const small = testPool(inject('databaseUrl'), 1);
  const stores = openStores({ pool: small, schema: given.schema, listen: pool });
  const secret = new Secret(randomBytes(32).toString('base64'));
  let aheadMs = 0;
  const clock = { nowMs: () => Date.now() + aheadMs, monotonicMs: () => 0, sleep: async () => undefined };
  const store = createMemoryArtifactStore({ clock });
  const manifest = stores.artifactManifest;
  const keys = createLocalKeyRing({
    source: { contract: 1, read: async () => ({ current: { secret, version: '1' } }) },
    name: 'KEY',
  });
  const [access, securityEvents] = [{ decide: () => 'allow' as const }, { emit: () => undefined }];
  const artifacts = createArtifacts({
    store,
    manifest,
    keys,
    access,
    securityEvents,
    random,
    ttlMs: { raw: dayMs, redacted: dayMs },
  });
  const about = {
    purpose: 'change',
    contentType: 'text/plain',
    changelistId: 'main/1',
    jobId: null,
    redaction: null,
  } as const;
  const write = (end: 'commit' | 'rollback'): Promise<unknown> =>
    stores.transaction(async (tx) => {
      await artifacts.write({ ...about, namespace: 'raw' }, Buffer.from(end), undefined, { tx });
      if (end === 'rollback') throw new RangeError(end);
    });
  aheadMs = -8 * dayMs; // the bytes are written by a clock that is behind: the database's does not leap
  await expect(write('rollback')).rejects.toThrow(RangeError);
  await write('commit');
  expect((await sweepArtifacts({ store, manifest, random, clock })).strays).toBe(0);
  aheadMs = 0;
  expect((await sweepArtifacts({ store, manifest, random, clock })).strays).toBe(1);
  expect(await store.list('raw', { limit: 9 })).toEqual([
    (await manifest.list({ changelistId: 'main/1' }))[0]?.storageKey,
  ]);
  await stores.close();
  await small.end();
  await given.dispose();
});

interface PlanNode {
  'Node Type': string;
  'Index Cond'?: string;
  'Relation Name'?: string;
  Plans?: PlanNode[];
}

it('ART-7: what is asked of a page of keys is found by an index', async () => {
  const given = await freshStores(pool);
  await pool.query(`INSERT INTO ${given.schema}.artifact_manifest (id, namespace, purpose, storage_key, content_type, kek_id, wrapped_key, bytes,
      digest, status, created_at, expires_at)
    SELECT n, 'raw', 'change', lpad(n::text, 64, '0'), 't', 'k', 'w', 1, 'd', 'live', now(), now() FROM generate_series(1, 20000) AS n`);
  await pool.query(`ANALYZE ${given.schema}.artifact_manifest`);
  const keys = Array.from({ length: 100 }, (_, n) => `${n * 300}`.padStart(64, '0'));
  const values = ['raw', keys, keys.map(() => new Date(0).toISOString()), dayMs];
  const { rows } = await pool.query<{ 'QUERY PLAN': { Plan: PlanNode }[] }>(
    `EXPLAIN (FORMAT JSON) ${createDialect(given.schema).fill(findUnknown).text}`,
    values,
  );
  const nodes = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(nodes)];
  const looks = nodes(rows[0]?.['QUERY PLAN'][0]?.Plan ?? { 'Node Type': 'none' }).filter(
    (node) => node['Relation Name'],
  );
  expect(looks).toEqual([expect.objectContaining({ 'Index Cond': expect.stringContaining('storage_key') })]);
  await given.dispose();
});
