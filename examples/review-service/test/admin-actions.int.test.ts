// Admin actions that are no verb of `operate`: each is done on SQLite with the real redactor, and its event is read.
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  createCriticizer,
  createEnvironmentSecrets,
  createMemoryMailer,
  type Stores,
  silentLogger,
  systemRandom,
} from '@criticizer/core';
import {
  createArtifacts,
  createLocalKeyRing,
  createMemoryArtifactStore,
  createRoleAccessPolicy,
} from '@criticizer/core/artifacts';
import {
  type AdminAction,
  type AdminActionName,
  adminActions,
  applyMigrations,
  createAuditFlags,
  createAuditTrail,
} from '@criticizer/core/audit';
import type { StoreModule } from '@criticizer/core/ports';
import { createMemoryChangeFetcher } from '@criticizer/core/testing';
import { createReviewMailComposer } from '@criticizer/notify';
import { openAuditedAllowList } from '@criticizer/p4';
import { createSqliteStores } from '@criticizer/queue-sqlite';
import { createPayloadRedactor, createRedactor } from '@criticizer/redact';
import { afterEach, describe, expect, it } from 'vitest';

const opened: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of opened.splice(0).reverse()) await close();
});

const deploy = { type: 'service_account', id: 'deploy' } as const;
const ada = { type: 'admin_user', id: 'ada' } as const;

const createKey = (): string => randomBytes(32).toString('base64');
const createKeys = () =>
  createLocalKeyRing({ source: createEnvironmentSecrets({ env: { KEY: createKey() } }), name: 'KEY' });

/** Migrated stores of their own, and a trail on them. */
async function openTrail(more: Partial<Parameters<typeof createAuditTrail>[0]> = {}) {
  const stores: Stores<unknown> = createSqliteStores({ file: ':memory:' });
  opened.push(() => stores.close());
  await stores.migrate();
  const parts = { store: stores.audit, redactor: createPayloadRedactor(), destinations: [] };
  const trail = createAuditTrail({ ...parts, random: systemRandom, logger: silentLogger, ...more });
  return { stores, trail };
}

/** The events of an action, oldest first; each holds what the row of the action lists. */
async function readEvents(stores: Stores<unknown>, action: AdminActionName) {
  const events = [...(await stores.audit.list({ action }))].reverse();
  const { payload, optional = [], targetType }: AdminAction = adminActions[action];
  for (const event of events) {
    const keys = Object.keys(event.payload).filter((key) => !key.startsWith('_'));
    expect(Object.keys(payload).filter((key) => !keys.includes(key) && !optional.includes(key))).toEqual([]);
    expect(keys.filter((key) => !(key in payload))).toEqual([]);
    expect(event.targetType).toBe(targetType);
  }
  return events.map(({ actorType, actorId, targetId, resultStatus, payload }) => ({
    actor: `${actorType} ${actorId}`,
    targetId,
    resultStatus,
    payload,
  }));
}

