import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { systemRandom as random } from '../foundation/time/system-random.js';
import { createMemoryStores } from '../memory/memory-stores.js';
import { Secret } from '../secrets/secret.js';
import { createMemorySecurityEvents } from '../telemetry/memory-security-events.js';
import { createManualClock, type ManualClock } from '../testing/support/manual-clock.js';
import type { ArtifactStore } from './artifact-store.js';
import { createArtifacts } from './artifacts.js';
import { createLocalKeyRing } from './local-key-ring.js';
import { createMemoryArtifactStore } from './memory-artifact-store.js';
import { type ArtifactSweep, sweepArtifacts } from './sweep-artifacts.js';

const about = {
  purpose: 'change',
  contentType: 'text/plain',
  changelistId: 'main/1',
  jobId: null,
  namespace: 'raw',
  redaction: null,
} as const;
const bytes = Buffer.from('let a = 1;');
const day = 86_400_000;
const key = new Secret(randomBytes(32).toString('base64'));

interface Database {
  store: ArtifactStore;
  clock: ManualClock;
  warnings: Record<string, unknown>[];
  write(): Promise<string>;
  /** Writes in a host's transaction, and gives the id where it was committed. */
  writeThen(end: 'commit' | 'rollback', meanwhile?: () => Promise<unknown>): Promise<string | undefined>;
  read(id: string): Promise<Uint8Array>;
  sweep(over?: Partial<Parameters<typeof sweepArtifacts>[0]>): Promise<ArtifactSweep>;
  manifest: ReturnType<typeof createMemoryStores>['artifactManifest'];
}

function openDatabase(
  clock = createManualClock(),
  store: ArtifactStore = createMemoryArtifactStore({ clock }),
): Database {
  const stores = createMemoryStores({ clock });
  const manifest = stores.artifactManifest;
  const keys = createLocalKeyRing({
    source: { contract: 1, read: async () => ({ current: { secret: key, version: '1' } }) },
    name: 'KEK',
  });
  const access = { decide: () => 'allow' as const };
  const ttlMs = { raw: 30 * day, redacted: 30 * day };
  const artifacts = createArtifacts({
    store,
    manifest,
    keys,
    access,
    securityEvents: createMemorySecurityEvents(),
    random,
    ttlMs,
  });
  const warnings: Record<string, unknown>[] = [];
  const warn = (fields: object): void => void warnings.push({ ...fields });
  const logger = { debug: warn, info: warn, warn, error: warn };
  return {
    store,
    clock,
    manifest,
    warnings,
    async write() {
      const id = await artifacts.write(about, bytes);
      await manifest.publish([id]);
      return id;
    },
    async writeThen(end, meanwhile) {
      try {
        return await stores.transaction(async (tx) => {
          const id = await artifacts.write(about, bytes, undefined, { tx });
          await manifest.publish([id], { tx });
          await meanwhile?.();
          if (end === 'rollback') throw new RangeError('the host rolls back');
          return id;
        });
      } catch (error) {
        if (!(error instanceof RangeError)) throw error;
        return undefined;
      }
    },
    read: async (id) => (await artifacts.read(id)).body,
    sweep: (over) => sweepArtifacts({ store, manifest, random, clock, logger, ...over }),
  };
}

const lying = async ({ store }: Pick<Database, 'store'>): Promise<number> =>
  (await store.list('raw', { limit: 10_000 })).length;

