import { describe, expect, it } from 'vitest';
import type { ContextReader, ContextSession } from '../../../changes/context-reader.js';
import { createMemoryContextReader } from '../../../changes/memory-context-reader.js';
import { collectCases, failedCases } from '../../support/collecting-runner.js';
import { contextSample } from '../../support/context-sample.js';
import { describeContextReaderContract } from './context-reader-contract.js';

const { files, ...sample } = contextSample;
const honest = createMemoryContextReader({ serverId: 'main', files, isDenied: (path) => path === sample.denied });
/** Reads and finds what it may not, and has no roots of its own. */
const careless = createMemoryContextReader({ serverId: 'main', files });

/** The suite's verdict on a reader whose sessions have a fault. */
async function convictions(
  plant: (session: ContextSession, request: Parameters<ContextReader['open']>[1]) => Partial<ContextSession>,
  reader = honest,
): Promise<string[]> {
  const faulty: ContextReader = {
    ...reader,
    open: (change, request) => {
      const session = reader.open(change, request);
      return { ...session, ...plant(session, request) };
    },
  };
  const harness = { create: async () => ({ ...sample, reader: faulty, dispose: async () => undefined }) };
  const failed = await failedCases(collectCases(describeContextReaderContract, harness));
  return failed.map(({ name }) => name.split(' > ').at(-1) ?? name);
}

describe('the context reader contract convicts', () => {
  it.each<[string, Parameters<typeof convictions>[0], RegExp]>([
    [
      'a text that is cut',
      ({ read }) => ({
        read: async (path) => {
          const one = await read(path);
          return one.kind === 'text' ? { ...one, text: one.text.slice(0, 4) } : one;
        },
      }),
      /reads whole texts/,
    ],
    [
      'the old side of a file of the change',
      ({ read }) => ({
        read: async (path) => {
          const one = await read(path);
          return path === sample.changed && one.kind === 'text' ? { ...one, text: 'int before;\n' } : one;
        },
      }),
      /gives the new side/,
    ],
    [
      'a binary file as text',
      () => ({ read: async (path) => ({ kind: 'text', path, revision: 1, text: '' }) }),
      /says why a file gives no text/,
    ],
    [
      'lines outside the folder that was asked for',
      ({ search }) => ({ search: (words) => search(words) }),
      /neither reads, finds nor searches/,
    ],
    [
      'lines numbered from 0',
      ({ search }) => ({
        search: async (...about) => (await search(...about)).map((hit) => ({ ...hit, line: hit.line - 1 })),
      }),
      /searches whole words/,
    ],
    [
      'lines that hold the word as a part of another',
      ({ search }) => ({
        search: async (...about) =>
          (await search(...about)).map((hit) => ({ ...hit, text: hit.text.replace(sample.word, `${sample.word}s`) })),
      }),
      /searches whole words/,
    ],
    [
      'files of the change among those found',
      ({ find }) => ({ find: async (names) => [...(await find(names)), sample.changed].sort() }),
      /finds files by name/,
    ],
    ['limits that are passed over in silence', () => ({ shortfalls: () => [] }), /keeps to its limits/],
    [
      'a search that goes on after the signal',
      ({ search }, { signal }) => ({
        search: async (...about) => (signal.aborted ? [] : search(...about)),
      }),
      /stops at once/,
    ],
  ])('%s', async (_name, plant, expected) => {
    expect(await convictions(plant)).toContainEqual(expect.stringMatching(expected));
  });

  it('a reader that reads, finds and searches a denied file', async () => {
    const hides = (path: string): boolean => path !== sample.denied;
    const found = await Promise.all([
      convictions(
        ({ find, search }) => ({
          find: async (names) => (await find(names)).filter(hides),
          search: async (...about) => (await search(...about)).filter((hit) => hides(hit.path)),
        }),
        careless,
      ),
      convictions(
        ({ read, search }) => ({
          read: async (path) => (path === sample.denied ? { kind: 'none', reason: 'denied' } : read(path)),
          search: async (...about) => (await search(...about)).filter((hit) => hides(hit.path)),
        }),
        careless,
      ),
      convictions(
        ({ read, find }) => ({
          read: async (path) => (path === sample.denied ? { kind: 'none', reason: 'denied' } : read(path)),
          find: async (names) => (await find(names)).filter(hides),
        }),
        careless,
      ),
    ]);
    for (const failed of found) expect(failed).toContainEqual(expect.stringMatching(/neither reads, finds nor/));
  });

  it('no honest reader', async () => {
    expect(await convictions(() => ({}))).toEqual([]);
  });
});
