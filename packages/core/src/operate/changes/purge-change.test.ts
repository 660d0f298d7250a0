import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import type { ArtifactStore } from '../../artifacts/artifact-store.js';
import { createMemoryArtifactStore } from '../../artifacts/memory-artifact-store.js';
import { type AuditTrail, createAuditTrail } from '../../audit/audit-trail.js';
import type { JsonValue } from '../../foundation/json.js';
import { createMemoryStores } from '../../memory/memory-stores.js';
import { silentLogger } from '../../telemetry/logger.js';
import { by } from '../../testing/stores/operate/operator-verbs.js';
import { enqueued, newArtifact } from '../../testing/stores/sample-rows.js';
import { createManualClock } from '../../testing/support/manual-clock.js';
import { createSeededRandom } from '../../testing/support/seeded-random.js';
import { createOperator } from '../operator.js';
import { createPurgeDuty } from './continue-purge.js';

const changelistId = 'p4main/7';
const random = createSeededRandom(3);
const meta = { rule_version: '1', fields_redacted_count: 0, patterns_redacted_count: 0, redacted_paths: [] };
const redactor = { ruleVersion: '1', redact: (value: unknown) => ({ value: value as JsonValue, meta }) };

/** A change with a job and two artifacts whose bytes lie in a store; `over` replaces verbs of that store. */
async function setUp(over: (store: ArtifactStore) => Partial<ArtifactStore> = () => ({})) {
  const clock = createManualClock();
  const stores = createMemoryStores({ clock });
  const store = createMemoryArtifactStore();
  const artifacts = [
    newArtifact({ changelistId, namespace: 'raw', redaction: null }),
    newArtifact({ changelistId, namespace: 'redacted', redaction: { ruleVersion: '1', policyHash: 'h' } }),
  ];
  await stores.artifactManifest.reserve(artifacts);
  for (const { namespace, storageKey: key } of artifacts)
    await store.put({ namespace, key }, Readable.from([Buffer.from('x')]));
  await stores.artifactManifest.publish(artifacts.map(({ id }) => id));
  await enqueued(stores, { changelistId, reviewVersion: 1 });
  const trail = { store: stores.audit, redactor, destinations: [], random, logger: silentLogger };
  const audit: AuditTrail<unknown> = createAuditTrail(trail);
  const artifactStore: ArtifactStore = { ...store, ...over(store) };
  const operator = createOperator({ stores, audit, artifactStore });
  const left = async () =>
    Promise.all(artifacts.map(({ namespace, storageKey: key }) => store.exists({ namespace, key })));
  return { stores, clock, artifactStore, operator, left };
}

