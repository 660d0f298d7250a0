import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLogger } from '@criticizer/core';
import { afterAll, expect, it } from 'vitest';
import { createReviews } from './compose.js';

const directory = mkdtempSync(join(tmpdir(), 'compose-'));
const secrets = mkdtempSync(join(tmpdir(), 'compose-secrets-'));
afterAll(() => {
  for (const folder of [directory, secrets]) rmSync(folder, { recursive: true });
});

it('the composition of the README is accepted, takes a changelist, and knows its job', async () => {
  for (const name of ['FINGERPRINT_KEY', 'ARTIFACT_KEY', 'P4_TICKET', 'LLM_KEY'])
    writeFileSync(join(secrets, name), randomBytes(32).toString('base64'), { mode: 0o600 });
  const trustFingerprint = (randomBytes(20).toString('hex').match(/../g) ?? []).join(':').toUpperCase();
  const reviews = await createReviews(directory, secrets, trustFingerprint, silentLogger);
  const { outcome, job } = await reviews.submit({ serverId: 'main', number: 12345, reviewVersion: 1 });
  expect(outcome).toBe('enqueued');
  expect(await reviews.status(job.id)).toMatchObject({
    job: { status: 'queued', changelistId: 'main/12345' },
    mails: [],
  });
  await reviews.stop();
});
