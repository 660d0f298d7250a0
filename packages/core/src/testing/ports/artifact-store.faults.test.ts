import { describe, expect, it } from 'vitest';
import type { ArtifactStore } from '../../artifacts/artifact-store.js';
import { createMemoryArtifactStore } from '../../artifacts/memory-artifact-store.js';
import { collectCases, failedCases } from '../support/collecting-runner.js';
import { describeArtifactStoreContract } from './artifact-store-contract.js';

type ListObjects = NonNullable<ArtifactStore['listObjects']>;

async function convictions(
  plant: (honest: ListObjects, store: ArtifactStore) => Partial<ArtifactStore>,
): Promise<string[]> {
  const create = async () => {
    const store = createMemoryArtifactStore();
    const honest: ListObjects = async (...about) => (await store.listObjects?.(...about)) ?? [];
    return { store: { ...store, ...plant(honest, store) }, dispose: async () => undefined };
  };
  return (await failedCases(collectCases(describeArtifactStoreContract, { create }))).map(
    ({ name }) => name.split(' > ').at(-1) ?? name,
  );
}

const lists = expect.stringMatching(/^ART-7: listObjects gives what list gives/);
const dates = expect.stringMatching(/^ART-7: listObjects says when/);

describe('the artifact store contract convicts', () => {
  it.each<[string, (honest: ListObjects, store: ArtifactStore) => Partial<ArtifactStore>, unknown[]]>([
    [
      'a list that begins anew each time',
      (honest) => ({ listObjects: (space, { limit }) => honest(space, { limit }) }),
      [lists],
    ],
    [
      'a list of either namespace',
      (honest) => ({ listObjects: (_, about) => honest('redacted', about) }),
      [lists, dates],
    ],
    [
      'a page that is short before the end',
      (honest) => ({ listObjects: (space, about) => honest(space, { ...about, limit: 1 }) }),
      [lists],
    ],
    [
      'objects that look as old as time',
      (honest) => ({
        listObjects: async (...about) => (await honest(...about)).map(({ key }) => ({ key, writtenAt: new Date(0) })),
      }),
      [dates],
    ],
    [
      'a date that is none',
      (honest) => ({
        listObjects: async (...about) =>
          (await honest(...about)).map(({ key }) => ({ key, writtenAt: new Date(Number.NaN) })),
      }),
      [dates],
    ],
    [
      'what is not whole yet',
      (honest, { put }) => {
        const begun: string[] = [];
        return {
          put: (location, body, options) => {
            begun.push(location.key);
            return put(location, body, options).finally(() => begun.splice(begun.indexOf(location.key), 1));
          },
          listObjects: async (...about) => [
            ...begun.map((key) => ({ key, writtenAt: new Date() })),
            ...(await honest(...about)),
          ],
        };
      },
      [dates],
    ],
  ])('%s', async (_, plant, expected) => {
    expect(await convictions(plant)).toEqual(expected);
  });

  it('no honest store', async () => {
    expect(await convictions(() => ({}))).toEqual([]);
  });
});
