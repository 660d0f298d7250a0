import { describe, expect, it } from 'vitest';
import { createLocalKeyRing } from '../src/artifacts/local-key-ring.js';
import { createMemoryArtifactStore } from '../src/artifacts/memory-artifact-store.js';
import type { ChangeFetcher } from '../src/changes/change-fetcher.js';
import { CriticizerError } from '../src/foundation/errors.js';
import { createMemoryStores } from '../src/memory/memory-stores.js';
import { createEnvironmentSecrets } from '../src/secrets/environment-secrets.js';
import type { SettingsInput } from '../src/settings/settings.js';
import { silentLogger } from '../src/telemetry/logger.js';
import { createManualClock } from '../src/testing/support/manual-clock.js';
import { change, harness, reply, scriptedProvider } from './criticizer-harness.js';

const parking = 'an outage parks this work: it spends no attempt and goes on by itself once it is over';
const recovered = 'work goes through again after an outage';

interface Given {
  jobs: number;
  /** Thrown by the Perforce server for a change, where it gives one. */
  fetchFault?: (number: number) => Error | undefined;
  /** Thrown by the model, where it gives one. */
  modelFault?: () => Error | undefined;
  env?: NodeJS.ProcessEnv;
  retry?: SettingsInput['retry'];
}

/** A Criticizer under a manual clock with so many submitted changes; each call of a peer is counted. */
async function setUp({
  jobs,
  fetchFault,
  modelFault,
  env = { ARTIFACT_KEY: Buffer.alloc(32, 7).toString('base64') },
  retry,
}: Given) {
  const clock = createManualClock(Date.UTC(2026, 0, 1));
  const stores = createMemoryStores({ clock });
  const lines: { level: string; message: string; fields: object }[] = [];
  const log = (level: string) => (fields: object, message: string) => void lines.push({ level, message, fields });
  const calls = { fetch: 0, send: 0 };
  const changes: ChangeFetcher = {
    contract: 1,
    serverId: 'main',
    async fetch(number) {
      calls.fetch += 1;
      const fault = fetchFault?.(number);
      if (fault !== undefined) throw fault;
      return {
        kind: 'change',
        change: change({ number, changelistId: `main/${number}`, changedAt: new Date(clock.nowMs()) }),
      };
    },
  };
  const { provider } = scriptedProvider([reply([])]);
  const llm = {
    ...provider,
    async send(...given: Parameters<typeof provider.send>) {
      calls.send += 1;
      const fault = modelFault?.();
      if (fault !== undefined) throw fault;
      return provider.send(...given);
    },
  };
  const keys = createLocalKeyRing({ source: createEnvironmentSecrets({ env }), name: 'ARTIFACT_KEY' });
  const logger = { ...silentLogger, info: log('info'), error: log('error') };
  const settings = {
    worker: { pollMinMs: 2_500, pollMaxMs: 5_000 },
    retry: { initialMs: 1_000, maxMs: 60_000, parkMs: 60_000, ...retry },
  };
  const h = harness({
    more: { stores, clock, logger, changes, llm, artifacts: { store: createMemoryArtifactStore(), keys }, settings },
  });
  const ids: string[] = [];
  for (let number = 1; number <= jobs; number++)
    ids.push((await h.criticizer.submit({ serverId: 'main', number, reviewVersion: 1 })).job.id);
  await h.criticizer.start();
  const all = () => stores.jobs.get(ids);
  return {
    stores,
    calls,
    all,
    said: (message: string) =>
      lines.filter((line) => line.message === message).map(({ level, fields }) => ({ level, ...fields })),
    pass: async (seconds: number) => {
      for (let second = 0; second < seconds; second += 5) await clock.advance(5_000);
    },
    async end() {
      const stopped = h.criticizer.stop();
      await clock.advance(60_000);
      await stopped;
    },
    completed: async () => (await all()).filter((job) => job?.status === 'completed').length,
  };
}

