// EGR-5 as a whole: a change whose content, description, paths and author hold canary words is
// reviewed by the real parts, purged, and then nothing that the service keeps holds one of them.
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createOperator, type Stores, silentLogger, systemRandom } from '@criticizer/core';
import { createFileArtifactStore } from '@criticizer/core/artifacts';
import { createAuditTrail } from '@criticizer/core/audit';
import { createQueueWorker } from '@criticizer/core/queue';
import { createPayloadRedactor } from '@criticizer/redact';
import { describe, expect, inject, it, onTestFinished, vi } from 'vitest';
import { z } from 'zod';
import { makeTicket } from '../src/perforce/sample-change.js';
import { forgetSchema, openQueue } from '../src/queue/demo-queue.js';
import { bundleMailServer } from './demo-bundle.js';
import { storedEvidence } from './secrecy/all-that-is-kept.js';
import type { Evidence } from './secrecy/recover-secrets.js';
import { makeSecrets, runReviews } from './secrecy/run-reviews.js';

const mailServer = await bundleMailServer();
const number = 5_001;
const changelistId = `demo/${number}`;

/** Words that stand nowhere by chance. */
const word = (): string => `canary${randomBytes(6).toString('hex')}`;

/** One change with a word of its own in every text that a change has. */
function makeCanaryChange() {
  const words = { content: word(), description: word(), path: word(), author: word(), mail: word() };
  const root = '//depot/orders/main';
  const finding = `export function ${words.content}(items) {\n  for (let i = 0; i <= items.length; i++) use(items[i]);\n}\n`;
  const file = { path: `${root}/${words.path}.js`, action: 'add' as const, content: finding };
  const ticket = makeTicket();
  const users = [
    { user: words.author, email: `${words.mail}@example.test`, fullName: words.author, ticket },
    { user: 'reviewbot', email: 'reviewbot@example.test', fullName: 'Reviews', ticket },
  ];
  const description = `Add the loop of ${words.description}.\n`;
  const submitted = { number, status: 'submitted' as const, user: words.author, description, files: [file] };
  return { words: Object.values(words), ticket, model: { users, changes: [submitted] } };
}

/** Where each word is found, once a place. */
function placesOf(evidence: readonly Evidence[], words: readonly string[]): string[] {
  return [...new Set(evidence.filter(({ text }) => words.some((one) => text.includes(one))).map(({ where }) => where))];
}

/** Runs a job of the change whose owner ends nothing by itself; gives how the stage ended. */
async function runEndless(stores: Stores<unknown>, payload: string) {
  const reasons: unknown[] = [];
  let begin = (): void => undefined;
  const began = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const run = ({ signal }: { signal: AbortSignal }): Promise<never> =>
    new Promise((_, reject) => {
      signal.addEventListener('abort', () => {
        reasons.push(signal.reason);
        reject(signal.reason);
      });
      begin();
    });
  const worker = createQueueWorker({
    stores,
    kinds: [{ kind: 'endless', payload: z.string(), stages: [{ name: 'only', run }] }],
    redactText: String,
    settings: { worker: { leaseMs: 3_000, pollMinMs: 10, pollMaxMs: 20 } },
  });
  await stores.jobs.enqueue([
    { kind: 'endless', payload, stage: 'only', idempotencyKey: payload, changelistId, reviewVersion: 9 },
  ]);
  await worker.start();
  await began;
  return { worker, reasons };
}

describe('a purged change', () => {
  it.each(['SQLite', 'PostgreSQL'])(
    'EGR-5: on %s, no row, artifact or log holds a word of its content, description, paths or author, a running job included',
    { timeout: 60_000 },
    async (database) => {
      const { words, ticket, model } = makeCanaryChange();
      const directory = mkdtempSync(join(tmpdir(), 'criticizer-purge-'));
      onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
      const postgres =
        database === 'SQLite'
          ? null
          : { url: inject('databaseUrl'), schema: `criticizer_demo_${randomBytes(4).toString('hex')}` };
      makeSecrets(directory, ticket);
      const queue = openQueue(directory, postgres);
      onTestFinished(async () => {
        await queue.close();
        if (postgres !== null) await forgetSchema(postgres);
      });
      const { stores } = queue;
      const { heard, statuses } = await runReviews(directory, stores, { model, numbers: [number] }, mailServer);
      expect(statuses.map((status) => status?.job.status)).toEqual(['completed']);
      const { worker, reasons } = await runEndless(stores, words.join(' '));
      onTestFinished(() => worker.stop());

      const rowsNow = async (): Promise<Evidence[]> => {
        const { evidence } = await storedEvidence(directory, stores, postgres?.schema);
        return evidence.filter(({ where }) => where.startsWith('a row of'));
      };
      const filesNow = (): string[] =>
        readdirSync(join(directory, 'artifacts'), { recursive: true, withFileTypes: true })
          .filter((entry) => entry.isFile())
          .map(({ name }) => name);
      const before = placesOf(await rowsNow(), words);
      expect(before).toEqual(
        expect.arrayContaining(['a row of work_queue', 'a row of notify_outbox', 'a row of egress_log']),
      );
      expect(filesNow().length).toBeGreaterThan(3);

      const audit = createAuditTrail({
        ...{ store: stores.audit, redactor: createPayloadRedactor(), destinations: [] },
        ...{ random: systemRandom, logger: silentLogger },
      });
      const artifactStore = createFileArtifactStore({ directory: join(directory, 'artifacts') });
      const operator = createOperator({ stores, audit, artifactStore });
      const request = { changelistId, actor: { type: 'admin_user', id: 'ada' } as const, reason: 'OPS-31' };
      await operator.setHold({ ...request, held: true });
      await expect(operator.purgeChange(request)).rejects.toMatchObject({ code: 'CHANGE_HELD' });
      expect(placesOf(await rowsNow(), words)).toEqual(before);
      await operator.setHold({ ...request, held: false });
      expect(await operator.purgeChange(request)).toMatchObject({ outcome: 'purging', running: 1, audit: 'recorded' });
      // The owner hears of it at its next heartbeat.
      await vi.waitFor(async () => expect(await operator.purgeChange(request)).toMatchObject({ outcome: 'purged' }), {
        timeout: 20_000,
        interval: 100,
      });
      expect(reasons).toMatchObject([{ code: 'CANCELLED' }]);
      await worker.stop();

      expect(placesOf(await rowsNow(), words)).toEqual([]);
      expect(filesNow()).toEqual([]);
      expect(
        placesOf(
          heard.filter(({ where }) => where !== 'a request to the model'),
          words,
        ),
      ).toEqual([]);
      expect(await stores.artifactManifest.list({ changelistId })).toEqual([]);
      const events = await stores.audit.list({ action: 'change.purge' });
      expect(events.map(({ targetId, resultStatus }) => [targetId, resultStatus])).toContainEqual([
        changelistId,
        'success',
      ]);
    },
  );
});
