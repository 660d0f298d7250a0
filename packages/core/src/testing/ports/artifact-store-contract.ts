import assert from 'node:assert/strict';
import type { ArtifactStore } from '../../artifacts/artifact-store.js';
import { isCriticizerError } from '../../foundation/errors.js';
import { type CaseOn, contractCases } from '../support/contract-cases.js';
import type { Runner } from '../support/runner.js';

/** Makes an empty artifact store for each case. */
export interface ArtifactStoreHarness {
  /**
   * An empty store, fresh for each case. `breakStorage`, where the harness can, takes its storage
   * away, as a full disk or an outage does; until `dispose` nothing can be put or got.
   */
  create(): Promise<{ store: ArtifactStore; breakStorage?(): Promise<void>; dispose(): Promise<void> }>;
}

const keyOf = (n: number): string => n.toString(16).padStart(32, 'a');

async function* body(...parts: string[]): AsyncGenerator<Uint8Array> {
  for (const part of parts) yield Buffer.from(part, 'utf8');
}

async function textOf(found: AsyncIterable<Uint8Array> | null): Promise<string | null> {
  if (found === null) return null;
  const parts: Uint8Array[] = [];
  for await (const part of found) parts.push(part);
  return Buffer.concat(parts).toString('utf8');
}

/** Waits for the storage to come back, and spends no attempt. */
const isParked = (error: unknown): boolean => isCriticizerError(error) && error.parks === true;

/** What a store that lists its objects must do; the cases of one that does not pass. */
function listsObjects(it: CaseOn<{ store: ArtifactStore }>): void {
  it('ART-7: listObjects gives what list gives, in both namespaces, and fewer than its limit only at the end', async ({
    store,
  }) => {
    if (store.listObjects === undefined) return;
    const keys = [5, 300, 1, 70_000, 12].map((n) => keyOf(n * 7_919)).sort();
    for (const key of [...keys].reverse()) await store.put({ namespace: 'redacted', key }, body('x'));
    await store.put({ namespace: 'raw', key: keyOf(1) }, body('x'));
    const seen: string[] = [];
    for (let after: string | undefined, isEnd = false; !isEnd; ) {
      const page = await store.listObjects('redacted', { after, limit: 2 });
      seen.push(...page.map(({ key }) => key));
      assert.ok(page.length <= 2);
      assert.ok(seen.length <= keys.length, `more objects than the ${keys.length} that were put`);
      after = page.at(-1)?.key;
      isEnd = page.length < 2;
    }
    assert.deepEqual(seen, keys);
    assert.equal((await store.listObjects('raw', { limit: 9 })).length, 1);
  });

  it('ART-7: listObjects says when each was written, and shows nothing of a put under way', async ({ store }) => {
    if (store.listObjects === undefined) return;
    const lists: (readonly unknown[] | undefined)[] = [];
    async function* watching(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('half', 'utf8');
      lists.push(await store.listObjects?.('raw', { limit: 9 }));
    }
    await store.put({ namespace: 'raw', key: keyOf(1) }, watching());
    assert.deepEqual(lists, [[]]);
    const [found] = await store.listObjects('raw', { limit: 9 });
    const offMs = Math.abs(Date.now() - (found?.writtenAt.getTime() ?? Number.NaN));
    assert.ok(offMs < 86_400_000, `expected an instant within a day of this clock, got ${String(found?.writtenAt)}`);
    await store.delete({ namespace: 'raw', key: keyOf(1) });
    assert.deepEqual(await store.listObjects('raw', { limit: 9 }), []);
  });
}

