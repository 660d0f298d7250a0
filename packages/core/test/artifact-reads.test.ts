import { describe, expect, it } from 'vitest';
import type { ArtifactStore } from '../src/artifacts/artifact-store.js';
import { CriticizerError } from '../src/foundation/errors.js';
import { createMemoryStores } from '../src/memory/memory-stores.js';
import { change, file, finding, harness, reply, sharedArtifacts } from './criticizer-harness.js';

/** Artifact parts that count: keys written and keys read, in order. */
function countingArtifacts() {
  const { store, keys } = sharedArtifacts();
  const written: string[] = [];
  const read: string[] = [];
  const counting: ArtifactStore = {
    ...store,
    async put(location, bytes) {
      written.push(location.key);
      return store.put(location, bytes);
    },
    async get(location) {
      read.push(location.key);
      return store.get(location);
    },
  };
  return { artifacts: { store: counting, keys }, written, read };
}

/** A path that the model must not see, so that true paths are needed again. */
const hidden = file(`//depot/${['secret', 'abcdefgh'].join('-')}/a.ts`, ['const a = 1;']);

/** A finding in a file that the change has, so that no reply needs a repair. */
const script = (path: string) => [reply([finding({ file: path })])];

/** Names of the outputs whose bytes were read; `mail` for a message. */
async function namesOf(keys: readonly string[], t: ReturnType<typeof harness>, jobId: string): Promise<string[]> {
  const outputs = (await t.criticizer.status(jobId))?.job.outputs ?? {};
  const names = new Map<string, string>();
  for (const [name, id] of Object.entries(outputs)) {
    const [row] = await t.stores.artifactManifest.get([id]);
    if (row !== null && row !== undefined) names.set(row.storageKey, name.replace(/^llm\.reply\..*/, 'llm.reply'));
  }
  return keys.map((key) => names.get(key) ?? 'mail').sort();
}

describe('artifacts that a review reads', () => {
  it.each([
    ['', change(), '//depot/a.ts'],
    [' with a hidden path', change({ files: [hidden] }), '//depot/@alias-1/a.ts'],
  ])(
    'a review%s in one run reads back nothing that it wrote but the mail that is sent',
    async (_name, reviewed, path) => {
      const { artifacts, written, read } = countingArtifacts();
      const t = harness({ change: reviewed, script: script(path), more: { artifacts } });
      const id = await t.run();
      await t.criticizer.stop();
      expect(await namesOf(written, t, id)).toEqual([
        'fetch.files',
        'fetch.redacted',
        'fetch.summary',
        'llm.reply',
        'llm.review',
        'mail',
      ]);
      expect(await namesOf(read, t, id)).toEqual(['mail']);
    },
  );

  it.each([
    ['', change(), '//depot/a.ts'],
    [' with a hidden path', change({ files: [hidden] }), '//depot/@alias-1/a.ts'],
  ])(
    'a review%s that another process goes on with reads each once, and never the files',
    async (_name, reviewed, path) => {
      const stores = createMemoryStores();
      const { artifacts, read } = countingArtifacts();
      const first = harness({
        change: reviewed,
        script: [new CriticizerError('LLM_DOWN', 'x', { category: 'auth', parks: true })],
        more: { stores, artifacts, settings: { retry: { parkMs: 100 } } },
      });
      const { job } = await first.criticizer.submit({ serverId: 'main', number: 7, reviewVersion: 1 });
      await first.criticizer.start();
      await first.seen((e) => e.type === 'stage.ended' && e.stage === 'llm');
      await first.criticizer.stop();
      read.length = 0;
      const second = harness({ change: reviewed, script: script(path), more: { stores, artifacts } });
      await second.criticizer.start();
      await second.seen((e) => e.type === 'stage.ended' && e.outcome === 'done');
      await second.criticizer.stop();
      expect(await namesOf(read, second, job.id)).toEqual(['fetch.redacted', 'fetch.summary', 'mail']);
    },
  );
});
