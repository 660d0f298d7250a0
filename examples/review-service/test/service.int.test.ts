import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { silentLogger } from '@criticizer/core';
import { createP4Simulator, type P4SimulatorChange } from '@criticizer/p4/testing';
import { createPostgresStores } from '@criticizer/queue-pg';
import pg from 'pg';
import { afterEach, describe, expect, inject, it, vi } from 'vitest';
import { runP4Runner } from '../src/compose/run-p4-runner.js';
import { readRunnerConfiguration } from '../src/config/runner-configuration.js';
import { makeServer, shelved, startSwarm, submitted } from '../src/simulated/stand-ins.js';
import { makeDatabaseDoor } from './real-endpoints.js';
import {
  closeLater,
  closeServices,
  openEndpoints,
  openQueue,
  startService,
  submit,
  waiting,
} from './running-service.js';

afterEach(closeServices);

describe('the service on real endpoints', { timeout: 60_000 }, () => {
  it('delivers to nobody in the shadow, to one address redirected, and to the author live', async () => {
    const endpoints = await openEndpoints();
    const { env, mails, model } = endpoints;
    const runWith = async (delivery: string, change: number) => {
      const service = await startService({ ...env, DELIVERY: delivery });
      await service.ready();
      await submit(endpoints, service, ...[11, 12, 13].filter((number) => number <= change));
      await vi.waitFor(async () => {
        const { text } = await service.read('/metrics');
        expect(text).toContain('criticizer_stage_duration_bucket');
        expect(text).toMatch(/criticizer_mail_delivery_total\{criticizer_outcome="sent"[^}]*\} 1/);
      }, waiting);
      await service.stop();
      return service.lines;
    };
    const said = await runWith('shadow', 11);
    expect(said[0]).toContain('shadow: nobody is mailed');
    expect([mails, model.bodies.length]).toEqual([[], 2]); // the review, and the check of its finding
    await runWith('redirect:lead@example.test', 12);
    expect(mails).toEqual([
      {
        to: 'lead@example.test',
        subject: expect.stringMatching(/^\[for ada@example\.test\] .*Change 12/),
        text: expect.anything(),
      },
    ]);
    await runWith('live', 13);
    expect(mails.slice(1)).toMatchObject([{ to: 'ada@example.test', subject: expect.stringMatching(/Change 13/) }]);
    expect(mails[1]?.text).toContain('The total is a constant');
    const rows = await openQueue(endpoints).outbox.list({});
    expect(rows.map(({ changelistId, via, status }) => [changelistId, via, status])).toEqual([
      ['main/13', 'smtp', 'sent'],
      ['main/12', 'redirect-smtp', 'sent'],
      ['main/11', 'shadow', 'sent'],
    ]);
  });

  it('says at the start how many mails of another DELIVERY wait', async () => {
    const endpoints = await openEndpoints();
    await (await startService({ ...endpoints.env, DELIVERY: 'live' })).stop(); // migrates
    const { outbox } = openQueue(endpoints);
    const row = (name: string, via: string) => ({
      ...{ changelistId: 'main/1', reviewVersion: 1, recipient: name, recipientKey: name, required: true, via },
      ...{ key: randomBytes(16).toString('hex'), jobId: null, messageArtifactId: name, messageSha256: 'a'.repeat(64) },
    });
    await outbox.add([row('ada@example.test', 'redirect-smtp'), row('bob@example.test', 'redirect-smtp')]);
    const warned = async (delivery: string) => {
      const service = await startService({ ...endpoints.env, DELIVERY: delivery }, { intake: true, work: false });
      await service.ready();
      await service.stop();
      return service.lines.filter((line) => line.includes('mails of another DELIVERY wait'));
    };
    expect(await warned('redirect:lead@example.test')).toEqual([]);
    expect(await warned('live')).toEqual([expect.stringContaining('"via":"redirect-smtp","mails":2')]);
  });

  it('waits for a database that is out at the start, and goes on after one that was out meanwhile', async () => {
    const endpoints = await openEndpoints();
    const schema = `service_${randomBytes(4).toString('hex')}`;
    const door = await makeDatabaseDoor(inject('databaseUrl'));
    closeLater(() => door.shut());
    const env = { ...endpoints.env, DATABASE_URL: door.url, DATABASE_SCHEMA: schema, DELIVERY: 'live' };
    const pool = new pg.Pool({ connectionString: inject('databaseUrl'), max: 1 });
    closeLater(async () => {
      await pool.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
      await pool.end();
    });
    const service = await startService(env);
    expect(await service.read('/live')).toMatchObject({ status: 200 });
    const down = await service.read('/ready');
    expect([down.status, JSON.parse(down.text).checks.service]).toEqual([503, { ok: false, code: 'STARTING' }]);
    const early = await fetch(`${service.origin}/servers/main/changes`, { method: 'POST', body: '{"change": 10}' });
    expect(early.status).toBe(503);
    await vi.waitFor(() => expect(service.lines.join('\n')).toContain('the database cannot be reached'), waiting);
    await door.open();
    await service.ready();
    await submit(endpoints, service, 11);
    await vi.waitFor(() => expect(endpoints.mails).toHaveLength(1), waiting);
    await door.shut();
    await vi.waitFor(async () => expect((await service.read('/ready')).status).toBe(503), waiting);
    const claimFailed = expect.stringMatching(/^warn claim failed; trying again later .*"code":"PG_/);
    await vi.waitFor(() => expect(service.lines).toContainEqual(claimFailed), waiting);
    await door.open();
    await service.ready();
    await submit(endpoints, service, 11, 12);
    await vi.waitFor(() => expect(endpoints.mails).toHaveLength(2), waiting);
    const stores = createPostgresStores({ pool, schema });
    closeLater(() => stores.close());
    expect(await stores.deadLetters.list({})).toEqual([]);
  });

  it('waits with a wrong key, spends no attempt, and goes on with the right one', async () => {
    const endpoints = await openEndpoints();
    endpoints.writeKey(randomBytes(16).toString('hex'));
    const service = await startService({ ...endpoints.env, DELIVERY: 'live' });
    await service.ready();
    await submit(endpoints, service, 11);
    const stores = openQueue(endpoints);
    const now = async () => (await stores.jobs.list({}))[0];
    await vi.waitFor(async () => expect((await now())?.waitingFor).toBe('AUTH_DENIED'), waiting);
    await vi.waitFor(() => expect(endpoints.model.refused).toBeGreaterThan(3), waiting);
    endpoints.writeKey();
    await vi.waitFor(() => expect(endpoints.mails).toHaveLength(1), waiting);
    await vi.waitFor(async () => expect((await now())?.status).toBe('completed'), waiting);
    expect((await now())?.attempts).toEqual({ fetch: 1, llm: 1, notify: 1 });
    const said = service.lines.filter((line) => line.includes('AUTH_DENIED'));
    expect(said[0]).toMatch(/^error an outage parks this work: it spends no attempt and goes on by itself/);
  });

  it('INT-4: where the first model is down the second answers, and no attempt is spent', async () => {
    const endpoints = await openEndpoints();
    const { env, model } = endpoints;
    const second = Object.entries(env).flatMap(([name, value]) =>
      name.startsWith('LLM_') ? [[name.replace('LLM_', 'LLM_2_'), value]] : [],
    );
    const down = { LLM_BASE_URL: 'http://127.0.0.1:9/v1', LLM_MODEL: 'first' };
    const service = await startService({ ...env, ...Object.fromEntries(second), ...down, DELIVERY: 'live' });
    await service.ready();
    await submit(endpoints, service, 11);
    await vi.waitFor(() => expect(endpoints.mails).toHaveLength(1), waiting);
    const stores = openQueue(endpoints);
    await vi.waitFor(async () => expect((await stores.jobs.stats()).completed).toBe(1), waiting);
    const [job] = await stores.jobs.list({});
    expect([job?.attempts, model.bodies.length]).toEqual([{ fetch: 1, llm: 1, notify: 1 }, 2]);
    const records = await stores.egress.list({ destination: 'llm' });
    const secondId = `openai-chat.${new URL(model.baseUrl).host.replace(':', '-')}`;
    expect(records.map(({ provider }) => provider)).toEqual([secondId, secondId, 'openai-chat.127.0.0.1-9']);
    expect((await service.read('/metrics')).text).toContain('criticizer_llm_fallback');
  });

  it('is not ready on a full disk or without a secret, and says which', async () => {
    const endpoints = await openEndpoints();
    const service = await startService({ ...endpoints.env, MIN_FREE_MB: '999999' });
    await vi.waitFor(async () => {
      const { checks } = JSON.parse((await service.read('/ready')).text);
      expect(checks).toMatchObject({
        service: { ok: true },
        disk: { ok: false, code: 'DISK_FULL' },
        lastPoll: { ok: true },
      });
    }, waiting);
    writeFileSync(join(endpoints.place.directory, 'secrets', 'TRIGGER_SECRET'), '');
    const { checks } = JSON.parse((await service.read('/ready')).text);
    expect(checks.secrets.missing).toEqual([{ secret: 'TRIGGER_SECRET', code: 'SECRET_MISSING' }]);
  });

  it('a worker process reviews what serve --no-work took in by a trigger', async () => {
    const endpoints = await openEndpoints();
    const env = { ...endpoints.env, DELIVERY: 'live' };
    const service = await startService(env, { intake: true, work: false });
    await service.ready();
    endpoints.place.simulator.update({ changes: [...makeServer('').changes, shelved(12, 'const total = 2;\n')] });
    expect((await service.tell(endpoints.place.triggerSecret, 12)).status).toBe(200);
    expect(endpoints.model.bodies).toEqual([]);
    const worker = await startService(env, { intake: false, work: true });
    await worker.ready();
    await vi.waitFor(() => expect(endpoints.mails).toHaveLength(1), waiting);
    expect((await fetch(`${worker.origin}/servers/main/changes`, { method: 'POST' })).status).toBe(404);
  });

  it('reads through a p4 runner, without executable, ticket or pin of its own', async () => {
    const endpoints = await openEndpoints();
    const { env, place } = endpoints;
    const folder = join(place.directory, 'runner');
    mkdirSync(folder);
    const runnerEnv = { P4_RUNNER_SOCKET: join(folder, 'p4.sock'), P4_RUNNER_KEY_FILE: join(folder, 'KEY') };
    writeFileSync(runnerEnv.P4_RUNNER_KEY_FILE, randomBytes(32).toString('hex'), { mode: 0o600 });
    const stopping = new AbortController();
    const named = Object.entries(env).filter(([name]) => name.startsWith('P4') || name === 'ALLOW');
    const runner = runP4Runner(readRunnerConfiguration({ ...Object.fromEntries(named), ...runnerEnv }), {
      ...{ logger: silentLogger, signal: stopping.signal },
    });
    closeLater(async () => {
      stopping.abort();
      await runner;
    });
    const { P4_EXECUTABLE: _none, P4_TICKET_FILE: _neither, P4_FINGERPRINT: _nor, ...rest } = env;
    const service = await startService({ ...rest, ...runnerEnv, DELIVERY: 'live' });
    await service.ready();
    await submit(endpoints, service, 11);
    await vi.waitFor(() => expect(endpoints.mails).toHaveLength(1), waiting);
  });

  it('P4-1: serves several Perforce servers, each with ticket, pin, allow-list and limits of its own, and reports to P4 Code Review', async () => {
    const endpoints = await openEndpoints();
    const { env, place } = endpoints;
    const secret = randomBytes(16).toString('hex').toUpperCase();
    const ticketFile = join(place.directory, 'secrets', 'ART_TICKET');
    writeFileSync(ticketFile, secret, { mode: 0o600 });
    const painted = (number: number, ...paths: string[]): P4SimulatorChange => ({
      ...submitted(number, ''),
      files: paths.map((path) => ({ path, action: 'add', content: `one of ${number}\n` })),
    });
    const artist = { user: 'artbot', email: 'artbot@example.test', fullName: 'A', ticket: secret };
    const art = createP4Simulator({
      port: 'ssl:art.example.test:1667',
      fingerprint: Array.from({ length: 20 }, () => 'A7').join(':'),
      users: [artist, { ...artist, user: 'ada', email: 'ada@example.test' }],
      changes: [painted(10, '//art/brush/first.txt')],
    });
    closeLater(() => art.dispose());
    const swarm = await startSwarm();
    closeLater(() => swarm.close());
    const common = { pollSeconds: 1, containment: 'accept-none', fullListAccess: true };
    const main = {
      ...{ ...common, serverId: 'main', port: env['P4PORT'], user: 'reviewbot', executable: env['P4_EXECUTABLE'] },
      ...{ fingerprint: env['P4_FINGERPRINT'], ticketFile: env['P4_TICKET_FILE'], allow: ['//depot/orders/...'] },
      swarmUrl: swarm.origin,
    };
    const file = join(place.directory, 'servers.json');
    writeFileSync(
      file,
      JSON.stringify([
        main,
        {
          ...{ ...common, serverId: 'art', port: 'ssl:art.example.test:1667', user: 'artbot', ticketFile },
          ...{ executable: art.executable, fingerprint: Array.from({ length: 20 }, () => 'A7').join(':') },
          ...{ allow: ['//art/...'], maxConcurrent: 1, maxChangeFiles: 2 },
        },
      ]),
    );
    const rest = Object.entries(env).filter(([name]) => !name.startsWith('P4') && name !== 'ALLOW');
    const service = await startService({ ...Object.fromEntries(rest), P4_SERVERS_FILE: file, DELIVERY: 'live' });
    await service.ready();
    const [brush, pen, ink] = ['brush', 'pen', 'ink'].map((name) => `//art/brush/${name}.txt`) as [
      string,
      string,
      string,
    ];
    art.update({
      changes: [
        painted(10, '//art/brush/first.txt'),
        painted(11, brush),
        painted(12, brush, pen, ink),
        painted(13, '//depot/orders/src/stolen.js'),
      ],
    });
    expect((await service.tell(place.triggerSecret, 11, 'art')).status).toBe(200);
    const test = await fetch(`${service.origin}/servers/main/swarm`, {
      method: 'POST',
      headers: { authorization: `Bearer ${place.swarmSecret}`, 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({
        ...{ change: '10', status: 'submitted', review: '10', version: '1' },
        update: `${swarm.origin}/api/v11/testruns/1/0A-1B`,
      }),
    });
    expect(test.status).toBe(200);
    await vi.waitFor(() => expect(swarm.posted).toHaveLength(1), waiting);
    const stores = openQueue(endpoints);
    const list = () => stores.jobs.list({ kind: 'review' });
    await vi.waitFor(async () => {
      const ends = (await list()).map(({ changelistId, status, result }) => [
        changelistId,
        result?.['skipped'] ?? status,
      ]);
      // 13 lies outside the list of its server, inside that of the other.
      expect(ends.sort()).toEqual([
        ['art/11', 'completed'],
        ['art/12', 'size'],
        ['main/10', 'completed'],
      ]);
    }, waiting);
    expect((await list()).find(({ changelistId }) => changelistId === 'main/10')?.payload).toMatchObject({
      seenBy: 'code-review',
    });
    // Each server saw its own user alone, on its own port.
    for (const [simulator, user, port] of [
      [place.simulator, 'reviewbot', env['P4PORT']],
      [art, 'artbot', 'ssl:art.example.test:1667'],
    ] as const)
      for (const run of simulator.log().filter(({ command }) => command !== '')) {
        expect(run.port).toBe(port);
        expect(run.argv).toContain(user);
      }
    expect((await service.tell(place.triggerSecret, 11, 'other')).status).toBe(404);
    expect((await fetch(`${service.origin}/servers/art/swarm`, { method: 'POST' })).status).toBe(404);
  });

  it('SIGTERM stops it gracefully, with exit code 0', async () => {
    const { env } = await openEndpoints();
    const main = fileURLToPath(new URL('../src/main.ts', import.meta.url));
    const child = spawn(process.execPath, ['--conditions=criticizer-source', '--import', 'tsx', main, 'serve'], {
      env: { PATH: process.env['PATH'], ...env },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let out = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      out += text;
    });
    const ended = once(child, 'close');
    await vi.waitFor(() => expect(out).toContain('"msg":"started"'), waiting);
    child.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
    const said = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).msg);
    expect(said).toEqual([
      'listening',
      'opening the database',
      'p4 runs without containment, as accepted',
      'started',
      'stopping: running reviews may finish',
      'stopped',
    ]);
  });
});
