import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createOperator, type Stores, silentLogger, systemRandom } from '@criticizer/core';
import { createAuditTrail } from '@criticizer/core/audit';
import { createHttpClient } from '@criticizer/core/http';
import { createSqliteStores } from '@criticizer/queue-sqlite';
import { createPayloadRedactor } from '@criticizer/redact';
import { afterEach, describe, expect, inject, it, vi } from 'vitest';
import { makePlace, type Place, startSimulatedService } from '../src/simulated/simulated-service.js';
import { makeServer, startSwarm, submitted } from '../src/simulated/stand-ins.js';

const opened: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of opened.splice(0).reverse()) await close();
});

function openPlace(): Place {
  const directory = mkdtempSync(join(tmpdir(), 'criticizer-review-service-'));
  const place = makePlace(directory);
  opened.push(
    () => rmSync(directory, { recursive: true }),
    () => place.dispose(),
  );
  return place;
}

function openSqlite({ directory }: Place): Stores<unknown> {
  const stores = createSqliteStores({ file: join(directory, 'queue.sqlite') });
  opened.push(() => stores.close());
  return stores;
}

/** A process of its own with what it printed. */
async function runProcess(script: string, args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const file = fileURLToPath(new URL(script, import.meta.url));
  const child = spawn(process.execPath, ['--conditions=criticizer-source', '--import', 'tsx', file, ...args], {
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let out = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text;
  });
  const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
  return { code, signal, out };
}

const model = makeServer('');
const settings = { worker: { leaseMs: 1_000, pollMinMs: 20, pollMaxMs: 50 }, retry: { parkMs: 100 } };