/** What every ArtifactStore must do. */
export function describeArtifactStoreContract(runner: Runner, harness: ArtifactStoreHarness): void {
  const it = contractCases(runner, harness);

  runner.describe('ArtifactStore contract', () => {
    it('gives back exactly the bytes that were put, however they were split, empty ones too', async ({ store }) => {
      await store.put({ namespace: 'raw', key: keyOf(1) }, body('one ', '', 'two'));
      await store.put({ namespace: 'raw', key: keyOf(2) }, body());
      const big = 'x'.repeat(300_000);
      await store.put({ namespace: 'raw', key: keyOf(3) }, body(big));
      assert.equal(await textOf(await store.get({ namespace: 'raw', key: keyOf(1) })), 'one two');
      assert.equal(await textOf(await store.get({ namespace: 'raw', key: keyOf(2) })), '');
      assert.equal(await textOf(await store.get({ namespace: 'raw', key: keyOf(3) })), big);
    });

    it('ART-5: the same key in the other namespace is another artifact', async ({ store }) => {
      await store.put({ namespace: 'raw', key: keyOf(1) }, body('raw'));
      assert.equal(await store.get({ namespace: 'redacted', key: keyOf(1) }), null);
      await store.put({ namespace: 'redacted', key: keyOf(1) }, body('redacted'));
      await store.delete({ namespace: 'redacted', key: keyOf(1) });
      assert.equal(await textOf(await store.get({ namespace: 'raw', key: keyOf(1) })), 'raw');
    });

    it('is written once: a second put throws ARTIFACT_EXISTS and changes nothing', async ({ store }) => {
      await store.put({ namespace: 'raw', key: keyOf(1) }, body('first'));
      await assert.rejects(
        store.put({ namespace: 'raw', key: keyOf(1) }, body('second')),
        (error) => isCriticizerError(error) && error.code === 'ARTIFACT_EXISTS',
      );
      assert.equal(await textOf(await store.get({ namespace: 'raw', key: keyOf(1) })), 'first');
    });

    it('shows nothing of a put that failed half way', async ({ store }) => {
      async function* failing(): AsyncGenerator<Uint8Array> {
        yield Buffer.from('half', 'utf8');
        throw new RangeError('source failed');
      }
      await assert.rejects(store.put({ namespace: 'raw', key: keyOf(1) }, failing()), RangeError);
      assert.equal(await store.get({ namespace: 'raw', key: keyOf(1) }), null);
      assert.equal(await store.exists({ namespace: 'raw', key: keyOf(1) }), false);
      assert.deepEqual(await store.list('raw', { limit: 10 }), []);
    });

    it('shows nothing before a put is complete', async ({ store }) => {
      let seen: boolean | undefined;
      async function* watching(): AsyncGenerator<Uint8Array> {
        yield Buffer.from('half', 'utf8');
        seen = await store.exists({ namespace: 'raw', key: keyOf(1) });
      }
      await store.put({ namespace: 'raw', key: keyOf(1) }, watching());
      assert.equal(seen, false);
      assert.equal(await store.exists({ namespace: 'raw', key: keyOf(1) }), true);
    });

    it('ART-7: what was deleted is gone, and deleting nothing is fine', async ({ store }) => {
      await store.put({ namespace: 'raw', key: keyOf(1) }, body('x'));
      await store.delete({ namespace: 'raw', key: keyOf(1) });
      await store.delete({ namespace: 'raw', key: keyOf(1) });
      assert.equal(await store.exists({ namespace: 'raw', key: keyOf(1) }), false);
      assert.equal(await store.get({ namespace: 'raw', key: keyOf(1) }), null);
    });

    it('ART-7: lists every key once, in byte order, page by page', async ({ store }) => {
      const keys = [5, 300, 1, 70_000, 12].map((n) => keyOf(n * 7_919)).sort();
      for (const key of [...keys].reverse()) await store.put({ namespace: 'redacted', key }, body('x'));
      await store.put({ namespace: 'raw', key: keyOf(1) }, body('x'));
      const seen: string[] = [];
      for (let after: string | undefined; ; ) {
        const page = await store.list('redacted', { after, limit: 2 });
        assert.ok(page.length <= 2);
        seen.push(...page);
        after = page.at(-1);
        if (after === undefined) break;
      }
      assert.deepEqual(seen, keys);
    });

    listsObjects(it);

    it('INT-4: storage that is out parks: no attempt of a job is to blame', async ({ store, breakStorage }) => {
      if (breakStorage === undefined) return;
      await breakStorage();
      await assert.rejects(store.put({ namespace: 'raw', key: keyOf(1) }, body('x')), isParked);
    });

    it('a body that fails is its own failure, whatever code it has', async ({ store }) => {
      const failure = Object.assign(new Error('source failed'), { code: 'E_SOURCE' });
      async function* failing(): AsyncGenerator<Uint8Array> {
        yield Buffer.from('half', 'utf8');
        throw failure;
      }
      await assert.rejects(store.put({ namespace: 'raw', key: keyOf(1) }, failing()), (error) => error === failure);
    });

    it('refuses keys and namespaces that could reach elsewhere', async ({ store }) => {
      for (const key of [
        '../../etc/passwd',
        '',
        'short',
        `${keyOf(1)}/x`,
        `${keyOf(1).slice(1)}\0`,
        keyOf(1).toUpperCase(),
      ])
        await assert.rejects(async () => store.get({ namespace: 'raw', key }), TypeError);
      await assert.rejects(async () => store.get({ namespace: '..' as 'raw', key: keyOf(1) }), TypeError);
    });
  });
}