describe('events of admin actions', () => {
  it('OPS-1 P4-6: p4.allow_list.change by an edited configuration at the next start, and by a person', async () => {
    const { stores, trail } = await openTrail();
    const open = (...allow: string[]) =>
      openAuditedAllowList({ serverId: 'main', configured: { allow }, actor: deploy, stores, audit: trail });
    await open('//depot/a/...');
    await open('//depot/a/...');
    const list = await open('//depot/a/...', '//depot/b/...');
    await list.change({ allow: ['//depot/b/...'], deny: ['//depot/b/keys/...'] }, { actor: ada, reason: 'OPS-7' });
    const events = await readEvents(stores, 'p4.allow_list.change');
    const added = (...paths: string[]) => ({ added: paths, removed: [] });
    expect(events).toMatchObject([
      { actor: 'service_account deploy', targetId: 'main', payload: { allowed: added('//depot/a/...') } },
      { actor: 'service_account deploy', targetId: 'main', payload: { allowed: added('//depot/b/...') } },
      {
        ...{ actor: 'admin_user ada', targetId: 'main' },
        payload: {
          ...{ source: 'api', reason: 'OPS-7', denied: added('//depot/b/keys/...') },
          allowed: { added: [], removed: ['//depot/a/...'] },
        },
      },
    ]);
  });

  it('OPS-1 AUD-17: audit.flag.flip when the provider of the flags answers otherwise', async () => {
    let isOn = true;
    const provider = { getBooleanValue: async () => isOn };
    const flags = createAuditFlags({ provider, defaults: { write: true, worker: true } });
    const { stores, trail } = await openTrail({ flags });
    const deed = { actorType: 'admin_user', actorId: 'ada', action: 'user.update', resultStatus: 'success' } as const;
    await trail.record(deed);
    isOn = false;
    expect((await trail.record(deed)).outcome).toBe('off');
    expect(await readEvents(stores, 'audit.flag.flip')).toMatchObject([
      {
        ...{ actor: 'system criticizer', targetId: 'audit_guardrails_write_enabled' },
        payload: { from: true, to: false },
      },
    ]);
  });

  it('OPS-1 ART-4: artifact.read_raw and artifact.read_redacted by a person, allowed and denied', async () => {
    const { stores, trail } = await openTrail();
    const artifacts = createArtifacts({
      store: createMemoryArtifactStore(),
      manifest: stores.artifactManifest,
      keys: createKeys(),
      access: createRoleAccessPolicy([
        { role: 'support', actions: ['read'], namespaces: ['redacted'] },
        { role: 'lead', actions: ['read'], namespaces: ['raw'] },
      ]),
      audit: trail,
      securityEvents: { emit: () => undefined },
      random: systemRandom,
      ttlMs: { raw: 60_000, redacted: 60_000 },
    });
    const about = { purpose: 'change', contentType: 'text/plain', changelistId: 'main/7', jobId: null } as const;
    const bytes = Buffer.from('let a = 1;');
    const raw = await artifacts.write({ ...about, namespace: 'raw', redaction: null }, bytes);
    const redaction = { version: '1', policyHash: 'a'.repeat(64) };
    const redacted = await artifacts.write({ ...about, namespace: 'redacted', redaction }, bytes);
    await stores.artifactManifest.publish([raw, redacted]);
    const [support, lead] = [
      { ...ada, roles: ['support'] },
      { ...ada, roles: ['lead'] },
    ];
    await artifacts.read(raw, lead, { reason: 'OPS-7' });
    await expect(artifacts.read(raw, support)).rejects.toMatchObject({ code: 'ARTIFACT_ACCESS_DENIED' });
    await artifacts.readRedacted(redacted, support);
    await artifacts.read(raw);
    const who = { actor: 'admin_user ada' };
    const what = { purpose: 'change', changelistId: 'main/7', jobId: null };
    expect(await readEvents(stores, 'artifact.read_raw')).toMatchObject([
      { ...who, targetId: raw, resultStatus: 'success', payload: { ...what, outcome: 'allowed', reason: 'OPS-7' } },
      { ...who, targetId: raw, resultStatus: 'failure', payload: { ...what, outcome: 'denied' } },
    ]);
    expect(await readEvents(stores, 'artifact.read_redacted')).toMatchObject([
      { ...who, targetId: redacted, resultStatus: 'success', payload: { ...what, outcome: 'allowed' } },
    ]);
  });

  it('OPS-1: schema.migrate with its steps, and once where the first was cut off before its event', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'criticizer-migrate-'));
    const open = (modules?: readonly StoreModule[]) => {
      const stores: Stores<unknown> = createSqliteStores({ file: join(directory, 'queue.sqlite'), modules });
      opened.push(() => stores.close());
      const parts = { store: stores.audit, redactor: createPayloadRedactor(), destinations: [] };
      const audit = createAuditTrail({ ...parts, random: systemRandom, logger: silentLogger });
      return { stores, audit };
    };
    opened.push(() => rmSync(directory, { recursive: true }));
    const by = { actor: deploy, reason: 'release 1' };
    const first = open(['queue', 'audit']);
    await first.stores.migrate(); // and killed before its event
    expect((await applyMigrations(first, by)).audit).toBe('recorded');
    const whole = open();
    const { outcome, audit } = await applyMigrations(whole, { actor: ada, reason: 'release 2' });
    expect([outcome.map(({ module }) => module), audit]).toEqual([['notify', 'artifacts', 'review'], 'recorded']);
    expect(await applyMigrations(whole, by)).toEqual({ outcome: [], audit: 'none' });
    const who = { targetId: 'stores', resultStatus: 'success' };
    expect(await readEvents(whole.stores, 'schema.migrate')).toMatchObject([
      { ...who, actor: 'service_account deploy', payload: { steps: [], reason: 'release 1' } },
      { ...who, actor: 'admin_user ada', payload: { steps: outcome.map(({ module, name }) => `${module}/${name}`) } },
    ]);
    const fresh: Stores<unknown> = createSqliteStores({ file: ':memory:' });
    opened.push(() => fresh.close());
    const trail = { store: fresh.audit, redactor: createPayloadRedactor(), destinations: [] };
    const done = await applyMigrations(
      { stores: fresh, audit: createAuditTrail({ ...trail, random: systemRandom, logger: silentLogger }) },
      by,
    );
    expect([done.outcome.length, done.audit]).toEqual([6, 'recorded']);
    expect(await readEvents(fresh, 'schema.migrate')).toHaveLength(1);
  });

  it('OPS-1: change.dry_run by a person who reads what would leave', async () => {
    const { stores, trail } = await openTrail();
    const criticizer = createCriticizer({
      stores,
      changes: createMemoryChangeFetcher({
        serverId: 'main',
        changes: new Map([[7, { skipped: 'filtered_only', detail: 'generated files alone' }]]),
      }),
      redactor: createRedactor({ fingerprintKey: createKey() }),
      llm: 'none',
      mailer: createMemoryMailer(),
      composer: createReviewMailComposer({ from: { address: 'reviews@example.test' }, host: 'reviews.example.test' }),
      artifacts: {
        store: createMemoryArtifactStore(),
        keys: createKeys(),
      },
      audit: trail,
    });
    opened.push(() => criticizer.stop());
    await criticizer.dryRun({ serverId: 'main', number: 7, actor: ada });
    expect(await readEvents(stores, 'change.dry_run')).toMatchObject([
      {
        ...{ actor: 'admin_user ada', targetId: 'main/7' },
        payload: { serverId: 'main', number: 7, kind: 'skipped', reason: 'filtered_only' },
      },
    ]);
  });
});
