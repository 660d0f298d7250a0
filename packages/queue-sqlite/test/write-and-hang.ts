// A host process that writes an artifact in its own transaction and then does nothing until it is killed.
import { randomBytes } from 'node:crypto';
import { Secret, systemRandom } from '@criticizer/core';
import { createArtifacts, createFileArtifactStore, createLocalKeyRing } from '@criticizer/core/artifacts';
import { createSqliteStores } from '../src/sqlite-stores.js';

const [file = '', directory = ''] = process.argv.slice(2);
const stores = createSqliteStores({ file });
const secret = new Secret(randomBytes(32).toString('base64'));
const day = 86_400_000;
const artifacts = createArtifacts({
  store: createFileArtifactStore({ directory }),
  manifest: stores.artifactManifest,
  keys: createLocalKeyRing({
    source: { contract: 1, read: async () => ({ current: { secret, version: '1' } }) },
    name: 'KEY',
  }),
  access: { decide: () => 'allow' },
  securityEvents: { emit: () => undefined },
  random: systemRandom,
  ttlMs: { raw: 30 * day, redacted: 30 * day },
});
const about = {
  purpose: 'change',
  contentType: 'text/plain',
  changelistId: 'main/1',
  jobId: null,
  redaction: null,
} as const;
await artifacts.write({ ...about, namespace: 'raw' }, Buffer.from('kept'));
await stores.transaction(async (tx) => {
  await artifacts.write({ ...about, namespace: 'raw' }, Buffer.from('lost'), undefined, { tx });
  process.stdout.write('written\n');
  await new Promise(() => setInterval(() => undefined, 1_000));
});
