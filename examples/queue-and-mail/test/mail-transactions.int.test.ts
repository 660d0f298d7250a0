import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMemoryMailer, createMemoryStores, Secret, type Stores, systemRandom } from '@criticizer/core';
import {
  createArtifacts,
  createArtifactVault,
  createLocalKeyRing,
  createMemoryArtifactStore,
  createRoleAccessPolicy,
} from '@criticizer/core/artifacts';
import { describeMessageVaultContract } from '@criticizer/core/testing';
import { createMailOutbox } from '@criticizer/notify';
import pg from 'pg';
import { afterAll, describe, expect, inject, it } from 'vitest';
import { openStores } from '../src/open-stores.js';

const top = mkdtempSync(join(tmpdir(), 'criticizer-mail-tx-'));
const schemas: string[] = [];
const hour = 3_600_000;

afterAll(async () => {
  rmSync(top, { recursive: true });
  const client = new pg.Client(inject('databaseUrl'));
  await client.connect();
  for (const schema of schemas) await client.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
  await client.end();
});

interface Opened {
  stores: Stores<unknown>;
  dispose(): Promise<void>;
}

async function open(database: 'memory' | 'SQLite' | 'PostgreSQL'): Promise<Opened> {
  if (database === 'memory') {
    const stores: Stores<unknown> = createMemoryStores();
    return { stores, dispose: () => stores.close() };
  }
  const schema = `t_${randomUUID().replaceAll('-', '')}`;
  if (database === 'PostgreSQL') schemas.push(schema);
  const directory = mkdtempSync(join(top, 'db-'));
  const databaseUrl = database === 'SQLite' ? undefined : inject('databaseUrl');
  const opened = openStores({ directory, databaseUrl, schema });
  await opened.stores.migrate();
  return { stores: opened.stores, dispose: async () => opened[Symbol.asyncDispose]() };
}

function vaultOver({ artifactManifest: manifest }: Stores<unknown>) {
  const key = new Secret(randomBytes(32).toString('base64'));
  const artifacts = createArtifacts({
    store: createMemoryArtifactStore(),
    manifest,
    keys: createLocalKeyRing({
      source: { contract: 1, read: async () => ({ current: { secret: key, version: '1' } }) },
      name: 'KEK',
    }),
    access: createRoleAccessPolicy([]),
    securityEvents: { emit: () => undefined },
    random: systemRandom,
    ttlMs: { raw: hour, redacted: hour },
  });
  return createArtifactVault({ artifacts, manifest });
}

describe.each(['memory', 'SQLite', 'PostgreSQL'] as const)(
  'mails in the transaction of their host, on %s',
  (database) => {
    describeMessageVaultContract<unknown>(
      { describe, it },
      {
        async create() {
          const { stores, dispose } = await open(database);
          return { vault: vaultOver(stores), transaction: (work) => stores.transaction(work), dispose };
        },
      },
    );

    it('NOT-3: a rollback leaves no row and no mail; a commit leaves both; another text is said', async () => {
      const { stores, dispose } = await open(database);
      const mailer = createMemoryMailer();
      const vault = vaultOver(stores);
      const from = { address: 'app@example.test' };
      const mails = createMailOutbox({
        stores,
        vault,
        mailer,
        from,
      });
      const mail = {
        dedupeKey: 'invoice/42',
        to: { address: 'dev@example.test' },
        subject: 'Invoice 42',
        text: 'Hello',
      };
      let lost = '';
      const rolledBack = stores.transaction(async (tx) => {
        lost = (await mails.send(mail, { tx })).row.messageArtifactId;
        throw new Error('no');
      });
      await expect(rolledBack).rejects.toThrow();
      expect(await stores.outbox.list({})).toEqual([]);
      expect([await vault.load(lost), await stores.artifactManifest.get([lost])]).toEqual([null, [null]]);

      const { outcome, row } = await stores.transaction((tx) => mails.send(mail, { tx }));
      expect(outcome).toBe('added');
      expect(await mails.send(mail)).toEqual({ outcome: 'existing', row, differs: false });
      const other = { ...mail, text: 'Other' };
      expect(await mails.send(other)).toEqual({ outcome: 'existing', row, differs: true });
      expect(await stores.transaction((tx) => mails.send(other, { tx }))).toEqual({
        outcome: 'existing',
        row,
        differs: true,
      });
      expect(await mails.deliverDue()).toMatchObject([{ outcome: 'sent' }]);
      expect(mailer.accepted().map((entry) => entry.mail.text)).toEqual(['Hello']);
      await dispose();
    });
  },
);
