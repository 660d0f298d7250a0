import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { chmodSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createSqliteStores } from '@criticizer/queue-sqlite';
import { afterEach, describe, expect, it } from 'vitest';
import { runCommandLine } from '../src/commands/run-command.js';
import { makeServer, shelved, submitted } from '../src/simulated/stand-ins.js';
import { type RealEndpoints, startRealEndpoints } from './real-endpoints.js';

const opened: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of opened.splice(0).reverse()) await close();
});

async function openEndpoints(): Promise<RealEndpoints> {
  const endpoints = await startRealEndpoints();
  opened.push(() => endpoints[Symbol.asyncDispose]());
  return endpoints;
}

/** One command line; `answers` are what a person types. */
async function run(env: NodeJS.ProcessEnv, argv: readonly string[], answers: string[] | null = null) {
  let out = '';
  let errors = '';
  const asked: string[] = [];
  const code = await runCommandLine(argv, {
    env,
    write: (text) => {
      out += text;
    },
    warn: (text) => {
      errors += text;
    },
    async ask(question) {
      asked.push(question);
      return answers?.shift() ?? null;
    },
    signal: new AbortController().signal,
  });
  return { code, out, errors, asked };
}

/** A queue of the environment, migrated. */
async function openQueue({ env }: RealEndpoints) {
  expect((await run(env, ['migrate'])).code).toBe(0);
  const stores = createSqliteStores({ file: join(env['DATA_DIR'] ?? '', 'queue.sqlite') });
  opened.push(() => stores.close());
  return stores;
}

const token = `ghp_${randomBytes(18).toString('hex')}`;
function withSecret(endpoints: RealEndpoints): void {
  const content = `const total = 11;\nconst token = '${token}';\n`;
  endpoints.place.simulator.update({ changes: [...makeServer('').changes, submitted(11, content)] });
}

