import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { CriticizerError } from '../foundation/errors.js';
import { readRedactedText } from '../foundation/redacted-text.js';
import { systemRandom } from '../foundation/time/system-random.js';
import { createMemoryStores } from '../memory/memory-stores.js';
import { Secret } from '../secrets/secret.js';
import { silentLogger } from '../telemetry/logger.js';
import { createMemorySecurityEvents } from '../telemetry/memory-security-events.js';
import { createManualClock } from '../testing/support/manual-clock.js';
import { type ArtifactWrite, createArtifacts } from './artifacts.js';
import type { KeyProvider } from './key-provider.js';
import { createLocalKeyRing } from './local-key-ring.js';
import { createMemoryArtifactStore } from './memory-artifact-store.js';
import { createRoleAccessPolicy } from './role-access-policy.js';
import { sweepArtifacts } from './sweep-artifacts.js';

const random = systemRandom;
const rules = { version: '1.0.0', policyHash: 'a'.repeat(64) };
const about = { purpose: 'change', contentType: 'text/plain', changelistId: 'main/1', jobId: null } as const;
const raw: ArtifactWrite = { ...about, namespace: 'raw', redaction: null };
const redacted: ArtifactWrite = { ...about, namespace: 'redacted', redaction: rules };
const bytes = Buffer.from('let a = 1;');
const hour = 3_600_000;

function harness(otherKeys?: KeyProvider) {
  const clock = createManualClock();
  const { artifactManifest: manifest } = createMemoryStores({ clock });
  const store = createMemoryArtifactStore();
  const securityEvents = createMemorySecurityEvents();
  const key = new Secret(randomBytes(32).toString('base64'));
  const keys =
    otherKeys ??
    createLocalKeyRing({
      source: { contract: 1, read: async () => ({ current: { secret: key, version: '1' } }) },
      name: 'KEK',
    });
  const access = createRoleAccessPolicy([{ role: 'support', actions: ['read'], namespaces: ['redacted'] }]);
  const ttlMs = { raw: hour, redacted: 2 * hour };
  const artifacts = createArtifacts({ store, manifest, keys, access, securityEvents, random, ttlMs });
  const sweep = () => sweepArtifacts({ store, manifest, random });
  const publish = (ids: readonly string[]) => manifest.publish(ids);
  return { artifacts, clock, manifest, publish, securityEvents, store, sweep };
}

