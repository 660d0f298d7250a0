import { describe, expect, it } from 'vitest';
import { createArtifacts } from '../artifacts/artifacts.js';
import { createAuditTrail } from '../audit/audit-trail.js';
import { systemRandom } from '../foundation/time/system-random.js';
import { silentLogger } from '../telemetry/logger.js';
import { createQueueWorker } from '../worker/wiring/queue-worker.js';
import { createMemoryStores } from './memory-stores.js';

const stage = { name: 'only', run: async () => ({ kind: 'next' }) as const };
const payload = { safeParse: (data: unknown) => ({ success: true, data }) as const };
const kinds = [{ kind: 'k', payload: payload as never, stages: [stage] as const }];
const redactText = (text: string): string => text;

describe('stores of some modules', () => {
  it('facets of other modules reject and say which option to change', async () => {
    const stores = createMemoryStores({ modules: ['queue'] });
    expect(stores.modules).toEqual(['queue']);
    await expect(stores.outbox.list({})).rejects.toMatchObject({
      code: 'MODULE_ABSENT',
      message: expect.stringMatching(/outbox\.list needs the module notify.*option modules/),
      details: { module: 'notify' },
    });
    await expect(stores.audit.list({})).rejects.toMatchObject({ details: { module: 'audit' } });
    await expect(stores.cursors.get('c')).rejects.toMatchObject({ details: { module: 'review' } });
    await expect(stores.artifactManifest.get(['a'])).rejects.toMatchObject({ details: { module: 'artifacts' } });
    expect(await stores.jobs.list({})).toEqual([]);
  });

  it('a settlement brings no mail and waits for none without the module notify', async () => {
    const { jobs } = createMemoryStores({ modules: ['queue'] });
    await jobs.enqueue([{ kind: 'k', payload: 1, stage: 'only', idempotencyKey: 'a' }]);
    const claim = { kinds: ['k'], owner: 'o', token: 't', leaseMs: 60_000, limit: 1 };
    const [claimed] = await jobs.claim(claim);
    const lease = claimed?.lease ?? { jobId: '', owner: '', token: '' };
    const done = { lease, kind: 'done', result: {} } as const;
    await expect(jobs.settle([{ ...done, requireNotified: true }])).rejects.toMatchObject({ code: 'MODULE_ABSENT' });
    const effects = { publish: ['artifact'] };
    await expect(jobs.settle([{ ...done, requireNotified: false, effects }])).rejects.toMatchObject({
      details: { module: 'artifacts' },
    });
    expect(await jobs.settle([{ ...done, requireNotified: false }])).toEqual(['settled']);
  });

  it('factories name the option that lacks a module', () => {
    const mails = createMemoryStores({ modules: ['notify'] });
    expect(() => createQueueWorker({ stores: mails, kinds, redactText })).toThrow(
      /createQueueWorker: stores: they were made without queue; the option modules of their factory must list queue/,
    );
    const trail = { redactor: { redact: () => ({}) } as never, destinations: [], random: systemRandom };
    expect(() => createAuditTrail({ ...trail, store: mails.audit, logger: silentLogger })).toThrow(
      /createAuditTrail: store: the stores were made without audit/,
    );
    const parts = { store: { contract: 1, put: () => {}, get: () => {} }, keys: { wrap: () => {}, unwrap: () => {} } };
    const rest = { access: { decide: () => true }, securityEvents: { emit: () => {} }, random: systemRandom };
    const ttlMs = { raw: 1, redacted: 1 };
    expect(() => createArtifacts({ ...parts, ...rest, ttlMs, manifest: mails.artifactManifest } as never)).toThrow(
      /createArtifacts: manifest: the stores were made without artifacts/,
    );
  });

  it.each([[[]], [['queues']], ['queue'], [null]])('modules %j is a wrong option', (modules) => {
    expect(() => createMemoryStores({ modules: modules as never })).toThrow(
      /modules: expected a list of queue, notify, artifacts, review, audit/,
    );
  });
});