describe('objects that no row names', () => {
  it('ART-7: what a host rolled back is gone a week later, and not before; what it committed stays', async () => {
    const given = openDatabase();
    await given.writeThen('rollback');
    const kept = await given.writeThen('commit');
    await given.clock.advance(7 * day);
    expect([(await given.sweep()).strays, await lying(given)]).toEqual([0, 2]);
    await given.clock.advance(1);
    expect([(await given.sweep()).strays, await lying(given)]).toEqual([1, 1]);
    expect(Buffer.from(await given.read(kept ?? ''))).toEqual(bytes);
    expect(given.warnings).toEqual([]);
  });

  it('ART-7: two databases that share a store remove nothing of each other’s', async () => {
    const mine = openDatabase();
    const theirs = openDatabase(mine.clock, mine.store);
    const ids = [await mine.write(), await theirs.write()] as const;
    await theirs.writeThen('rollback');
    await mine.store.put({ namespace: 'raw', key: 'f'.repeat(64) }, once('foreign'));
    await mine.clock.advance(8 * day);
    expect((await mine.sweep()).strays).toBe(0);
    expect((await theirs.sweep()).strays).toBe(1);
    expect(await lying(mine)).toBe(3);
    expect(Buffer.from(await mine.read(ids[0]))).toEqual(bytes);
    expect(Buffer.from(await theirs.read(ids[1]))).toEqual(bytes);
  });

  it.each(['keyTag', 'findUnknown', 'an empty tag', 'listObjects'])(
    'ART-7: nothing is deleted without an answer: %s',
    async (broken) => {
      const given = openDatabase();
      await given.writeThen('rollback');
      await given.clock.advance(8 * day);
      const { store } = given;
      const manifest = { ...given.manifest };
      const fails = (): Promise<never> => Promise.reject(new Error('no answer'));
      if (broken === 'keyTag') manifest.keyTag = fails;
      if (broken === 'findUnknown') manifest.findUnknown = fails;
      if (broken === 'an empty tag') manifest.keyTag = async () => '';
      const swept = await given.sweep({
        manifest,
        store: broken === 'listObjects' ? { ...store, listObjects: fails } : store,
      });
      expect([swept.strays, swept.failed, given.warnings.length, await lying(given)]).toEqual([0, 1, 1, 1]);
    },
  );

  it('ART-7: a key that the manifest was not asked for is not deleted', async () => {
    const given = openDatabase();
    await given.write();
    await given.writeThen('rollback');
    await given.clock.advance(8 * day);
    await given.write(); // young
    const manifest = { ...given.manifest, findUnknown: () => given.store.list('raw', { limit: 9 }) };
    expect([(await given.sweep({ manifest })).strays, await lying(given)]).toEqual([2, 1]);
  });

  it('ART-7: one clock that is wrong deletes nothing: the host’s and the manifest’s must agree', async () => {
    const given = openDatabase();
    await given.writeThen('rollback');
    given.clock.step(8 * day); // the host's wall clock leaps; the manifest's goes by what passes
    expect((await given.sweep()).strays).toBe(0);
    given.clock.step(-8 * day);
    await given.clock.advance(8 * day);
    expect((await given.sweep({ clock: createManualClock() })).strays).toBe(0); // a host that is behind
    expect((await given.sweep()).strays).toBe(1);
  });

  it('ART-7: what cannot be deleted is counted, logged once, and keeps none of the others', async () => {
    const given = openDatabase();
    for (let n = 0; n < 5; n++) await given.writeThen('rollback');
    await given.clock.advance(8 * day);
    const stuck = (await given.store.list('raw', { limit: 2 })).slice(0, 2);
    const store: ArtifactStore = {
      ...given.store,
      delete: (location) =>
        stuck.includes(location.key) ? Promise.reject(new Error('EPERM')) : given.store.delete(location),
    };
    const swept = await given.sweep({ store });
    expect([swept.strays, swept.failed, await lying(given)]).toEqual([3, 2, 2]);
    expect(given.warnings).toMatchObject([{ artifacts: 2 }]);
  });

  it('ART-7: one sweep looks at a bounded number of pages, and sweeps together at all of them', async () => {
    const given = openDatabase();
    const ids: string[] = [];
    for (let n = 0; n < 60; n++) {
      await given.writeThen('rollback');
      ids.push(await given.write());
    }
    await given.clock.advance(8 * day);
    let looks = 0;
    const listObjects: ArtifactStore['listObjects'] = async (...asked) => {
      looks++;
      return (await given.store.listObjects?.(...asked)) ?? [];
    };
    let sweeps = 0;
    for (; (await lying(given)) > ids.length; sweeps++) {
      looks = 0;
      await given.sweep({ store: { ...given.store, listObjects }, limit: 5 });
      expect(looks).toBeLessThanOrEqual(8);
      expect(sweeps).toBeLessThan(500);
    }
    expect(sweeps).toBeGreaterThan(2);
    for (const id of ids) expect(Buffer.from(await given.read(id))).toEqual(bytes);
  });

  it('ART-7: a store that cannot list its objects is swept as before', async () => {
    const given = openDatabase();
    const { listObjects: _, ...store } = given.store;
    expect(await given.sweep({ store })).toMatchObject({ failed: 0, strays: 0 });
  });

  it('ART-7: no committed artifact is removed while sweeps and writes race, and what was rolled back goes', async () => {
    const step = fc.oneof(
      fc.constantFrom('write', 'commit', 'rollback', 'sweep', 'sweep'),
      fc.integer({ min: 0, max: 2 * day }).map((ms) => ({ ms })),
    );
    let removed = 0;
    const count = ({ strays }: ArtifactSweep): void => {
      removed += strays;
    };
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 5, maxLength: 40 }),
        fc.infiniteStream(fc.nat(3)),
        async (steps, turns) => {
          const given = openDatabase();
          const pause = async (): Promise<void> => {
            for (let n = turns.next().value ?? 0; n > 0; n--) await new Promise((resolve) => setImmediate(resolve));
          };
          const slow: ArtifactStore = {
            ...given.store,
            listObjects: async (...asked) => {
              await pause();
              const page = (await given.store.listObjects?.(...asked)) ?? [];
              await pause();
              return page;
            },
          };
          const under: Promise<unknown>[] = [];
          const ids = new Set<string>();
          const keep = (id: string | undefined): void => void (id === undefined || ids.add(id));
          const orphanMs = 40 * day; // time leaps between a write and its publication here
          let passedMs = 0;
          for (const each of steps) {
            if (typeof each !== 'string') {
              if (passedMs + each.ms >= 29 * day) continue; // no expiry here
              passedMs += each.ms;
              await given.clock.advance(each.ms);
            } else if (each === 'sweep') under.push(given.sweep({ store: slow, limit: 3, orphanMs }).then(count));
            else if (each === 'write') under.push(given.write().then(keep));
            else under.push(given.writeThen(each, pause).then(keep));
          }
          await Promise.all(under);
          for (const id of ids) expect(Buffer.from(await given.read(id))).toEqual(bytes);
          await given.clock.advance(8 * day);
          if (passedMs + 8 * day < 30 * day) {
            await given.sweep({ limit: 100, orphanMs });
            expect(await lying(given)).toBe(ids.size);
          }
        },
      ),
      { numRuns: 60 },
    );
    expect(removed).toBeGreaterThan(0);
  });
});

async function* once(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}
