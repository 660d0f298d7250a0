import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CriticizerError } from '@criticizer/core';
import type { JsonObject } from '@criticizer/core/ports';
import { createManualClock } from '@criticizer/core/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { closeSwarms, setUpSwarm } from './swarm-setup.js';
import { base, closeWatchers, shelf, submittedChange } from './watcher-setup.js';

const advice = 'Advice only: this test never blocks a submit';

afterEach(async () => {
  await closeWatchers();
  await closeSwarms();
});

const model = { changes: [base, shelf(12, 'two\n')] };

describe('createSwarmTestEndpoint', () => {
  it('reviews the change of a test run and posts the result, counts and no source, to its update URL', async () => {
    const { criticizer, swarm, runTest, jobs } = await setUpSwarm(model, {
      link: 'https://reviews.example.test/changes/{change}',
    });
    const update = swarm.updateUrl(706);
    const answer = await runTest({ update, test: 'review', testRunId: 706 });
    expect([answer.status, await answer.json()]).toEqual([200, { outcome: 'submitted', reviewVersion: 1 }]);
    await criticizer.start();
    await swarm.whenPosted(1);
    expect(swarm.posted.map(({ sha256: _digest, ...post }) => post)).toEqual([
      {
        path: new URL(update).pathname,
        contentType: 'application/json',
        body: {
          status: 'pass',
          messages: ['Nothing to show, and not all of it was reviewed', 'Files: 1 reviewed, 0 not', advice],
          url: 'https://reviews.example.test/changes/12',
        },
      },
    ]);
    await criticizer.stop();
    // With the row the key to the test run is gone.
    expect((await jobs()).map(({ kind }) => kind)).toEqual(['review']);
  });

  it.each([
    [
      'a JSON body of numbers',
      (update: string) => ({ body: JSON.stringify({ change: 12, status: 'shelved', review: 12, version: 1, update }) }),
    ],
    [
      'a form',
      (update: string) => ({
        body: String(new URLSearchParams({ change: '12', status: 'shelved', review: '12', version: '1', update })),
        headers: { 'content-type': 'application/x-www-form-urlencoded; charset=UTF-8' },
      }),
    ],
    [
      'the URL, with the rest in the body',
      (update: string) => ({
        query: '?change=12&status=shelved&review=12',
        body: JSON.stringify({ version: '1', update }),
      }),
    ],
    [
      'the URL alone',
      (update: string) => ({
        method: 'GET',
        query: `?change=12&status=submitted&review=12&version=1&update=${encodeURIComponent(update)}&test=t&pass=x&fail=y`,
      }),
    ],
  ])('takes the words from %s', async (_where, request) => {
    const { call, swarm, submitted, jobs } = await setUpSwarm(model);
    expect((await call(request(swarm.updateUrl(1)))).status).toBe(200);
    expect(await submitted()).toContain('main/12 v1');
    expect((await jobs()).filter(({ kind }) => kind === 'swarm-report')).toHaveLength(1);
  });

  it('answers a repeat with what is stored, and reports to each test run once', async () => {
    const { runTest, swarm, jobs, criticizer } = await setUpSwarm(model);
    const [first, second] = [swarm.updateUrl(1), swarm.updateUrl(2)];
    for (const update of [first, first, second]) expect((await runTest({ update })).status).toBe(200);
    expect((await jobs()).map(({ kind }) => kind).sort()).toEqual(['review', 'swarm-report', 'swarm-report']);
    await criticizer.start();
    await swarm.whenPosted(2);
    expect(swarm.posted.map(({ path }) => path).sort()).toEqual(
      [first, second].map((url) => new URL(url).pathname).sort(),
    );
  });

  it.each([
    ['another host', (origin: string) => origin.replace('127.0.0.1', 'evil.example.test'), 'origin'],
    ['another port', (origin: string) => origin.replace(/:\d+$/, ':9'), 'origin'],
    ['another scheme', (origin: string) => origin.replace('http:', 'https:'), 'origin'],
    ['a longer host', (origin: string) => origin.replace('127.0.0.1', '127.0.0.1.evil.example.test'), 'origin'],
    ['another name of the host', (origin: string) => origin.replace('127.0.0.1', 'localhost'), 'origin'],
    ['a user', (origin: string) => origin.replace('http://', 'http://swarm@'), 'user'],
    ['a user that looks like the host', (origin: string) => `${origin}@evil.example.test`, 'user'],
    ['the host as a user without a port', () => 'http://127.0.0.1@evil.example.test', 'user'],
    ['a backslash', (origin: string) => `${origin}\\@evil.example.test`, 'malformed'],
    ['a line break', (origin: string) => `${origin}\n.evil.example.test`, 'malformed'],
    ['a tab', (origin: string) => origin.replace('http', 'ht\ttp'), 'malformed'],
    ['letters beyond ASCII', (origin: string) => origin.replace('127.0.0.1', '127。0。0。1'), 'malformed'],
    ['no scheme', (origin: string) => origin.replace('http:', ''), 'malformed'],
    ['a script', () => 'javascript:alert(1)', 'origin'],
    ['a file', () => 'file:///etc/hostname', 'origin'],
    ['metadata', () => 'http://169.254.169.254', 'origin'],
    ['great length', (origin: string) => `${origin}/${'x'.repeat(3_000)}`, 'malformed'],
  ])('refuses an update URL with %s, before anything is stored', async (_what, spoil, why) => {
    const { runTest, swarm, jobs, events, simulator } = await setUpSwarm(model);
    const answer = await runTest({ update: `${spoil(swarm.origin)}/api/v11/testruns/1/KEY` });
    expect([answer.status, await answer.json()]).toEqual([403, { error: 'SWARM_UPDATE_REFUSED' }]);
    expect(await jobs()).toEqual([]);
    expect(simulator.log()).toEqual([]);
    expect(events).toMatchObject([{ type: 'http.blocked', details: { code: 'SWARM_UPDATE_REFUSED', why } }]);
    expect(JSON.stringify(events)).not.toContain('KEY');
  });

  it.each([
    ['an unknown word', { project: 'x' }, ['']],
    ['no update', { update: undefined }, ['update']],
    ['a change that is none', { change: '0' }, ['change']],
    ['a change with a sign', { change: '+12' }, ['change']],
    ['a change too large', { change: 9_999_999_999 }, ['change']],
    ['a list', { change: ['12'] }, ['change']],
    ['a placeholder that was not filled in', { version: '{version}' }, ['version']],
    ['a status that is none', { status: 'evil' }, ['status']],
  ])('refuses %s', async (_what, words, fault) => {
    const { runTest, swarm, jobs } = await setUpSwarm(model);
    const answer = await runTest({ update: swarm.updateUrl(1), ...words });
    expect([answer.status, ((await answer.json()) as { words: string[] }).words]).toEqual([
      400,
      fault.filter((word) => word !== ''),
    ]);
    expect(await jobs()).toEqual([]);
  });

  it('refuses a word given twice, a body that is none, one of another kind, one that is too long, and other methods', async () => {
    const { call, swarm, jobs } = await setUpSwarm(model);
    const words = { change: '12', status: 'shelved', review: '12', version: '1', update: swarm.updateUrl(1) };
    const statuses = [
      await call({ body: JSON.stringify(words), query: '?change=13' }),
      await call({ body: '{' }),
      await call({ body: '[]' }),
      await call({ body: 'null' }),
      await call({ body: '<change>12</change>', headers: { 'content-type': 'application/xml' } }),
      await call({ body: JSON.stringify(words) + ' '.repeat(20_000) }),
      await call({ method: 'PUT', body: JSON.stringify(words) }),
    ].map(({ status }) => status);
    expect(statuses).toEqual([400, 400, 400, 400, 415, 413, 405]);
    expect(await jobs()).toEqual([]);
  });

  it('asks for the secret before it reads the body; the one before it passes too', async () => {
    const { call, swarm, secret, previous, jobs, logged } = await setUpSwarm(model);
    const body = JSON.stringify({
      change: '12',
      status: 'shelved',
      review: '12',
      version: '1',
      update: swarm.updateUrl(1),
    });
    for (const wrong of [
      null,
      '',
      'Bearer ',
      'Bearer x',
      `Basic ${secret}`,
      `Bearer ${secret} `.repeat(2),
      `Bearer ${secret.slice(1)}`,
    ])
      expect((await call({ body }, wrong)).status).toBe(401);
    const unread = new ReadableStream({ pull: (controller) => controller.error(new Error('the body was read')) });
    expect((await call({ body: unread, duplex: 'half' } as RequestInit, null)).status).toBe(401);
    expect(await jobs()).toEqual([]);
    expect((await call({ body }, `Bearer ${previous}`)).status).toBe(200);
    expect(JSON.stringify(logged)).not.toContain(secret);
  });

  it('is mounted on node:http as well, and answers before a large body has come', async () => {
    const { endpoint, secret, swarm, submitted } = await setUpSwarm(model);
    const server = createServer((request, response) => void endpoint.node(request, response));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    try {
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/swarm?change=12&status=shelved`;
      const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' };
      const body = JSON.stringify({ review: '12', version: '1', update: swarm.updateUrl(1) });
      expect((await fetch(url, { method: 'POST', headers, body })).status).toBe(200);
      expect(await submitted()).toContain('main/12 v1');
      // In pieces, so that no length is declared.
      const pieces = new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(8_192)) });
      expect((await fetch(url, { method: 'POST', headers, body: pieces, duplex: 'half' } as RequestInit)).status).toBe(
        413,
      );
    } finally {
      server.close();
      server.closeAllConnections();
    }
  });

  it('says 503 and a code where the change could not be stored', async () => {
    const { runTest, swarm, simulator } = await setUpSwarm(model);
    simulator.update({ port: 'elsewhere.invalid:1666' });
    const answer = await runTest({ update: swarm.updateUrl(1) });
    expect([answer.status, await answer.json()]).toEqual([503, { error: 'P4_UNREACHABLE' }]);
  });
});

const about = { changelistId: 'main/12', reviewVersion: 1, jobId: null };

describe('createSwarmReports', () => {
  it('EGR-1: each post that P4 Code Review received has a record of exactly its bytes, in counts', async () => {
    const { runTest, swarm, criticizer, stores } = await setUpSwarm({ changes: [base, submittedChange(12)] });
    await runTest({ update: swarm.updateUrl(1) });
    await runTest({ change: '99', update: swarm.updateUrl(2) });
    await criticizer.start();
    await swarm.whenPosted(2);
    const rows = await stores.egress.list({ destination: 'code-review' });
    expect(rows.map(({ bodySha256 }) => bodySha256).sort()).toEqual(swarm.posted.map(({ sha256 }) => sha256).sort());
    const [review] = (await stores.jobs.list({})).filter(({ kind }) => kind === 'review');
    const found = rows.map(({ provider, content, changelistId, jobId }) => ({
      provider,
      content,
      changelistId,
      jobId,
    }));
    expect(found).toEqual(
      expect.arrayContaining([
        { provider: 'swarm', content: 'counts', changelistId: 'main/12', jobId: review?.id },
        { provider: 'swarm', content: 'counts', changelistId: 'main/99', jobId: null },
      ]),
    );
    expect(new Set(rows.map(({ host }) => host))).toEqual(new Set([new URL(swarm.origin).host]));
  });

  it('EGR-1: a post whose record cannot be committed is not sent', async () => {
    const { reports, swarm, stores } = await setUpSwarm(model);
    stores.egress.append = async () => {
      throw new CriticizerError('DB_UNAVAILABLE', 'down', { category: 'network' });
    };
    const update = { status: 'pass', messages: [] } as const;
    await expect(
      reports.server.postUpdate(swarm.updateUrl(1), update, about, new AbortController().signal),
    ).rejects.toMatchObject({ code: 'EGRESS_UNRECORDED', parks: true });
    expect(swarm.posted).toEqual([]);
  });

  it('EGR-4: nothing is posted while the kill switch is on, by its name or for all; the report waits without an attempt', async () => {
    const clock = createManualClock(Date.UTC(2026, 0, 1));
    const { runTest, swarm, criticizer, stores } = await setUpSwarm({ changes: [base] }, { clock, storeClock: clock });
    const flip = async (value: JsonObject) => {
      const { version } = await stores.documents.read('egress.kill-switch');
      await stores.documents.write('egress.kill-switch', version, value);
    };
    for (const [change, providers] of [
      ['99', ['code-review:swarm']],
      ['98', null],
    ] as const) {
      await flip({ stopped: true, ...(providers === null ? {} : { providers: [...providers] }) });
      await runTest({ change, update: swarm.updateUrl(Number(change)) });
      await criticizer.runDue();
    }
    expect(swarm.posted).toEqual([]);
    expect(await stores.egress.list({ destination: 'code-review' })).toEqual([]);
    const waiting = await stores.jobs.list({});
    expect(
      waiting.map(({ kind, status, attempts, waitingFor }) => [kind, status, attempts['report'] ?? 0, waitingFor]),
    ).toEqual(Array.from({ length: 2 }, () => ['swarm-report', 'queued', 0, 'EGRESS_KILLED']));
    await flip({ stopped: false });
    await clock.advance(10 * 60_000);
    await criticizer.runDue();
    expect(swarm.posted).toHaveLength(2);
  });

  it.each([
    [
      'is outside the allow-list',
      submittedChange(12, {}, '//depot/other/x'),
      { status: 'pass', messages: ['Not reviewed: out-of-scope', advice] },
    ],
    ['does not exist', submittedChange(13), { status: 'pass', messages: ['Not reviewed: not-found', advice] }],
    [
      'is restricted',
      submittedChange(12, { restricted: true, files: [] }),
      { status: 'pass', messages: ['Not reviewed: restricted', advice] },
    ],
    [
      'mixes allowed with denied paths',
      submittedChange(12, {
        files: ['//depot/main/a', '//depot/other/b'].map((path) => ({ path, action: 'add' as const, content: 'x\n' })),
      }),
      { status: 'pass', messages: ['The review failed: P4_PATH_DENIED', advice] },
    ],
  ])('reports a change that %s', async (_what, change, body) => {
    const { runTest, swarm, criticizer } = await setUpSwarm({ changes: [base, change] });
    expect((await runTest({ update: swarm.updateUrl(1) })).status).toBe(200);
    await criticizer.start();
    await swarm.whenPosted(1);
    expect(swarm.posted.map((post) => post.body)).toEqual([body]);
  });

  it('INV-4: says "not reviewed yet" after 15 minutes, once, and the end when it comes: an outage blocks nobody', async () => {
    const clock = createManualClock(Date.UTC(2026, 0, 1));
    const settings = { watch: { quietMs: 20 * 60_000 } };
    const more = { settings, clock, storeClock: clock, isBlocking: true };
    const { runTest, swarm, criticizer } = await setUpSwarm(model, more);
    await runTest({ update: swarm.updateUrl(1) });
    const postedAfter = async (minutes: number) => {
      await clock.advance(minutes * 60_000);
      await criticizer.runDue();
      return swarm.posted.map(({ body }) => body);
    };
    expect(await postedAfter(14)).toEqual([]);
    const pending = { status: 'pass', messages: ['Not reviewed yet'] };
    expect(await postedAfter(2)).toEqual([pending]);
    expect(await postedAfter(2)).toEqual([pending]);
    await postedAfter(2);
    expect((await postedAfter(2)).slice(1)).toMatchObject([
      { status: 'pass', messages: [expect.any(String), 'Files: 1 reviewed, 0 not'] },
    ]);
  });

  it('reports the review that a watcher asked for, and lets the host say what passes', async () => {
    const { runTest, watcher, swarm, criticizer, jobs } = await setUpSwarm(
      { changes: [base, submittedChange(12)] },
      { passes: (end) => end.kind !== 'reviewed' },
    );
    await watcher.take([12]);
    const answer = await runTest({ update: swarm.updateUrl(1), status: 'submitted' });
    expect(await answer.json()).toEqual({ outcome: 'known', reviewVersion: 1 });
    expect((await jobs()).filter(({ kind }) => kind === 'review')).toHaveLength(1);
    await criticizer.start();
    await swarm.whenPosted(1);
    expect(swarm.posted[0]?.body).toMatchObject({
      status: 'fail',
      messages: ['Nothing to show, and not all of it was reviewed', 'Files: 1 reviewed, 0 not'],
    });
  });

  it('tries again where the server is out of order, and follows no redirect', async () => {
    const redirect = { status: 307, headers: { location: 'http://169.254.169.254/' } };
    const { runTest, swarm, criticizer, stores, jobs } = await setUpSwarm(model, {
      answers: [{ status: 502 }, redirect],
    });
    await runTest({ update: swarm.updateUrl(1) });
    await criticizer.start();
    await swarm.whenPosted(2);
    await expect
      .poll(async () => (await stores.deadLetters.list({})).map(({ errorClass }) => errorClass))
      .toEqual(['HTTP_REDIRECTED']);
    expect(swarm.posted).toHaveLength(2);
    expect((await jobs()).map(({ kind, status }) => `${kind} ${status}`).sort()).toEqual([
      'review completed',
      'swarm-report failed',
    ]);
    expect(JSON.stringify(await stores.deadLetters.list({}))).not.toContain('testruns');
  });

  it('takes an answer with an error in it for a failure', async () => {
    const { reports, swarm } = await setUpSwarm(model, {
      answers: [{ body: '{"error":"Unauthorized"}' }, { body: 'no JSON' }],
    });
    const post = () =>
      reports.server
        .postUpdate(swarm.updateUrl(1), { status: 'pass', messages: [] }, about, new AbortController().signal)
        .then(
          () => 'posted',
          (error: { code: string }) => error.code,
        );
    expect([await post(), await post(), await post()]).toEqual(['SWARM_UPDATE_FAILED', 'posted', 'posted']);
  });

  it('checks the origin again before it posts: the setting may be another one by then', async () => {
    const { reports, swarm, events } = await setUpSwarm(model);
    const url = swarm.updateUrl(1).replace('127.0.0.1', 'localhost');
    const post = reports.server.postUpdate(url, { status: 'pass', messages: [] }, about, new AbortController().signal);
    await expect(post).rejects.toMatchObject({ code: 'SWARM_UPDATE_REFUSED', category: 'policy' });
    expect([events.length, swarm.posted]).toEqual([1, []]);
  });
});
