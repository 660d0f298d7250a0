import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { systemRandom } from '../foundation/time/system-random.js';
import { createMemoryStores } from '../memory/memory-stores.js';
import { Secret } from '../secrets/secret.js';
import type { SecretSource, SecretVersion } from '../secrets/secret-source.js';
import { describeArtifactStoreContract } from '../testing/ports/artifact-store-contract.js';
import { describeKeyProviderContract } from '../testing/ports/key-provider-contract.js';
import { createFileArtifactStore } from './file-artifact-store.js';
import { createLocalKeyRing } from './local-key-ring.js';
import { createMemoryArtifactStore } from './memory-artifact-store.js';
import { sweepArtifacts } from './sweep-artifacts.js';

describe('memory artifact store', () => {
  describeArtifactStoreContract(
    { describe, it },
    { create: async () => ({ store: createMemoryArtifactStore(), dispose: async () => undefined }) },
  );
});

const folder = () => mkdtemp(join(tmpdir(), 'criticizer-artifacts-'));

describe('file artifact store', () => {
  describeArtifactStoreContract(
    { describe, it },
    {
      async create() {
        const directory = await folder();
        return {
          store: createFileArtifactStore({ directory }),
          async breakStorage() {
            await rm(directory, { recursive: true });
            await writeFile(directory, 'a file where the folder was');
          },
          dispose: () => rm(directory, { recursive: true, force: true }),
        };
      },
    },
  );

  it('ART-3: files are for their owner alone, and nothing half written stays', async () => {
    const directory = await folder();
    const store = createFileArtifactStore({ directory });
    const key = 'ab'.repeat(16);
    await store.put(
      { namespace: 'raw', key },
      (async function* () {
        yield Buffer.from('x');
      })(),
    );
    expect((await stat(join(directory, 'raw', 'ab', key))).mode & 0o777).toBe(0o600);
    expect((await stat(join(directory, 'raw', 'ab'))).mode & 0o777).toBe(0o700);
    expect(await readdir(join(directory, 'raw', 'ab'))).toEqual([key]);
    await rm(directory, { recursive: true });
  });

  it('INT-4: says ARTIFACT_STORE_UNAVAILABLE, which parks, when the folder cannot be used', async () => {
    const directory = await folder();
    await writeFile(join(directory, 'raw'), 'a file where a folder should be');
    const store = createFileArtifactStore({ directory });
    const put = store.put(
      { namespace: 'raw', key: 'ab'.repeat(16) },
      (async function* () {
        yield Buffer.from('x');
      })(),
    );
    await expect(put).rejects.toMatchObject({ code: 'ARTIFACT_STORE_UNAVAILABLE', category: 'upstream', parks: true });
    await rm(directory, { recursive: true });
  });

  it('ART-7: a sweep removes what killed writers left once it is a day old, and nothing younger', async () => {
    const directory = await folder();
    const store = createFileArtifactStore({ directory });
    const whole = 'ab'.repeat(16);
    await store.put(
      { namespace: 'raw', key: whole },
      (async function* () {
        yield Buffer.from('x');
      })(),
    );
    const [old, young] = ['old', 'young'].map((name) => join(directory, 'raw', 'ab', `${whole}.${name}.partial`)) as [
      string,
      string,
    ];
    for (const file of [old, young]) await writeFile(file, 'half');
    const twoDaysAgo = new Date(Date.now() - 2 * 86_400_000);
    for (const file of [old, join(directory, 'raw', 'ab', whole)]) await utimes(file, twoDaysAgo, twoDaysAgo);
    expect(await store.list('raw', { limit: 10 })).toEqual([whole]);
    const manifest = createMemoryStores().artifactManifest;
    const sweep = await sweepArtifacts({ store, manifest, random: systemRandom });
    expect(sweep.leftovers).toBe(1);
    expect((await readdir(join(directory, 'raw', 'ab'))).sort()).toEqual([whole, `${whole}.young.partial`]);
    await rm(directory, { recursive: true });
  });

  it('ART-7: lists as objects whole files of its own alone, and says when a folder cannot be read', async () => {
    const directory = await folder();
    const store = createFileArtifactStore({ directory });
    expect(await store.listObjects?.('raw', { limit: 9 })).toEqual([]);
    const key = 'ab'.repeat(32);
    await store.put(
      { namespace: 'raw', key },
      (async function* () {
        yield Buffer.from('x');
      })(),
    );
    const part = join(directory, 'raw', 'ab');
    for (const name of [`${key}.1.partial`, '.nfs0001', 'README']) await writeFile(join(part, name), 'x');
    await mkdir(join(part, 'cd'.repeat(32)));
    expect((await store.listObjects?.('raw', { limit: 9 }))?.map((object) => object.key)).toEqual([key]);
    await writeFile(join(directory, 'redacted'), 'a file where a folder should be');
    await expect(store.listObjects?.('redacted', { limit: 9 })).rejects.toMatchObject({
      code: 'ARTIFACT_STORE_UNAVAILABLE',
    });
    await rm(directory, { recursive: true });
  });

  it('wants an absolute folder', () => {
    expect(() => createFileArtifactStore({ directory: 'relative' })).toThrow(TypeError);
  });
});

describe('local key ring', () => {
  const version = (): SecretVersion => ({
    secret: new Secret(randomBytes(32).toString('base64')),
    version: randomBytes(4).toString('hex'),
  });
  describeKeyProviderContract(
    { describe, it },
    {
      async create() {
        let current = version();
        let previous: SecretVersion | undefined;
        const source: SecretSource = { contract: 1, read: async () => ({ current, previous }) };
        return {
          keys: createLocalKeyRing({ source, name: 'ARTIFACT_KEY' }),
          async rotate() {
            previous = current;
            current = version();
          },
          async forget() {
            previous = undefined;
          },
          dispose: async () => undefined,
        };
      },
    },
  );

  it('refuses a key of the wrong length with KEY_INVALID', async () => {
    const short: SecretSource = {
      contract: 1,
      read: async () => ({ current: { secret: new Secret('c2hvcnQ='), version: '1' } }),
    };
    const wrap = createLocalKeyRing({ source: short, name: 'K' }).wrap(randomBytes(32), {
      artifactId: 'a',
      namespace: 'raw',
    });
    await expect(wrap).rejects.toMatchObject({ code: 'KEY_INVALID' });
  });
});
