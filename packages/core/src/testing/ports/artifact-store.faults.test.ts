import { describe, expect, it } from 'vitest';
import type { ArtifactStore } from '../../artifacts/artifact-store.js';
import { createMemoryArtifactStore } from '../../artifacts/memory-artifact-store.js';
import { CriticizerError } from '../../foundation/errors.js';
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

  it('an outage of the storage that spends attempts, and a failure of the body that is passed off as one', async () => {
    let isOut = false;
    const broken = (parks: boolean) =>
      new CriticizerError('ARTIFACT_STORE_UNAVAILABLE', 'out', { category: 'upstream', parks });
    const convict = async (parks: boolean, wrapsAll: boolean) => {
      const create = async () => {
        isOut = false;
        const store = createMemoryArtifactStore();
        const put: ArtifactStore['put'] = async (...about) => {
          if (isOut) throw broken(parks);
          await store.put(...about).catch((error: unknown) => {
            throw wrapsAll && (error as { code?: unknown }).code === 'E_SOURCE' ? broken(true) : error;
          });
        };
        const breakStorage = async (): Promise<void> => {
          isOut = true;
        };
        return { store: { ...store, put }, breakStorage, dispose: async () => undefined };
      };
      const failed = await failedCases(collectCases(describeArtifactStoreContract, { create }));
      return failed.map(({ name }) => name.split(' > ').at(-1));
    };
    expect(await convict(true, false)).toEqual([]);
    expect(await convict(false, false)).toEqual([expect.stringMatching(/^INT-4: storage that is out parks/)]);
    expect(await convict(true, true)).toEqual([expect.stringMatching(/^a body that fails is its own failure/)]);
  });

  it('no honest store', async () => {
    expect(await convictions(() => ({}))).toEqual([]);
  });
});
