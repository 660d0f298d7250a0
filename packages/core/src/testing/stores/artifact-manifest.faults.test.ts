import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { convictions, type PlantedFault } from '../support/planted-fault.js';
import { describeArtifactManifestContract } from './artifact-manifest-contract.js';

const faults: readonly PlantedFault[] = [
  {
    name: 'a deletion that keeps the wrapped key',
    convictedBy: ['ART-2: markDeleted erases'],
    plant: ({ artifactManifest }, database) => ({
      artifactManifest: {
        markDeleted: async (ids, fence) => {
          const before = await artifactManifest.get(ids);
          const count = await artifactManifest.markDeleted(ids, fence);
          await database.write(undefined, ({ tables }) => {
            for (const row of before) {
              const held = row && tables.artifacts.get(row.id);
              if (row && held)
                tables.artifacts.put(row.id, { ...held, row: { ...held.row, wrappedKey: row.wrappedKey } });
            }
          });
          return count;
        },
      },
    }),
  },
  {
    name: 'a deletion by any sweeper',
    convictedBy: ['ART-7: only the sweeper that holds'],
    plant: ({ artifactManifest }, database) => ({
      artifactManifest: {
        markDeleted: async (ids) => {
          let count = 0;
          for (const id of ids) {
            const lease = await database.read(undefined, ({ tables }) => tables.artifacts.get(id)?.lease);
            if (lease) count += await artifactManifest.markDeleted([id], lease);
          }
          return count;
        },
      },
    }),
  },
  {
    name: 'a heartbeat that renews nothing',
    convictedBy: ['ART-7: a heartbeat keeps a row'],
    plant: () => ({ artifactManifest: { heartbeat: async (leases) => leases.map(() => 'renewed' as const) } }),
  },
  {
    name: 'publishing of an orphan that a sweeper holds',
    convictedBy: ['ART-7: an orphan in the hands', 'ART-7: what a sweeper has claimed'],
    plant: ({ artifactManifest }, database) => ({
      artifactManifest: {
        publish: async (ids, options) => {
          await database.write(options?.tx, ({ tables }) => {
            for (const id of ids) {
              const held = tables.artifacts.get(id);
              if (held) tables.artifacts.put(id, { ...held, lease: null });
            }
          });
          return artifactManifest.publish(ids, options);
        },
      },
    }),
  },
  {
    name: 'orphans that are never swept',
    convictedBy: ['ART-7: a sweep takes pending rows'],
    plant: ({ artifactManifest }) => ({
      artifactManifest: {
        claimExpired: async (request) => artifactManifest.claimExpired({ ...request, orphanMs: 1e12 }),
      },
    }),
  },
  {
    name: 'a ledger that gives out what is past its expiry',
    convictedBy: ['ART-1: a row says whether it is past its expiry'],
    plant: ({ artifactManifest }) => ({
      artifactManifest: {
        get: async (ids) =>
          (await artifactManifest.get(ids)).map((row) => (row === null ? null : { ...row, isExpired: false })),
      },
    }),
  },
  {
    name: 'a ledger that lists the same deletions again and again',
    convictedBy: ['ART-7: deletions that are not proven are listed page by page'],
    plant: ({ artifactManifest }) => {
      let calls = 0;
      return {
        artifactManifest: {
          listUnverified: async (limit, after) =>
            ++calls > 5 ? [] : artifactManifest.listUnverified(limit, calls > 2 ? undefined : after),
        },
      };
    },
  },
  {
    name: 'a ledger that knows no key of what it deleted',
    convictedBy: ['ART-7: findUnknown gives the keys that no row'],
    plant: ({ artifactManifest }, database) => ({
      artifactManifest: {
        findUnknown: async (namespace, objects, olderThanMs) => {
          const unknown = await artifactManifest.findUnknown(namespace, objects, olderThanMs);
          const gone = await database.read(undefined, ({ tables }) =>
            tables.artifacts.rows().flatMap(({ row }) => (row.status === 'deleted' ? [row.storageKey] : [])),
          );
          return [...unknown, ...objects.map(({ key }) => key).filter((key) => gone.includes(key))];
        },
      },
    }),
  },
  {
    name: 'a ledger that asks for a key in either namespace',
    convictedBy: ['ART-7: findUnknown gives the keys that no row'],
    plant: ({ artifactManifest }) => ({
      artifactManifest: {
        findUnknown: async (namespace, objects, olderThanMs) => {
          const other = await artifactManifest.findUnknown(
            namespace === 'raw' ? 'redacted' : 'raw',
            objects,
            olderThanMs,
          );
          return (await artifactManifest.findUnknown(namespace, objects, olderThanMs)).filter((key) =>
            other.includes(key),
          );
        },
      },
    }),
  },
  {
    name: 'a ledger that takes young objects for old ones',
    convictedBy: ['ART-7: findUnknown gives nothing that is not older'],
    plant: ({ artifactManifest }) => ({
      artifactManifest: {
        findUnknown: (namespace, objects) =>
          artifactManifest.findUnknown(
            namespace,
            objects.map(({ key }) => ({ key, writtenAt: new Date(0) })),
            0,
          ),
      },
    }),
  },
  {
    name: 'a ledger that answers for a part of a page',
    convictedBy: ['ART-7: a row that was rolled back names no key'],
    plant: ({ artifactManifest }) => ({
      artifactManifest: {
        findUnknown: (namespace, objects, olderThanMs) =>
          artifactManifest.findUnknown(namespace, objects.slice(0, 500), olderThanMs),
      },
    }),
  },
  {
    name: 'a tag that is empty',
    convictedBy: ['ART-7: the tag of its keys'],
    plant: () => ({ artifactManifest: { keyTag: async () => '' } }),
  },
  {
    name: 'a tag that all databases share',
    convictedBy: ['ART-7: the tag of its keys'],
    plant: () => ({ artifactManifest: { keyTag: async () => '0'.repeat(16) } }),
  },
  {
    name: 'a tag that is another in each transaction',
    convictedBy: ['ART-7: the tag of its keys'],
    plant: ({ artifactManifest }) => ({
      artifactManifest: {
        keyTag: async (options) =>
          options?.tx === undefined ? artifactManifest.keyTag() : randomBytes(8).toString('hex'),
      },
    }),
  },
];

describe('the artifact manifest contract convicts', () => {
  for (const fault of faults) {
    it(fault.name, async () => {
      const convicted = await convictions(describeArtifactManifestContract, fault, fault.convictedBy);
      for (const title of fault.convictedBy) expect(convicted.filter((name) => name.startsWith(title))).not.toEqual([]);
    });
  }

  it('no honest store', async () => {
    expect(await convictions(describeArtifactManifestContract, { plant: () => ({}) })).toEqual([]);
  });
});
