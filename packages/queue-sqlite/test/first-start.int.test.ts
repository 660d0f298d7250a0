import { join } from 'node:path';
import {
  createCriticizer,
  createMemoryMailer,
  createStaticRecipients,
  type Logger,
  type Stores,
  silentLogger,
} from '@criticizer/core';
import { createLocalKeyRing, createMemoryArtifactStore } from '@criticizer/core/artifacts';
import { expect, it } from 'vitest';
import type { SqliteTx } from '../src/shared/sqlite-database.js';
import { createSqliteStores } from '../src/sqlite-stores.js';
import { scratchFolder } from './stores-on-sqlite.js';

const unreached = (): never => {
  throw new Error('nothing is submitted here');
};

function reviewsOn(stores: Stores<SqliteTx>, logger: Logger = silentLogger) {
  return createCriticizer({
    stores,
    logger,
    changes: { contract: 1, serverId: 'main', fetch: unreached },
    redactor: { contract: 1, rules: { version: '1', policyHash: 'p' }, session: unreached, scan: unreached },
    llm: {
      contract: 1,
      id: 'model',
      model: 'm',
      modes: ['prompt'],
      limits: { contextTokens: 64_000, maxOutputTokens: 4096 },
      prepare: unreached,
      send: unreached,
    },
    mailer: createMemoryMailer(),
    composer: { compose: unreached, composeCounts: unreached },
    recipients: createStaticRecipients([{ address: 'dev@example.com', required: true }]),
    artifacts: {
      store: createMemoryArtifactStore(),
      keys: createLocalKeyRing({ source: { contract: 1, read: unreached }, name: 'ARTIFACT_KEY' }),
    },
  });
}

it('AUD-1: with auto, start() is a first call that works on a new file; without it, start() names what is missing and prints its SQL', async () => {
  const folder = scratchFolder();
  const file = join(folder.path, 'criticizer.db');
  const shy = createSqliteStores({ file });
  const printed: object[] = [];
  const logger = { ...silentLogger, error: (facts: object) => void printed.push(facts) };
  await expect(reviewsOn(shy, logger).start()).rejects.toMatchObject({
    code: 'SCHEMA_OLD',
    details: { steps: expect.arrayContaining(['queue/0001-work-queue']) },
  });
  expect(printed).toEqual(
    (await shy.migrationPlan()).map(({ module, name, sha256, sql }) => ({
      ...{ event: 'schema.migration_missing', step: `${module}/${name}`, sha256, sql },
    })),
  );
  const stores = createSqliteStores({ file, migrate: 'auto' });
  const reviews = reviewsOn(stores);
  await reviews.start();
  await reviews.stop();
  expect(await stores.jobs.stats()).toMatchObject({ due: 0, failed: 0 });
  await Promise.all([stores.close(), shy.close()]);
  folder.remove();
});