describe('purgeChange', () => {
  it('EGR-5: deletes the bytes of both namespaces, and reads back that they are gone', async () => {
    const { operator, left, stores } = await setUp();
    const none = { running: 0, sending: 0, artifacts: 0 };
    expect(await operator.purgeChange({ changelistId, ...by })).toEqual({
      ...{ outcome: 'purged', audit: 'recorded' },
      ...none,
    });
    expect(await left()).toEqual([false, false]);
    expect(await stores.jobs.list({ changelistId })).toEqual([]);
  });

  it('EGR-5: one artifact that cannot be deleted keeps no other, and the next call goes on', async () => {
    let isBroken = true;
    const { operator, left, clock } = await setUp((store) => ({
      delete: async (at) => {
        if (isBroken && at.namespace === 'raw') throw new Error('disk');
        return store.delete(at);
      },
    }));
    expect(await operator.purgeChange({ changelistId, ...by })).toMatchObject({ outcome: 'purging', artifacts: 1 });
    expect(await left()).toEqual([true, false]);
    isBroken = false;
    await clock.advance(60_000); // the lease of the failed deletion
    expect(await operator.purgeChange({ changelistId, ...by })).toMatchObject({ outcome: 'purged', audit: 'none' });
    expect(await left()).toEqual([false, false]);
  });

  it('EGR-5: bytes that are still there after their deletion keep the purge open', async () => {
    const { operator, stores } = await setUp(() => ({ delete: async () => undefined }));
    expect(await operator.purgeChange({ changelistId, ...by })).toMatchObject({ outcome: 'purging', artifacts: 2 });
    expect((await stores.changes.get(changelistId)).purgingSince).not.toBeNull();
  });

  it('EGR-5: the sweep of a worker goes on with a purge whose caller died, and logs it', async () => {
    const { stores, artifactStore, left } = await setUp();
    await stores.changes.beginPurge(changelistId);
    await stores.changes.purgeRows(changelistId); // killed here
    await stores.changes.beginPurge('p4main/8');
    const lines: object[] = [];
    const logger = { ...silentLogger, info: (fields: object) => void lines.push(fields) };
    const signal = new AbortController().signal;
    await createPurgeDuty({ stores, artifactStore, random, logger })(signal);
    expect(await left()).toEqual([false, false]);
    expect(await stores.changes.list({})).toEqual([]);
    expect(lines).toMatchObject([
      { changelistId, outcome: 'done' },
      { changelistId: 'p4main/8', outcome: 'done' },
    ]);
  });

  it('EGR-5: a change that cannot be purged keeps the sweep from no other', async () => {
    const { stores, artifactStore } = await setUp();
    await stores.changes.beginPurge(changelistId);
    await stores.changes.beginPurge('p4main/8');
    const errors: object[] = [];
    const logger = { ...silentLogger, error: (fields: object) => void errors.push(fields) };
    const broken = {
      ...stores,
      changes: {
        ...stores.changes,
        purgeRows: async (id: string) => {
          if (id === changelistId) throw new Error('out');
          return stores.changes.purgeRows(id);
        },
      },
    };
    await createPurgeDuty({ stores: broken, artifactStore, random, logger })(new AbortController().signal);
    expect((await stores.changes.list({})).map((mark) => mark.changelistId)).toEqual([changelistId]);
    expect(errors).toMatchObject([{ changelistId }]);
  });

  it('EGR-5: a page of changes that cannot be purged keeps the sweep from none behind it', async () => {
    const { stores } = await setUp();
    for (let n = 100; n < 201; n++) await stores.changes.beginPurge(`p4main/${n}`);
    const purgeRows = async (id: string) => {
      if (id !== 'p4main/200') throw new Error('out');
      return stores.changes.purgeRows(id);
    };
    const broken = { ...stores, changes: { ...stores.changes, purgeRows } };
    await createPurgeDuty({ stores: broken, random, logger: silentLogger })(new AbortController().signal);
    expect((await stores.changes.get('p4main/200')).purgingSince).toBeNull();
  });

  it('EGR-5: a hold beats a purge, before it and in the middle, with a code', async () => {
    const { operator, stores, left } = await setUp();
    const hold = (held: boolean) => operator.setHold({ changelistId, held, ...by });
    await hold(true);
    await expect(operator.purgeChange({ changelistId, ...by })).rejects.toMatchObject({ code: 'CHANGE_HELD' });
    await hold(false);
    const inTheMiddle = {
      ...stores,
      changes: {
        ...stores.changes,
        beginPurge: async (id: string) => {
          const begun = await stores.changes.beginPurge(id);
          await stores.changes.setHold(id, true);
          return begun;
        },
      },
    };
    const trail = createAuditTrail({
      ...{ store: stores.audit, redactor, destinations: [], random, logger: silentLogger },
    });
    const other = createOperator({ stores: inTheMiddle, audit: { ...trail, storeId: 'another' } });
    await expect(other.purgeChange({ changelistId, ...by })).rejects.toMatchObject({ code: 'CHANGE_HELD' });
    expect(await left()).toEqual([true, true]);
    expect(await stores.jobs.list({ changelistId })).toHaveLength(1);
  });
});