describe('an outage of what stages depend on', () => {
  it.each([
    ['unreachable', 'P4_UNREACHABLE'],
    ['in maintenance', 'P4_MAINTENANCE'],
  ])(
    'INT-4: a Perforce server that is %s for half an hour parks 12 reviews: no attempt, no dead letter, one line; then all go on',
    async (_, code) => {
      let isOut = true;
      const t = await setUp({
        jobs: 12,
        fetchFault: () => (isOut ? new CriticizerError(code, 'x', { category: 'network' }) : undefined),
      });
      await t.pass(1_800);
      const waiting = await t.all();
      expect(waiting.map((job) => [job?.status, job?.stage, job?.waitingFor, job?.attempts['fetch']])).toEqual(
        Array(12).fill(['queued', 'fetch', code, 0]),
      );
      expect(t.said(parking)).toEqual([
        { level: 'error', event: 'outage.begun', stage: 'fetch', serverId: 'main', code },
      ]);
      // One look at a time, at most a minute apart after the first: not each of 12 jobs each minute.
      expect(t.calls.fetch).toBeGreaterThan(25);
      expect(t.calls.fetch).toBeLessThan(60);
      isOut = false;
      await t.pass(240);
      expect(await t.completed()).toBe(12);
      expect(t.said(recovered)).toEqual([
        { level: 'info', event: 'outage.over', stage: 'fetch', serverId: 'main', code },
      ]);
      expect(await t.stores.deadLetters.list({})).toEqual([]);
      expect((await t.all()).map((job) => job?.attempts['fetch'])).toEqual(Array(12).fill(1));
      await t.end();
    },
  );

  it('INT-4 EGR-1: a model provider that refuses connections parks the same way, and leaves no record of what was not sent', async () => {
    let isOut = true;
    const refused = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
    const t = await setUp({ jobs: 8, modelFault: () => (isOut ? refused : undefined) });
    await t.pass(1_800);
    expect((await t.all()).map((job) => [job?.stage, job?.waitingFor, job?.attempts['llm']])).toEqual(
      Array(8).fill(['llm', 'NETWORK_REFUSED', 0]),
    );
    expect(t.said(parking)).toEqual([
      { level: 'error', event: 'outage.begun', stage: 'llm', provider: 'scripted', code: 'NETWORK_REFUSED' },
    ]);
    expect(t.calls.send).toBeLessThan(60);
    expect(await t.stores.egress.list({ limit: 1_000, destination: 'llm' })).toHaveLength(t.calls.send);
    isOut = false;
    await t.pass(240);
    expect(await t.completed()).toBe(8);
    expect(t.said(recovered)).toHaveLength(1);
    expect(await t.stores.deadLetters.list({})).toEqual([]);
    await t.end();
  });

  it('INT-4: what one request alone could have caused parks from the third time in a row', async () => {
    let isOut = true;
    const error = new CriticizerError('UPSTREAM_UNAVAILABLE', 'HTTP status 503', { category: 'network' });
    const t = await setUp({ jobs: 1, modelFault: () => (isOut ? error : undefined) });
    await t.pass(3_600);
    expect((await t.all())[0]).toMatchObject({
      status: 'queued',
      waitingFor: 'UPSTREAM_UNAVAILABLE',
      attempts: { llm: 2 },
    });
    isOut = false;
    await t.pass(120);
    expect(await t.completed()).toBe(1);
    await t.end();
  });

  it('ERR-6: a change that breaks the connection by itself, while others go through, still becomes a dead letter', async () => {
    const dropped = new CriticizerError('P4_CONNECTION_DROPPED', 'x', { category: 'network' });
    const t = await setUp({
      jobs: 1,
      fetchFault: (number) => (number === 1 ? dropped : undefined),
      retry: { outageAfter: 3 },
    });
    for (let n = 2; n < 40 && (await t.all())[0]?.status !== 'failed'; n++) {
      const other = {
        kind: 'review',
        stage: 'fetch',
        payload: { serverId: 'main', number: n, recipients: [] },
        idempotencyKey: `other-${n}`,
      };
      await t.stores.jobs.enqueue([{ ...other, changelistId: `main/${n}`, reviewVersion: 1 }]);
      await t.pass(60);
    }
    expect((await t.all())[0]).toMatchObject({ status: 'failed', attempts: { fetch: 5 } });
    expect(await t.stores.deadLetters.list({})).toMatchObject([{ errorClass: 'P4_CONNECTION_DROPPED', attempts: 5 }]);
    await t.end();
  });

  it('ERR-5: with outages off every failure spends an attempt', async () => {
    const error = new CriticizerError('P4_UNREACHABLE', 'x', { category: 'network' });
    const t = await setUp({ jobs: 1, fetchFault: () => error, retry: { outageAfter: null } });
    await t.pass(600);
    expect((await t.all())[0]).toMatchObject({ status: 'failed', attempts: { fetch: 5 } });
    await t.end();
  });

  it('INT-4: a mistyped artifact key parks 41 reviews with one line that names the secret, not its value; the right one resumes all', async () => {
    const mistyped = Buffer.alloc(31, 9).toString('base64');
    const env: NodeJS.ProcessEnv = { ARTIFACT_KEY: mistyped };
    const t = await setUp({ jobs: 41, env });
    await t.pass(300);
    expect((await t.all()).map((job) => [job?.status, job?.waitingFor, job?.attempts['fetch']])).toEqual(
      Array(41).fill(['queued', 'KEY_INVALID', 0]),
    );
    expect(await t.stores.deadLetters.list({})).toEqual([]);
    const lines = t.said(parking);
    expect(lines).toEqual([
      {
        level: 'error',
        event: 'outage.begun',
        stage: 'fetch',
        serverId: 'main',
        secret: 'ARTIFACT_KEY',
        code: 'KEY_INVALID',
      },
    ]);
    expect(JSON.stringify(lines)).not.toContain(mistyped);
    env['ARTIFACT_KEY'] = Buffer.alloc(32, 9).toString('base64');
    await t.pass(300);
    expect(await t.completed()).toBe(41);
    await t.end();
  });
});