describe('review service', { timeout: 60_000 }, () => {
  it('INT-1: npm run example:review-service reviews on PostgreSQL what its watcher finds and what a trigger tells', async () => {
    const { code, out } = await runProcess('../src/simulated/show.ts', ['--once'], {
      DATABASE_URL: inject('databaseUrl'),
    });
    expect(out).toContain('queue: PostgreSQL');
    expect(out).toContain('trigger: 200 {"outcome":"submitted","reviewVersion":1}');
    expect(out.match(/^mailed to ada@example\.test: .*Change 1[12]/gm)).toHaveLength(2);
    expect(code).toBe(0);
  });

  it('INV-2: a service killed between submit and cursor loses nothing and submits nothing twice', async () => {
    const place = openPlace();
    place.simulator.update({ changes: [...model.changes, submitted(11, 'const total = 1;\n')] });
    const { directory, p4 } = place;
    expect((await runProcess('./watch-and-die.ts', [JSON.stringify({ directory, p4 })])).signal).toBe('SIGKILL');
    const stores = openSqlite(place);
    const rows = async () =>
      (await stores.jobs.list({})).map((job) => `${job.changelistId} v${job.reviewVersion}`).sort();
    expect([await rows(), await stores.cursors.get('p4/main/submitted')]).toEqual([
      ['main/10 v1', 'main/11 v1'],
      '{"next":10}',
    ]);
    await using service = await startSimulatedService(place, {
      stores,
      logger: silentLogger,
      watch: { watch: ['submitted'] },
      settings,
    });
    await vi.waitFor(async () => expect((await stores.jobs.stats()).completed).toBe(2), { timeout: 20_000 });
    await service.watcher.poll();
    expect([await rows(), await stores.cursors.get('p4/main/submitted')]).toEqual([
      ['main/10 v1', 'main/11 v1'],
      '{"next":12}',
    ]);
    expect(service.mailer.accepted()).toHaveLength(2);
  });

  it('INT-4: a refused ticket parks the fetch, spends no attempt and is told once; a new ticket resumes it by itself', async () => {
    const place = openPlace();
    const stores = openSqlite(place);
    const states: string[] = [];
    const service = await startSimulatedService(place, {
      stores,
      logger: silentLogger,
      settings,
      watch: { pollMs: 60_000 },
      onTicket: ({ state, code }) => states.push(`${state} ${code}`),
    });
    opened.push(() => service[Symbol.asyncDispose]());
    await service.ticketWatch.check();
    place.renewTicket('server');
    const { job } = await service.criticizer.submit({ serverId: 'main', number: 10, reviewVersion: 1 });
    const now = async () => (await stores.jobs.get([job.id]))[0];
    // Parked, and looked at again: the transitions of several looks, with not one attempt.
    await vi.waitFor(async () => expect((await now())?.transitionNo).toBeGreaterThan(6), {
      timeout: 20_000,
      interval: 20,
    });
    const parked = await now();
    expect([parked?.attempts['fetch'] ?? 0, await stores.deadLetters.list({})]).toEqual([
      parked?.status === 'running' ? 1 : 0,
      [],
    ]);
    await service.ticketWatch.check();
    await service.ticketWatch.check();
    place.renewTicket('file');
    await vi.waitFor(async () => expect((await now())?.status).toBe('completed'), { timeout: 20_000, interval: 20 });
    await service.ticketWatch.check();
    expect((await now())?.attempts).toEqual({ fetch: 1, llm: 1, notify: 1 });
    expect(states).toEqual(['valid null', 'refused P4_AUTH_REQUIRED', 'valid null']);
  });

  it('INV-2: a test run of P4 Code Review is told of the review, though the service stopped after it had answered the call', async () => {
    const place = openPlace();
    const stores = openSqlite(place);
    const swarm = await startSwarm();
    opened.push(() => swarm.close());
    const http = createHttpClient({ allowPrivateOrigins: [swarm.origin] });
    opened.push(() => http.close());
    const more = {
      swarm: { origin: swarm.origin, http },
      changeUrl: 'https://swarm.example.test/changes/{change}',
    };
    const options = { stores, logger: silentLogger, watch: { pollMs: 60_000 }, settings, ...more };
    const audit = createAuditTrail({
      store: stores.audit,
      redactor: createPayloadRedactor(),
      destinations: [],
      random: systemRandom,
      logger: silentLogger,
    });
    const parkReviews = (stopped: boolean) =>
      createOperator({ stores, audit }).setKillSwitch({
        stopped,
        actor: { type: 'admin_user', id: 'ada' },
        reason: 'test',
      });
    await stores.migrate();
    await parkReviews(true);
    const first = await startSimulatedService(place, options);
    const answer = await fetch(`${first.url}/servers/main/swarm?change=10&status=submitted&review=10&version=1`, {
      method: 'POST',
      headers: { authorization: `Bearer ${place.swarmSecret}`, 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ update: `${swarm.origin}/api/v11/testruns/1/0A-1B` }),
    });
    expect([answer.status, await answer.json()]).toEqual([200, { outcome: 'submitted', reviewVersion: 1 }]);
    await first[Symbol.asyncDispose]();
    expect(swarm.posted).toEqual([]);
    await parkReviews(false);
    await using second = await startSimulatedService(place, options);
    await vi.waitFor(() => expect(swarm.posted).toHaveLength(1), { timeout: 20_000 });
    const link = 'https://swarm.example.test/changes/10';
    expect(swarm.posted[0]).toEqual({
      status: 'pass',
      messages: ['No findings', 'Files: 1 reviewed, 0 not', 'Advice only: this test never blocks a submit'],
      url: link,
    });
    expect(second.mailer.accepted().map(({ mail }) => mail.html.includes(`href="${link}"`))).toEqual([true]);
  });

  it('P4-6: the list of the configuration is on record before anything is read, and a change of it with who, when, what', async () => {
    const place = openPlace();
    const stores = openSqlite(place);
    await using service = await startSimulatedService(place, {
      stores,
      logger: silentLogger,
      watch: { pollMs: 60_000 },
    });
    const library = {
      ...submitted(11, 'x'),
      files: [{ path: '//depot/lib/a.js', action: 'add' as const, content: 'x' }],
    };
    place.simulator.update({ changes: [...model.changes, library] });
    const taken = async () => (await service.watcher.take([11])).map(({ outcome }) => outcome);
    expect(await taken()).toEqual(['out-of-scope']);
    const by = { actor: { type: 'admin_user', id: 'ada' }, reason: 'OPS-1: the library too' } as const;
    await service.allowList.change({ allow: ['//depot/orders/...', '//depot/lib/...'] }, by);
    expect(await taken()).toEqual(['submitted']);
    // Read under the new list.
    await vi.waitFor(async () => expect((await stores.jobs.stats()).completed).toBe(1), { timeout: 20_000 });
    const events = await stores.audit.list({ action: 'p4.allow_list.change' });
    expect(events.map(({ actorId, payload }) => [actorId, payload['allowed']])).toEqual([
      ['ada', { added: ['//depot/lib/...'], removed: [] }],
      ['review-service', { added: ['//depot/orders/...'], removed: [] }],
    ]);
    const answer = await fetch(`${service.url}/ready`);
    expect([answer.status, await answer.json()]).toMatchObject([
      200,
      { status: 'ready', checks: { queue: { ok: true, due: 0 } } },
    ]);
  });
});
