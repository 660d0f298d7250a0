import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { systemRandom as random } from '../foundation/time/system-random.js';
import { createMemoryStores } from '../memory/memory-stores.js';
import { createManualClock } from '../testing/support/manual-clock.js';
import { createMemoryArtifactStore } from './memory-artifact-store.js';
import { type ArtifactSweepOptions, sweepArtifacts } from './sweep-artifacts.js';

/** An expired artifact, and a store whose deletion waits until `goOn` is called. */
async function setUp() {
  const clock = createManualClock();
  const { artifactManifest: manifest, changes } = createMemoryStores({ clock });
  const store = createMemoryArtifactStore({ clock });
  const id = randomUUID();
  const about = {
    purpose: 'change',
    contentType: 'text/plain',
    changelistId: 'main/7',
    jobId: null,
    redaction: null,
  } as const;
  const stored = { kekId: 'k', wrappedKey: 'w', bytes: 1, digest: '0'.repeat(64), ttlMs: 1_000 };
  await manifest.reserve([
    { ...about, ...stored, id, namespace: 'raw', storageKey: `${id.replaceAll('-', '')}${'0'.repeat(32)}` },
  ]);
  await clock.advance(1_000);
  let goOn: () => void = () => undefined;
  let began: () => void = () => undefined;
  const begun = new Promise<void>((resolve) => (began = resolve));
  const slow: typeof store = {
    ...store,
    async delete(location) {
      began();
      await new Promise<void>((resolve) => (goOn = resolve));
      await store.delete(location);
    },
  };
  return { clock, manifest, changes, store, slow, id, begun, goOn: () => goOn() };
}

describe('sweepArtifacts', () => {
  it('ART-7: a sweeper that lost its row to another marks nothing, and the other deletes it', async () => {
    const t = await setUp();
    const first = sweepArtifacts({ store: t.slow, manifest: t.manifest, random });
    await t.begun;
    await t.clock.advance(60_000);
    expect(await sweepArtifacts({ store: t.store, manifest: t.manifest, random })).toMatchObject({ deleted: 1 });
    t.goOn();
    expect(await first).toMatchObject({ deleted: 0, failed: 1 });
    expect((await t.manifest.get([t.id]))[0]).toMatchObject({ status: 'deleted', wrappedKey: '' });
  });

  it('ART-7 EGR-5: what came under a legal hold after the claim keeps its bytes, and is no failure', async () => {
    const t = await setUp();
    const deletions: string[] = [];
    const store: typeof t.store = {
      ...t.store,
      async delete(location) {
        deletions.push(location.key);
        await t.store.delete(location);
      },
    };
    const claimExpired: typeof t.manifest.claimExpired = async (request) => {
      const rows = await t.manifest.claimExpired(request);
      await t.changes.setHold('main/7', true);
      return rows;
    };
    const swept = await sweepArtifacts({ store, manifest: { ...t.manifest, claimExpired }, random });
    expect([swept, deletions]).toMatchObject([{ deleted: 0, failed: 0, unverified: 0 }, []]);
    expect((await t.manifest.get([t.id]))[0]).toMatchObject({ status: 'pending', wrappedKey: 'w', isExpired: false });
    await t.changes.setHold('main/7', false);
    await t.clock.advance(60_000);
    expect(await sweepArtifacts({ store, manifest: t.manifest, random })).toMatchObject({ deleted: 1 });
  });

  it('ART-7: an aborted sweep claims nothing more and leaves its row to the next', async () => {
    const t = await setUp();
    const stopped = new AbortController();
    const sweep = sweepArtifacts({ store: t.slow, manifest: t.manifest, random, signal: stopped.signal });
    await t.begun;
    stopped.abort(new Error('stopping'));
    t.goOn();
    expect(await sweep).toMatchObject({ deleted: 0 });
    await t.clock.advance(60_000);
    expect(await sweepArtifacts({ store: t.store, manifest: t.manifest, random })).toMatchObject({ deleted: 1 });
  });

  const isStray = ({ key }: { key: string }): boolean => key.startsWith('a'.repeat(48));
  const never = <T>(): Promise<T> => new Promise<T>(() => undefined);
  const calls: readonly [string, (t: Awaited<ReturnType<typeof setUp>>) => Partial<ArtifactSweepOptions>, object][] = [
    ['exists', ({ store }) => ({ store: { ...store, exists: never } }), { unverified: 1 }],
    ['removeLeftovers', ({ store }) => ({ store: { ...store, removeLeftovers: never } }), { failed: 1, leftovers: 0 }],
    ['listObjects', ({ store }) => ({ store: { ...store, listObjects: never } }), { failed: 1, strays: 0 }],
    ['findUnknown', ({ manifest }) => ({ manifest: { ...manifest, findUnknown: never } }), { failed: 1, strays: 0 }],
    [
      'delete',
      ({ store }) => ({ store: { ...store, delete: (at) => (isStray(at) ? never() : store.delete(at)) } }),
      { deleted: 1, failed: 1, strays: 0 },
    ],
  ];
  it.each(calls)(
    'ART-7: where %s never answers, it loses its turn, and the sweep ends',
    async (_, silent, expected) => {
      const t = await setUp();
      async function* body(): AsyncGenerator<Uint8Array> {
        yield Buffer.from('x');
      }
      await t.store.put({ namespace: 'raw', key: `${'a'.repeat(48)}${await t.manifest.keyTag()}` }, body());
      await t.clock.advance(30 * 86_400_000);
      const swept = await sweepArtifacts({
        store: t.store,
        manifest: t.manifest,
        random,
        clock: t.clock,
        callMs: 20,
        ...silent(t),
      });
      expect(swept).toMatchObject(expected);
    },
    5_000, // a sweep that waits for ever fails soon
  );
});