describe('artifacts', () => {
  it('ART-3: a role reads what it was granted; anything else is denied with an event', async () => {
    const { artifacts, publish, securityEvents } = harness();
    const ids = [await artifacts.write(raw, bytes), await artifacts.write(redacted, bytes)] as const;
    await publish(ids);
    const ann = { type: 'admin_user', id: 'ann', roles: ['support'] } as const;
    expect(Buffer.from((await artifacts.read(ids[1], ann)).body)).toEqual(bytes);
    expect(securityEvents.events).toEqual([]);
    await expect(artifacts.read(ids[0], ann)).rejects.toMatchObject({ code: 'ARTIFACT_ACCESS_DENIED' });
    await expect(artifacts.write(redacted, bytes, ann)).rejects.toMatchObject({ code: 'ARTIFACT_ACCESS_DENIED' });
    expect(securityEvents.events.map(({ type }) => type)).toEqual(['artifact.access_denied', 'artifact.access_denied']);
    expect(Buffer.from((await artifacts.read(ids[0])).body)).toEqual(bytes);
  });

  it('ART-6 ART-5: only what lies in the redacted namespace, with its rules, may be bound for a model', async () => {
    const { artifacts, publish } = harness();
    const ids = [await artifacts.write(raw, bytes), await artifacts.write(redacted, bytes)] as const;
    await publish(ids);
    await expect(artifacts.readRedacted(ids[0])).rejects.toMatchObject({ code: 'ARTIFACT_NOT_REDACTED' });
    const minted = readRedactedText(await artifacts.readRedacted(ids[1]));
    expect(minted).toMatchObject({ text: 'let a = 1;', rulesVersion: rules.version, policyHash: rules.policyHash });
    await expect(artifacts.write({ ...redacted, redaction: null }, bytes)).rejects.toThrow(TypeError);
    await expect(artifacts.write({ ...raw, redaction: rules }, bytes)).rejects.toThrow(TypeError);
  });

  it('an artifact whose key does not open is not fetched: nothing would read it to its end', async () => {
    const { artifacts, publish, store } = harness({
      wrap: async (dataKey) => ({ kekId: 'lost', wrapped: dataKey }),
      unwrap: () => Promise.reject(new CriticizerError('KEY_UNKNOWN', 'gone', { category: 'auth' })),
    });
    const id = await artifacts.write(raw, bytes);
    await publish([id]);
    let fetched = 0;
    store.get = async () => {
      fetched += 1;
      return null;
    };
    await expect(artifacts.read(id)).rejects.toMatchObject({ code: 'KEY_UNKNOWN' });
    expect(fetched).toBe(0);
  });

  it('ART-7: a sweep deletes what expired, each namespace by its own time, and verifies that it is gone', async () => {
    const { artifacts, clock, manifest, publish, store, sweep } = harness();
    const ids = [await artifacts.write(raw, bytes), await artifacts.write(redacted, bytes)] as const;
    await publish(ids);
    expect(await sweep()).toEqual({
      deleted: 0,
      failed: 0,
      verified: 0,
      stillPresent: 0,
      unverified: 0,
      leftovers: 0,
      strays: 0,
    });
    await clock.advance(hour);
    expect(await sweep()).toEqual({
      deleted: 1,
      failed: 0,
      verified: 1,
      stillPresent: 0,
      unverified: 0,
      leftovers: 0,
      strays: 0,
    });
    expect((await store.list('raw', { limit: 10 })).length + (await store.list('redacted', { limit: 10 })).length).toBe(
      1,
    );
    await expect(artifacts.read(ids[0])).rejects.toMatchObject({ code: 'ARTIFACT_MISSING' });
    expect(Buffer.from((await artifacts.read(ids[1])).body)).toEqual(bytes);
    await clock.advance(hour);
    expect(await sweep()).toMatchObject({ deleted: 1, failed: 0, verified: 1 });
    expect(await manifest.listUnverified(10)).toEqual([]);
  });

  it('ART-7: bytes that come back after their deletion are counted and deleted again', async () => {
    const { artifacts, clock, manifest, publish, store, sweep } = harness();
    const id = await artifacts.write(raw, bytes);
    await publish([id]);
    const [row] = await manifest.get([id]);
    await clock.advance(hour);
    const remove = store.delete;
    store.delete = async () => undefined;
    expect(await sweep()).toEqual({
      deleted: 1,
      failed: 0,
      verified: 0,
      stillPresent: 1,
      unverified: 0,
      leftovers: 0,
      strays: 0,
    });
    store.delete = remove;
    expect(await sweep()).toEqual({
      deleted: 0,
      failed: 0,
      verified: 0,
      stillPresent: 1,
      unverified: 0,
      leftovers: 0,
      strays: 0,
    });
    expect(await sweep()).toEqual({
      deleted: 0,
      failed: 0,
      verified: 1,
      stillPresent: 0,
      unverified: 0,
      leftovers: 0,
      strays: 0,
    });
    expect(await store.exists({ namespace: 'raw', key: row?.storageKey ?? '' })).toBe(false);
  });

  it('ART-7: deletions that the store cannot prove keep no other from being proven, and are logged in one line', async () => {
    const { artifacts, clock, manifest, publish, store } = harness();
    const ids: string[] = [];
    for (let n = 0; n < 6; n++) ids.push(await artifacts.write(raw, bytes));
    await publish(ids);
    const stubborn = new Set((await manifest.get(ids.slice(0, 3))).map((row) => row?.storageKey));
    const { delete: remove, exists } = store;
    await clock.advance(hour);
    const lines: object[] = [];
    const logger = { ...silentLogger, warn: (fields: object) => void lines.push(fields) };
    const sweep = () => sweepArtifacts({ store, manifest, random, limit: 2, logger });
    store.delete = async () => undefined;
    for (let round = 0; round < 3; round++) await sweep();
    lines.length = 0;
    store.delete = (location) => (stubborn.has(location.key) ? Promise.reject(new Error('EPERM')) : remove(location));
    expect(await sweep()).toMatchObject({ stillPresent: 6, unverified: 3 });
    expect(lines).toMatchObject([{ artifacts: 3 }]);
    store.exists = (location) => (stubborn.has(location.key) ? Promise.reject(new Error('EIO')) : exists(location));
    expect(await sweep()).toMatchObject({ verified: 3, stillPresent: 0, unverified: 3 });
    Object.assign(store, { delete: remove, exists });
    await sweep();
    expect(await sweep()).toMatchObject({ verified: 3, unverified: 0 });
  });

  it('ART-1: what is past its expiry is not given out, though no sweep has come yet', async () => {
    const { artifacts, clock, publish, store } = harness();
    const id = await artifacts.write(raw, bytes);
    await publish([id]);
    await clock.advance(hour - 1);
    expect(Buffer.from((await artifacts.read(id)).body)).toEqual(bytes);
    await clock.advance(1);
    let fetched = 0;
    store.get = async () => {
      fetched += 1;
      return null;
    };
    await expect(artifacts.read(id)).rejects.toMatchObject({ code: 'ARTIFACT_EXPIRED', category: 'not_found' });
    expect(fetched).toBe(0);
  });

  it.each([
    ['expiry', { expiresAt: new Date(Date.UTC(2099, 0, 1)) }],
    ['purpose', { purpose: 'review' }],
    ['change', { changelistId: 'main/2' }],
  ] as const)('ART-2: a manifest edited to name another %s opens nothing', async (_what, edited) => {
    const { artifacts, manifest, publish } = harness();
    const id = await artifacts.write(raw, bytes);
    await publish([id]);
    const { get } = manifest;
    manifest.get = async (ids) => (await get(ids)).map((row) => (row === null ? null : { ...row, ...edited }));
    await expect(artifacts.read(id)).rejects.toMatchObject({ code: 'ARTIFACT_TAMPERED' });
  });

  it('ART-7: one artifact that cannot be deleted keeps none of the others', async () => {
    const { artifacts, clock, manifest, publish, store, sweep } = harness();
    const ids = [
      await artifacts.write(raw, bytes),
      await artifacts.write(raw, bytes),
      await artifacts.write(raw, bytes),
    ];
    await publish(ids);
    const [stubborn] = await manifest.get(ids);
    const { delete: remove } = store;
    store.delete = (location) =>
      location.key === stubborn?.storageKey ? Promise.reject(new Error('busy')) : remove(location);
    await clock.advance(hour + 1);
    expect(await sweep()).toMatchObject({ deleted: 2, failed: 1 });
    store.delete = remove;
    await clock.advance(hour);
    expect(await sweep()).toMatchObject({ deleted: 1, failed: 0 });
  });
});