describe('commands', { timeout: 60_000 }, () => {
  it('names every command, and says what is wrong with a command line', async () => {
    const { out, code } = await run({}, ['--help']);
    expect(code).toBe(0);
    for (const name of [
      'serve',
      'worker',
      'migrate',
      'doctor',
      'forecast',
      'dry-run',
      'review',
      'why',
      'replay',
      'stop',
    ])
      expect(out).toMatch(new RegExp(`^  ${name} {2,}\\S`, 'm'));
    expect(out).not.toMatch(/^ {2}[A-Z0-9_]+ *$/m); // every variable says what it is
    expect((await run({}, ['review', '--help'])).out).toContain('--yes');
    const { env } = await openEndpoints();
    expect(await run(env, ['riview'])).toMatchObject({ code: 2, errors: 'riview is no command; see --help\n' });
    expect(await run(env, ['why'])).toMatchObject({ code: 2, errors: expect.stringMatching(/change/i) });
    expect(await run(env, ['why', 'x'])).toMatchObject({
      code: 2,
      errors: 'CHANGE: expected the number of a change\n',
    });
    expect(await run(env, ['why', '1', '--nope'])).toMatchObject({ code: 2, errors: '--nope: unknown; see --help\n' });
    expect(await run({ ...env, LLM_MODEL: '' }, ['why', '1'])).toMatchObject({
      code: 2,
      errors: 'LLM_MODEL: is missing\n',
    });
  });

  it('migrate shows its plan, applies it, and then has nothing to do', async () => {
    const { env } = await openEndpoints();
    const plan = await run(env, ['migrate', '--plan']);
    expect(plan.out).toContain('CREATE TABLE');
    expect(JSON.parse((await run(env, ['migrate', '--json'])).out).applied.length).toBeGreaterThan(0);
    expect((await run(env, ['migrate', '--plan'])).out).toBe('Nothing to apply.\n');
  });

  it('AUD-1: migrate --grants prints the roles of PostgreSQL, of SQLite none', async () => {
    const { env } = await openEndpoints();
    expect(await run(env, ['migrate', '--grants'])).toMatchObject({
      code: 2,
      errors: '--grants: SQLite has no roles\n',
    });
    const onPostgres = { ...env, DATABASE_URL: 'postgres://u@localhost/d', DATABASE_SCHEMA: 'reviews' };
    const { code, out } = await run(onPostgres, ['migrate', '--grants', '--keeper', 'dpo']);
    expect([code, out.includes('"reviews"'), out.includes("'criticizer_owner'"), out.includes("'dpo'")]).toEqual([
      ...[0, true, true, true],
    ]);
    expect(await run(onPostgres, ['migrate', '--grants', '--app', 'dpo', '--owner', 'dpo'])).toMatchObject({ code: 2 });
  });

  it('migrate needs no pin, and doctor says to run it', async () => {
    const { env } = await openEndpoints();
    const pinless = { ...env, P4_FINGERPRINT: '' };
    expect((await run(pinless, ['doctor'])).out).toMatch(/queue +SCHEMA_OLD .*To do: run migrate\./);
    expect((await run(pinless, ['migrate'])).code).toBe(0);
    expect((await run(pinless, ['doctor'])).out).not.toContain('run migrate');
  });

  it('review names every secret that cannot be read, its file and why, before it asks', async () => {
    const { env } = await openEndpoints();
    const key = env['LLM_KEY_FILE'] ?? '';
    chmodSync(key, 0o644);
    const lines = (result: { errors: string }) => result.errors.trimEnd().split('\n');
    const refused = await run({ ...env, P4_TICKET_FILE: `${key}-none` }, ['review', '11'], ['y']);
    expect([refused.code, refused.asked, lines(refused)]).toEqual([
      2,
      [],
      [
        `LLM_KEY_FILE ${key}: is refused for its mode 0644 (SECRET_REJECTED); expected mode 0400 or 0600, owned by this user`,
        `ticket of main ${key}-none: is missing or empty (SECRET_MISSING)`,
      ],
    ]);
    const forecast = await run({ ...env, SECRETS_DIR: '/nonexistent' }, ['forecast']);
    expect([forecast.code, lines(forecast)]).toEqual([
      2,
      ['FINGERPRINT_KEY /nonexistent/FINGERPRINT_KEY: is missing or empty (SECRET_MISSING)'],
    ]);
  });

  it('ERR-9: a replay of what failed at the Perforce server asks the server first', async () => {
    const endpoints = await openEndpoints();
    const stores = await openQueue(endpoints);
    const change = { kind: 'review', stage: 'fetch', changelistId: 'main/11', reviewVersion: 1 };
    await stores.jobs.enqueue([{ ...change, payload: {}, idempotencyKey: 'probed' }]);
    const claim = { kinds: ['review'], owner: 'o', token: 't', leaseMs: 60_000, limit: 1 };
    const [claimed] = await stores.jobs.claim(claim);
    if (claimed === undefined) throw new Error('nothing to claim');
    const why = {
      errorClass: 'P4_FAILED',
      category: 'upstream',
      lastStack: 'P4Error: no',
      sanitizedContext: {},
    } as const;
    const deadLetter = { ...why, escalation: 'none' } as const;
    await stores.jobs.settle([{ lease: claimed.lease, kind: 'dead-letter', deadLetter }]);
    const [found] = await stores.deadLetters.list({});
    const ask = (env: NodeJS.ProcessEnv) => run(env, ['letter', found?.id ?? '']);
    expect((await ask(endpoints.env)).out).toMatch(/ok +dependency +The doctor finds no error at main\./);
    const away = await ask({ ...endpoints.env, P4PORT: 'ssl:perforce.example:1' });
    expect(away.out).toMatch(/NO +dependency +main: connection\./);
  });

  it('doctor is healthy on a good configuration and names what is not', async () => {
    const endpoints = await openEndpoints();
    await openQueue(endpoints);
    const good = await run(endpoints.env, ['doctor']);
    expect(good).toMatchObject({ code: 0, out: expect.stringContaining('0 errors') });
    const pinless = { ...endpoints.env, P4_FINGERPRINT: '' };
    expect((await run(pinless, ['doctor'])).out).toContain(`trust.pin_missing`);
    expect((await run(pinless, ['why', '1'])).errors).toContain('the server main: trustFingerprint: expected');
    const bad = await run({ ...endpoints.env, ALLOW: '//nodepot/...', MIN_FREE_MB: '999999' }, ['doctor', '--json']);
    const report = JSON.parse(bad.out);
    expect([
      bad.code,
      report.service.disk.code,
      report.servers[0].findings.map(({ code }: { code: string }) => code),
    ]).toEqual([1, 'DISK_FULL', ['allow_list.matches_nothing']]);
  });

  it('EGR-3 EGR-1: dry-run writes the very bytes that review then sends and records, names every destination, and opens no connection', async () => {
    const endpoints = await openEndpoints();
    const { env, model } = endpoints;
    withSecret(endpoints);
    const out = join(endpoints.place.directory, 'out');
    const dry = await run(env, ['dry-run', '11', '--out', out]);
    expect(dry.out).toMatch(
      /^Would send 1 file, \d+ kB, 1 secret withheld, to 127\.0\.0\.1:\d+ \(private\), then at most 1 request to check findings\. Nothing was sent\./,
    );
    expect([dry.code, model.bodies, readdirSync(out).sort()]).toEqual([0, [], ['dry-run.json', 'request-1.json']]);
    const body = readFileSync(join(out, 'request-1.json'), 'utf8');
    expect([body.includes(token), body.includes('[REDACTED:')]).toEqual([false, true]);
    const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
    const { requests, destinations } = JSON.parse(readFileSync(join(out, 'dry-run.json'), 'utf8'));
    const [llm, mail] = destinations;
    expect([llm.kind, llm.content, mail.name, mail.recipients]).toEqual([
      ...['llm', 'code', 'mail:shadow'],
      [{ address: 'ada@example.test', required: true, content: 'findings' }],
    ]);
    expect(dry.out).toContain('    ada@example.test: findings\n');
    expect(requests[0].bodySha256).toBe(sha256(body));
    const counted = await run(env, ['review', '11', '--yes', '--content', 'counts']);
    expect([counted.code, counted.out]).toEqual([0, expect.not.stringContaining('//depot')]);
    const [sent] = model.bodies;
    const rows = await (await openQueue(endpoints)).egress.list({ destination: 'llm' });
    expect([sent, rows.length]).toEqual([body, 2]); // the review, then the check of what it found
    expect(rows.map(({ bodySha256 }) => bodySha256)).toContain(sha256(body));
  });

  it('EGR-1: review asks first, prints findings with the lines, mails nobody and leaves a record', async () => {
    const endpoints = await openEndpoints();
    const { env, model, mails } = endpoints;
    withSecret(endpoints);
    const refused = await run(env, ['review', '11'], ['n']);
    expect(refused.asked).toEqual([
      expect.stringMatching(
        /^Sends 1 file, \d+ kB, 1 secret withheld, to 127\.0\.0\.1:\d+ \(private\); a reply that does not fit is asked for again, then at most 1 request to check findings\. Nothing else leaves\. Continue\? \[y\/N\] $/,
      ),
    ]);
    expect([refused.code, refused.errors, model.bodies]).toEqual([1, 'Nothing was sent.\n', []]);
    expect(await run(env, ['review', '11'])).toMatchObject({ code: 2, errors: expect.stringContaining('--yes') });
    const absent = { code: 3, errors: expect.stringContaining('P4_CHANGE_NOT_FOUND') };
    expect(await run(env, ['review', '99', '--yes'])).toMatchObject(absent);
    const { code, out } = await run(env, ['review', '11'], ['y']);
    expect(code).toBe(0);
    expect(out).toContain(
      'high  //depot/orders/src/total.js:1\n  The total is a constant\n  >     1  const total = 11;',
    );
    expect(out).toContain('2 findings; 1 of 1 file reviewed in full; 1 secret withheld.');
    expect(out).not.toContain(token);
    const stores = await openQueue(endpoints);
    expect((await stores.egress.list({ destination: 'llm' })).map(({ changelistId }) => changelistId)).toEqual([
      ...['main/11', 'main/11'], // the review, then the check of what it found
    ]);
    expect([mails, await stores.jobs.list({})]).toEqual([[], []]);
  });

  it('review counts under the daily budget, sends nothing once that is spent, and names it', async () => {
    const endpoints = await openEndpoints();
    const { model } = endpoints;
    withSecret(endpoints);
    const env = { ...endpoints.env, LLM_DAILY_REQUESTS: '1' };
    expect((await run(env, ['review', '11', '--yes'])).out).toContain('1 of 1 file reviewed in full');
    const spent = await run(env, ['review', '11', '--yes']);
    expect(spent.out).toContain('1 finding; 0 of 1 file reviewed in full');
    expect(spent.out).toContain('The budget day.requests is spent; 1 file not reviewed in full.');
    const { coverage } = JSON.parse((await run(env, ['review', '11', '--yes', '--json'])).out);
    const sarif = await run(env, ['review', '11', '--yes', '--format', 'sarif', '--root', '//depot/orders']);
    const [unread] = JSON.parse(sarif.out).runs[0].invocations[0].toolExecutionNotifications.slice(-1);
    expect(unread.locations[0].physicalLocation.artifactLocation.uri).toBe('src/total.js');
    const wrong = [
      ['--content', 'counts', '--format', 'sarif'],
      ['--root', 'depot'],
      ['--json', '--format', 'gitlab'],
    ];
    for (const more of wrong) expect((await run(env, ['review', '11', '--yes', ...more])).code, more.join(' ')).toBe(2);
    expect(coverage.files).toMatchObject([{ path: '//depot/orders/src/total.js', reason: 'budget' }]);
    expect(model.bodies).toHaveLength(1);
  });

  it('without a model counts files and secrets, asks nothing and sends nothing', async () => {
    const endpoints = await openEndpoints();
    withSecret(endpoints);
    const { LLM_BASE_URL: _url, LLM_MODEL: _model, LLM_KEY_FILE: _key, ...rest } = endpoints.env;
    const env = { ...rest, LLM_PROTOCOL: 'none' };
    const { code, out, asked } = await run(env, ['review', '11']);
    expect([code, asked, endpoints.model.bodies]).toEqual([0, [], []]);
    expect(out).toContain('1 finding; 0 of 1 file reviewed in full; 1 secret withheld.');
    const folder = join(endpoints.place.directory, 'nothing');
    expect((await run(env, ['dry-run', '11', '--out', folder])).out).toContain('Would send nothing. Nothing was sent.');
    expect(JSON.parse((await run(env, ['forecast', '--json'])).out)).toMatchObject({ requests: 0, cost: null });
  });

  it('EGR-4: stop holds for review too, and resume lets it go', async () => {
    const endpoints = await openEndpoints();
    const { env, model } = endpoints;
    withSecret(endpoints);
    const stores = await openQueue(endpoints);
    const stopped = await run(env, ['stop', '--reason', 'audit', '--actor', 'ada']);
    expect(stopped.out).toContain('(audit: recorded)');
    const held = await run(env, ['review', '11', '--yes']);
    expect([held.code, held.errors, model.bodies]).toEqual([1, expect.stringContaining('EGRESS_KILLED'), []]);
    expect((await run(env, ['resume', '--reason', 'done', '--actor', 'ada'])).code).toBe(0);
    expect((await run(env, ['review', '11', '--yes'])).code).toBe(0);
    const events = await stores.audit.list({ action: 'egress.kill_switch.set' });
    expect(events.map(({ actorId, payload }) => [actorId, payload['reason']])).toEqual([
      ['ada', 'done'],
      ['ada', 'audit'],
    ]);
  });

  it('EGR-4: stop takes names that exist, says what is stopped, and never narrows what stands', async () => {
    const endpoints = await openEndpoints();
    const { env } = endpoints;
    const stores = await openQueue(endpoints);
    const stop = (providers: string) =>
      run(env, ['stop', '--reason', 'audit', '--actor', 'ada', '--providers', providers]);
    const stopped = async () => (await stores.documents.read('egress.kill-switch')).value;
    for (const wrong of [',', 'mail:smpt', 'mail:smtp,nobody'])
      expect(await stop(wrong)).toMatchObject({
        code: 2,
        errors: expect.stringMatching(/expected of \S+, mail:smtp, /),
      });
    expect(await stopped()).toBeNull();
    expect((await stop('mail:smtp')).out).toContain('Stopped within 5 seconds: mail:smtp.');
    expect((await stop(' telemetry:host , mail:smtp')).out).toContain(': mail:smtp, telemetry:host.');
    expect(await stopped()).toMatchObject({ stopped: true, providers: ['mail:smtp', 'telemetry:host'] });
    expect((await run(env, ['stop', '--reason', 'audit'])).out).toContain('Stopped within 5 seconds: everything');
    expect((await stop('mail:smtp')).out).toContain('everything: requests to models, mails and posts. It was stopped');
    expect(await stopped()).not.toHaveProperty('providers');
    expect((await run(env, ['resume', '--reason', 'done'])).out).toContain('Nothing is stopped');
    expect(await stopped()).toMatchObject({ stopped: false });
  });

  it('EGR-4: a mistake elsewhere in the configuration keeps nobody from stopping', async () => {
    const endpoints = await openEndpoints();
    const { env } = endpoints;
    const stores = await openQueue(endpoints);
    const broken = { ...env, SMTP_URL: 'none', LLM_MODEL: '', P4PORT: '', SETTINGS_FILE: '/nonexistent', MAIL_TO: 'x' };
    const narrow = await run(broken, ['stop', '--reason', 'audit', '--providers', 'nobody']);
    expect([narrow.code, narrow.errors]).toEqual([0, expect.stringContaining('cannot be read, so nobody knows')]);
    expect((await run(broken, ['stop', '--reason', 'audit', '--providers', ','])).code).toBe(2);
    expect((await run(broken, ['stop', '--reason', 'audit'])).code).toBe(0);
    expect((await stores.documents.read('egress.kill-switch')).value).toMatchObject({ stopped: true });
    for (const argv of [['mails'], ['letters'], ['migrate'], ['resume', '--reason', 'done']])
      expect(await run(broken, argv)).toMatchObject({ code: 0, errors: '' });
    const elsewhere = await run({ ...broken, DATABASE_ULR: 'sqlite:/x' }, ['stop', '--reason', 'audit']);
    expect([elsewhere.code, elsewhere.errors]).toEqual([2, expect.stringContaining('DATABASE_ULR')]);
  });

  it('why, letters, replay and mails say where a review stands', async () => {
    const endpoints = await openEndpoints();
    const { env } = endpoints;
    const stores = await openQueue(endpoints);
    endpoints.place.simulator.update({ changes: [...makeServer('').changes, shelved(12, 'const total = 2;\n')] });
    expect(await run(env, ['why', '12'])).toMatchObject({ code: 3, out: expect.stringContaining('shelved by ada') });
    const [{ job } = { job: null }] = await stores.jobs.enqueue([
      {
        ...{ kind: 'review', stage: 'fetch', idempotencyKey: 'k', changelistId: 'main/12', reviewVersion: 2 },
        payload: { serverId: 'main', number: 12, recipients: [], seenBy: 'trigger' },
      },
    ]);
    const claim = async () =>
      (await stores.jobs.claim({ kinds: ['review'], owner: 'o', token: 't', leaseMs: 60_000, limit: 1 }))[0]?.lease;
    const settle = async (rest: object) => {
      const lease = await claim();
      if (lease === undefined) throw new Error('nothing to claim');
      await stores.jobs.settle([{ lease, ...rest } as Parameters<typeof stores.jobs.settle>[0][number]]);
    };
    await settle({ kind: 'wait', delayMs: 0, reason: 'P4_UNREACHABLE' });
    expect((await run(env, ['why', '12'])).out).toMatch(
      /^v2 shelved by ada: waiting in fetch since \d\d:\d\d \(P4_UNREACHABLE, next \d\d:\d\d\)\. Seen \d\d:\d\d by trigger; 1 file, 0 filtered; sent nothing; no mail\.\n$/,
    );
    const failure = {
      errorClass: 'AUTH_DENIED',
      category: 'auth',
      lastStack: '',
      sanitizedContext: {},
      escalation: 'none',
    };
    await settle({ kind: 'dead-letter', deadLetter: failure });
    const [letter] = await stores.deadLetters.list({});
    expect((await run(env, ['why', '12'])).out).toContain(`(AUTH_DENIED); dead letter ${letter?.id} is open`);
    expect((await run(env, ['letters'])).out).toContain(`${letter?.id}  open  main/12  fetch AUTH_DENIED`);
    const replay = (...more: string[]) => run(env, ['replay', letter?.id ?? '', '--reason', 'go', ...more]);
    expect(await replay()).toMatchObject({ code: 3, out: expect.stringMatching(/NO {2}evidence[\s\S]*refused/) });
    expect(await replay('--evidence', 'key renewed')).toMatchObject({ code: 0 });
    expect(await replay('--evidence', 'again')).toMatchObject({ code: 3 });
    expect((await stores.jobs.get([job?.id ?? '']))[0]?.status).toBe('queued');
    expect((await run(env, ['mails'])).out).toBe(
      'Delivery is shadow: nobody is mailed, and nothing is posted.\nNone.\n',
    );
    expect(await run(env, ['mails', '--status', 'lost'])).toMatchObject({ code: 2 });
  });

  it('OPS-1: cancel, rerun and priority do so once, and say what became of it', async () => {
    const endpoints = await openEndpoints();
    const { env } = endpoints;
    const stores = await openQueue(endpoints);
    const review = {
      ...{ kind: 'review', stage: 'fetch', idempotencyKey: 'k', changelistId: 'main/12', reviewVersion: 2 },
      payload: { serverId: 'main', number: 12, recipients: [] },
    };
    const [{ job } = { job: null }] = await stores.jobs.enqueue([review]);
    const id = job?.id ?? '';
    const why = ['--reason', 'OPS-9'];
    expect(await run(env, ['priority', id, '7', ...why])).toMatchObject({ code: 0, out: 'set (audit: recorded)\n' });
    expect(await run(env, ['priority', id, 'high', ...why])).toMatchObject({ code: 2 });
    const again = await run(env, ['rerun', '12', ...why]);
    expect(again).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^queued as v3, job \S+ \(audit: recorded\)\n$/),
    });
    expect(await run(env, ['rerun', '13', ...why])).toMatchObject({ code: 3 });
    expect((await stores.jobs.latestVersion('main/12'))?.priority).toBe(7);
    expect(await run(env, ['cancel', id, ...why])).toMatchObject({
      code: 0,
      out: expect.stringContaining('Cancelled'),
    });
    const repeated = { code: 3, out: 'It has ended. (audit: none)\n' };
    expect(await run(env, ['cancel', id, ...why])).toMatchObject(repeated);
    const held = 'main/12 is held: no age and no purge removes anything of it. (audit: recorded)\n';
    expect(await run(env, ['hold', '12', ...why])).toMatchObject({ code: 0, out: held });
    expect(await run(env, ['purge', '12', ...why])).toMatchObject({
      code: 1,
      errors: expect.stringMatching(/^CHANGE_HELD: /),
    });
    expect(await run(env, ['unhold', 'main/12', ...why])).toMatchObject({ code: 0 });
    const purged = 'Nothing of main/12 is left but its audit events and its egress records without paths.';
    expect(await run(env, ['purge', 'main/12', ...why])).toMatchObject({
      ...{ code: 0, out: `${purged} (audit: recorded)\n` },
    });
    expect(await stores.jobs.list({ changelistId: 'main/12' })).toEqual([]);
  });

  it('AUD-1: audit prune deletes what is old, audit erase blanks a person and names what sinks hold', async () => {
    const endpoints = await openEndpoints();
    const { env } = endpoints;
    const stores = await openQueue(endpoints);
    const who = { actorType: 'admin_user', actorId: 'bob', tenantId: null, traceId: null, requestId: null } as const;
    const what = {
      action: 'a.b',
      targetType: null,
      targetId: null,
      resultStatus: 'success',
      httpStatus: null,
    } as const;
    const rest = { sourceIp: null, userAgent: null, payload: {}, payloadSha256: '0'.repeat(64), schemaVersion: 1 };
    const id = randomUUID();
    await stores.audit.record({ id, occurredAt: null, ...who, ...what, ...rest }, ['webhook']);
    const occurredAt = new Date(Date.UTC(2020, 0, 1));
    await stores.audit.record({ id: randomUUID(), occurredAt, ...who, ...what, ...rest }, []);
    const claim = { owner: 'o', token: 't', leaseMs: 30_000, limit: 9, destinations: ['webhook'] };
    await stores.audit.claim(claim);

    const old = ['audit', 'prune', '--older-than', '400', '--reason', 'retention'];
    const pruned = await run(env, old);
    expect(pruned.errors).toBe('');
    expect(pruned.out).toBe(
      'Deleted 1 events from 2020-01-01T00:00:00.000Z to 2020-01-01T00:00:00.000Z, 0 deliveries, 0 dead letters. (audit: recorded)\n',
    );
    expect(await run(env, old)).toMatchObject({ code: 3, out: expect.stringContaining('(audit: none)') });
    const erase = ['audit', 'erase', 'bob', '--actor', 'ada', '--reason'];
    const named = await run(env, [...erase, 'bob asked for it']);
    expect(named).toMatchObject({ code: 2, errors: expect.stringContaining('expected not to name the person') });
    expect((await run(env, [...erase, 'DPO-7'])).out).toBe(
      [
        'Blanked 1 events and 0 dead letters. (audit: recorded)',
        'webhook may hold 1 of them; erase there by key:',
        `  webhook:${id}:v1\n`,
      ].join('\n'),
    );
    expect(await run(env, [...erase, 'DPO-7'])).toMatchObject({ code: 3 });
    expect((await stores.audit.get(id))?.actorId).toBe(null);
    for (const wrong of [
      ['prune', '--reason', 'r'],
      ['prune', '--older-than', 'x', '--reason', 'r'],
      ['prune', '--older-than', '30'],
      ['erase', '--reason', 'r'],
    ])
      expect(await run(env, ['audit', ...wrong]), wrong.join(' ')).toMatchObject({ code: 2 });
  });

  it('AUD-16: audit lists letters with their cause, requeues, ignores by a ticket, and tests the sink', async () => {
    const endpoints = await openEndpoints();
    const { env } = endpoints;
    const stores = await openQueue(endpoints);
    const who = { actorType: 'system', actorId: null, tenantId: null, traceId: null, requestId: null } as const;
    const what = {
      action: 'a.b',
      targetType: null,
      targetId: null,
      resultStatus: 'success',
      httpStatus: null,
    } as const;
    const rest = { occurredAt: null, sourceIp: null, userAgent: null, payload: {}, schemaVersion: 1 } as const;
    for (const errorCode of ['AUTH_DENIED', 'HTTP_REJECTED']) {
      const event = { id: randomUUID(), ...who, ...what, ...rest, payloadSha256: '0'.repeat(64) };
      await stores.audit.record(event, ['webhook']);
      const claim = { owner: 'o', token: randomUUID(), leaseMs: 30_000, limit: 1, destinations: ['webhook'] };
      const [claimed] = await stores.audit.claim(claim);
      if (claimed === undefined) throw new Error('nothing was due');
      const failure = { errorCode, errorSummary: 'refused', errorDetails: { code: errorCode } };
      await stores.audit.settle([{ lease: claimed.lease, kind: 'dead-letter', ...failure }]);
    }
    const listed = JSON.parse((await run(env, ['audit', 'letters', '--json'])).out) as {
      id: string;
      rootCause: string;
    }[];
    expect(listed.map(({ rootCause }) => rootCause).sort()).toEqual(['auth', 'schema']);
    const [first, second] = listed.map(({ id }) => id);
    expect(await run(env, ['audit', 'requeue', first ?? '', '--reason', 'renewed'])).toMatchObject({ code: 0 });
    expect(await run(env, ['audit', 'requeue', first ?? '', '--reason', 'again'])).toMatchObject({ code: 3 });
    expect(await run(env, ['audit', 'ignore', second ?? '', '--reason', 'never mind'])).toMatchObject({
      code: 2,
      errors: expect.stringContaining('expected to begin with a ticket'),
    });
    expect(await run(env, ['audit', 'ignore', second ?? '', '--reason', 'OPS-12 accepted'])).toMatchObject({ code: 0 });
    expect((await run(env, ['audit', 'letters'])).out).toBe('None.\n');
    const [requeued] = await stores.audit.listDeliveries({ state: 'pending' });
    expect(requeued?.idempotencyKey).toMatch(/:v2$/);
    expect(await run(env, ['audit', 'test'])).toMatchObject({ code: 3 });
    expect(await run(env, ['audit', 'burn'])).toMatchObject({ code: 2 });

    const secretFile = join(env['DATA_DIR'] ?? '', 'audit-secret');
    writeFileSync(secretFile, `whsec_${randomBytes(32).toString('base64')}`);
    chmodSync(secretFile, 0o600);
    let status = 204;
    const server = createServer((_request, response) => response.writeHead(status).end()).listen(0, '127.0.0.1');
    opened.push(() => server.close());
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as AddressInfo;
    const withSink = {
      ...env,
      ...{ AUDIT_WEBHOOK_URL: `http://127.0.0.1:${port}/audit`, AUDIT_WEBHOOK_SECRET_FILE: secretFile },
    };
    expect(await run(withSink, ['audit', 'test'])).toMatchObject({ code: 0, out: 'webhook  ok\n' });
    status = 401;
    expect(await run(withSink, ['audit', 'test'])).toMatchObject({
      code: 1,
      out: expect.stringContaining('AUTH_DENIED'),
    });
    // What an operator does is delivered too, once there is a sink.
    expect((await run(withSink, ['stop', '--reason', 'drill'])).code).toBe(0);
    expect((await stores.audit.listDeliveries({ state: 'pending' })).length).toBe(2);
  });

  it('forecast reads the newest changes, sends nothing and says what they would have cost', async () => {
    const endpoints = await openEndpoints();
    const { env, model } = endpoints;
    const time = Math.floor(Date.now() / 1_000) - 3_600;
    const robot = { ...submitted(12, 'const total = 12;\n'), description: 'Nightly #noreview', time };
    const recent = { ...submitted(11, 'const total = 11;\n'), time };
    const path = '//depot/orders/OWNERS';
    const owners = { ...submitted(9, ''), files: [{ path, action: 'add' as const, content: 'lead@example.test\n' }] };
    // The first ones are of 2023.
    endpoints.place.simulator.update({ changes: [owners, ...makeServer('').changes, recent, robot] });
    const priced = { ...env, LLM_PRICE_INPUT: '2.5', LLM_PRICE_OUTPUT: '10' };
    const { code, out } = await run(priced, ['forecast', '--json']);
    const found = JSON.parse(out);
    expect([code, model.bodies]).toEqual([0, []]);
    expect(found).toMatchObject({ changes: 2, reviews: 1, skipped: { tag: 1 }, requests: 1, mails: 1, people: 1 });
    expect(found.cost).toBeCloseTo((found.inputTokens * 2.5 + found.outputTokens * 10) / 1e6, 9);
    const rules = join(endpoints.place.directory, 'rules.json');
    writeFileSync(rules, JSON.stringify({ owners: {} }));
    const owned = JSON.parse((await run({ ...env, MAIL_RULES_FILE: rules }, ['forecast', '--json'])).out);
    expect(owned).toMatchObject({ reviews: 1, mails: 2, people: 2 }); // the author, and the owner by the depot's file
    const cut = (await run(env, ['forecast', '--max', '1'])).out;
    expect(cut).toContain('1 inside ALLOW; --max was reached, there are more');
    expect(cut).toContain('none: nothing would be sent');
    expect((await run(env, ['forecast'])).out).toMatch(
      /unknown for openai-chat\.127\.0\.0\.1-\d+: set LLM_PRICE_INPUT and LLM_PRICE_OUTPUT/,
    );
  });

  it('forecast takes the price of the model that the policy gives the files to, from the settings file too', async () => {
    const { env, place } = await openEndpoints();
    const time = Math.floor(Date.now() / 1_000) - 3_600;
    const recent = { ...submitted(11, 'const total = 11;\n'), time };
    place.simulator.update({ changes: [...makeServer('').changes, recent] });
    const second = { LLM_2_PROTOCOL: 'openai-chat', LLM_2_BASE_URL: 'http://127.0.0.1:9/v1', LLM_2_MODEL: 'm-2' };
    const both = { ...env, ...second, LLM_PRICE_INPUT: '100', LLM_PRICE_OUTPUT: '100' };
    const SETTINGS_FILE = join(place.directory, 'settings.json');
    const provider = 'openai-chat.127.0.0.1-9';
    const forecastWith = async (llm: object): Promise<{ cost: number; inputTokens: number; outputTokens: number }> => {
      const policy = [{ paths: ['//...'], providers: [provider] }];
      writeFileSync(SETTINGS_FILE, JSON.stringify({ egress: { policy }, llm }));
      return JSON.parse((await run({ ...both, SETTINGS_FILE }, ['forecast', '--json'])).out);
    };
    const prices = [{ provider, inputPerMillion: 3, outputPerMillion: 15 }];
    const priced = await forecastWith({ budget: { prices } });
    expect(priced.inputTokens).toBeGreaterThan(0);
    expect(priced.cost).toBeCloseTo((priced.inputTokens * 3 + priced.outputTokens * 15) / 1e6, 9);
    expect(await forecastWith({})).toMatchObject({ cost: null, unpriced: [provider] });
    expect((await run({ ...both, SETTINGS_FILE }, ['forecast'])).out).toContain(
      `unknown for ${provider}: set LLM_2_PRICE_INPUT and LLM_2_PRICE_OUTPUT`,
    );
  });
});
