import { describe, expect, it } from 'vitest';
import type { ArtifactStore } from '../src/artifacts/artifact-store.js';
import { createMemoryStores } from '../src/memory/memory-stores.js';
import { change, harness, sharedArtifacts } from './criticizer-harness.js';
import { createModel, one } from './shelf-harness.js';

const namespace = 'redacted' as const;

const damages: Readonly<Record<string, (store: ArtifactStore, key: string) => Promise<void>>> = {
  async 'is gone'(store, key) {
    await store.delete({ namespace, key });
  },
  async 'was tampered with'(store, key) {
    const parts: Uint8Array[] = [];
    for await (const part of (await store.get({ namespace, key })) ?? []) parts.push(part);
    const bytes = Buffer.concat(parts);
    bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1;
    await store.delete({ namespace, key });
    await store.put(
      { namespace, key },
      (async function* () {
        yield bytes;
      })(),
    );
  },
};

describe('a review whose earlier one cannot be read', () => {
  it.each([
    ['is gone', 'ARTIFACT_MISSING'],
    ['was tampered with', 'ARTIFACT_TAMPERED'],
  ] as const)(
    'GRD-6 GRD-1: one that %s costs a whole reading and one line of the log, and nothing else',
    async (damage, errorCode) => {
      const kept = { stores: createMemoryStores(), artifacts: sharedArtifacts() };
      const lines: object[] = [];
      const note = (fields: object): void => void lines.push(fields);
      const logger = { debug() {}, info() {}, error: note, warn: note };
      const at = async (version: number) => {
        const { provider, sent } = createModel();
        const t = harness({
          change: change({ files: [one], kind: 'shelved' }),
          more: { ...kept, llm: provider, logger },
        });
        const review = await t.criticizer.review(await t.run(version));
        await t.criticizer.stop();
        return { review, ...sent };
      };
      const first = await at(1);
      const { store } = kept.artifacts;
      for (const key of await store.list(namespace, { limit: 100 })) await damages[damage]?.(store, key);
      const second = await at(2);
      expect([first.reviews.length, second.reviews.length]).toEqual([1, 1]);
      expect(second.review?.findings).toMatchObject([{ title: 'Bug 1', state: 'new', since: 2 }]);
      expect(second.review?.history).toBeNull();
      const lost = lines.filter((fields) => 'event' in fields && fields.event === 'review.history_lost');
      expect(lost).toMatchObject([{ earlierVersion: 1, errorCode }]);
      // The next version compares with this one, as if nothing had been lost.
      const third = await at(3);
      expect(third.reviews).toEqual([]);
      expect(third.review?.findings).toMatchObject([{ state: 'open', since: 2 }]);
    },
  );
});
