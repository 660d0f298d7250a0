import type { ChildProcess } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createSqliteStores } from '@criticizer/queue-sqlite';
import PostalMime from 'postal-mime';
import { afterAll, describe, expect, it } from 'vitest';
import { findMailServer, writtenAddress } from '../src/mail/mail-server-address.js';
import { stopMailServer } from '../src/mail/mail-server-process.js';
import type { SampleServer } from '../src/perforce/sample-change.js';
import { takeDemoLease } from '../src/state/demo-lease.js';
import { bundleDemo } from './demo-bundle.js';
import { type DemoRun, demoSource, runDemo } from './run-demo.js';

const top = mkdtempSync(join(tmpdir(), 'criticizer-demo-test-'));
afterAll(() => rmSync(top, { recursive: true, force: true }));

const { demo } = await bundleDemo();
const run = (args: readonly string[], options: DemoRun = {}, program = demo) =>
  runDemo(program, args, { ...options, env: { HOME: top, ...options.env } });

const state = join(top, 'state with spaces');
const plantedIn = (folder: string): readonly string[] =>
  (JSON.parse(readFileSync(join(folder, 'perforce.json'), 'utf8')) as SampleServer).planted;
const otherKey = (): string => randomBytes(32).toString('base64');
const emlFiles = (folder = state): string[] =>
  readdirSync(join(folder, 'mail')).filter((name) => name.endsWith('.eml'));

/** A finished run's folder, to be spoilt. */
function copyOfState(name: string): string {
  const copy = join(top, name);
  cpSync(state, copy, { recursive: true, mode: 0 });
  for (const folder of ['', 'secrets']) chmodSync(join(copy, folder), 0o700);
  return copy;
}

function expectOneLine({ code, out, err }: { code: number | null; out: string; err: string }): void {
  expect({ code, out }, err).toEqual({ code: 2, out: '' });
  expect(err.trim().split('\n')).toHaveLength(1);
  expect(err).not.toMatch(/^\s+at /m);
}

describe('npm run demo', { timeout: 120_000 }, () => {
  it('reviews the sample change, mails it to author and reviewer, and shows what a person wants to know', async () => {
    const { code, out, err } = await run(['--state', state], {}, demoSource);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    for (const said of [
      '✓  fetch',
      '✓  llm',
      '✓  notify',
      '3 withheld',
      '2 critical, 5 high',
      'logo.png: binary',
      'ada@example.test: sent',
      'grace@example.test: sent',
    ])
      expect(out).toContain(said);
    expect(emlFiles()).toHaveLength(2);
    expect(await findMailServer(state)).toBeUndefined();
    expect(readdirSync(join(state, 'running'))).toEqual([]);
  });

  it('RED-8: no planted secret is in a mail or anywhere else it left to', async () => {
    const planted = plantedIn(state);
    expect(planted.length).toBeGreaterThan(2);
    for (const name of emlFiles()) {
      const mail = await PostalMime.parse(readFileSync(join(state, 'mail', name)));
      for (const secret of planted) expect(`${mail.subject}${mail.text}${mail.html}`).not.toContain(secret);
      expect(mail.text).toContain('SQL built from user input');
    }
  });

  it('EGR-5: nothing of the change rests readable in the database or the artifact folder', () => {
    const files = readdirSync(state, { recursive: true, withFileTypes: true }).filter(
      (f) => f.isFile() && /queue\.sqlite|^[0-9a-f]{64}$/.test(f.name),
    );
    expect(files.length).toBeGreaterThan(4);
    for (const file of files) {
      const bytes = readFileSync(join(file.parentPath, file.name)).toString('latin1');
      for (const content of ['gatewayKey', 'SELECT * FROM invoices', 'SQL built from user input', ...plantedIn(state)])
        expect(bytes.includes(content)).toBe(false);
    }
  });

  it('NOT-2: a second run of the same change and version sends nothing and says so', async () => {
    const { code, out } = await run(['--state', state]);
    expect(code).toBe(0);
    expect(out).toContain('nothing was sent');
    expect(emlFiles()).toHaveLength(2);
  });

  it('GRD-6: a shelf through four versions: only what changed is sent, and each says what is new, open and resolved', async () => {
    const { code, out, err } = await run(['--state', join(top, 'shelf'), '--shelf']);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    const since = [...out.matchAll(/Since version .*/g)].map(([line]) => line);
    expect(since).toEqual([
      'Since version 1: 0 new, 3 still open, 1 resolved, 0 not verifiable. 5 of 6 files as before, not read again.',
      'Since version 2: 1 new, 3 still open, 0 resolved, 0 not verifiable. 5 of 7 files as before, not read again.',
      'Since version 3: 0 new, 1 still open, 3 resolved, 0 not verifiable. 5 of 7 files as before, not read again.',
    ]);
    const tokens = [...out.matchAll(/tokens +([\d,]+) sent/g)].map(([, count = '']) => Number(count.replace(',', '')));
    const [first = 0, ...later] = tokens;
    expect(later).toHaveLength(3);
    for (const count of later) expect(count).toBeLessThan(first / 2);
  });

  it('EGR-3: a dry run writes the exact requests and opens no connection', async () => {
    const preload = join(top, 'no-connections.mjs');
    writeFileSync(
      preload,
      "import net from 'node:net';\nnet.Socket.prototype.connect = () => { throw new Error('a connection was opened'); };\n",
    );
    const out = join(top, 'requests');
    mkdirSync(out);
    for (const name of ['request-1.json', 'request-7.json', 'of-mine.json'])
      writeFileSync(join(out, name), 'old', { mode: 0o644 });
    const { code, err } = await run(['--state', join(top, 'dry'), '--dry-run', '--out', out], { preload });
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(readdirSync(out).sort()).toEqual(['dry-run.json', 'of-mine.json', 'request-1.json']);
    for (const name of ['dry-run.json', 'request-1.json']) expect(statSync(join(out, name)).mode & 0o777).toBe(0o600);
    const index = JSON.parse(readFileSync(join(out, 'dry-run.json'), 'utf8'));
    expect(index.requests).toHaveLength(1);
    const [request] = index.requests;
    const body = readFileSync(join(out, request.file), 'utf8');
    expect(Buffer.byteLength(body)).toBe(request.bytes);
    // GRD-3 GRD-4: the function round an edit, and what the edited line calls in a file outside the change.
    expect(body).toMatch(/@@ context, new lines \d+-82 @@.*@@ hunk 1 of 1, new lines 83-93, in closeOrder @@/);
    expect(body).toMatch(/context\\nfile: \/\/depot\/orders\/main\/src\/ledger\.js.*definition of bookPayment/);
    expect(index.checkPaths).toContain('//depot/orders/main/src/ledger.js');
    expect(request.host).toMatch(/^127\.0\.0\.1:/);
    expect(Object.values<number>(request.redactions).reduce((a, b) => a + b, 0)).toBe(3);
    expect(index.withheldPaths).toContainEqual({ path: '//depot/orders/main/assets/logo.png', reason: 'binary' });
    for (const secret of plantedIn(join(top, 'dry'))) expect(body).not.toContain(secret);
  });

  it.concurrent.each<[string, string[], NodeJS.ProcessEnv]>([
    ['an unknown option', ['--nonsense'], {}],
    ['--dry-run without --out', ['--dry-run'], {}],
    ['a version that is none', ['--review-version', 'two'], {}],
    ['a state folder that is a file', ['--state', demo], {}],
    ['--out on a file', ['--dry-run', '--out', demo], {}],
    ['--out where nothing can be made', ['--dry-run', '--out', '/proc/nope/a'], {}],
    ['P4PORT without P4USER', [], { P4PORT: 'perforce:1666' }],
    ['SMTP_URL', [], { SMTP_URL: 'smtp://mail' }],
    ['DATABASE_URL', [], { DATABASE_URL: 'mysql://db' }],
  ])('exits 2 with one clear line for %s', async (_what, args, env) => {
    expectOneLine(await run(args, { env }));
  });

  it('refuses a state folder that others can read', async () => {
    const shared = join(top, 'shared');
    mkdirSync(shared, { mode: 0o755 });
    expect(await run(['--state', shared])).toMatchObject({ code: 2, out: '' });
  });
});

describe('npm run demo on a state folder that is amiss', { timeout: 120_000 }, () => {
  it.concurrent.each<[string, string, (folder: string) => void]>([
    [
      'a queue that is no database',
      'queue.sqlite',
      (folder) => writeFileSync(join(folder, 'queue.sqlite'), 'no database '.repeat(500)),
    ],
    ['a queue that is torn', 'queue.sqlite', (folder) => truncateSync(join(folder, 'queue.sqlite'), 100_000)],
    [
      'a queue that is a folder',
      'SQLITE_CANTOPEN',
      (folder) => {
        rmSync(join(folder, 'queue.sqlite'));
        mkdirSync(join(folder, 'queue.sqlite'));
      },
    ],
    ['a key that is gone', 'FINGERPRINT_KEY', (folder) => rmSync(join(folder, 'secrets', 'FINGERPRINT_KEY'))],
    [
      'a key that opens nothing',
      'KEY_UNKNOWN',
      (folder) => writeFileSync(join(folder, 'secrets', 'ARTIFACT_KEY'), otherKey()),
    ],
    [
      'artifacts deleted under a finished review',
      'ARTIFACT_MISSING',
      (folder) => rmSync(join(folder, 'artifacts'), { recursive: true }),
    ],
    ['mails deleted under a finished review', '.eml', (folder) => rmSync(join(folder, 'mail'), { recursive: true })],
  ])('exits 2 with one clear line for %s, and leaves nothing running', async (what, named, spoil) => {
    const folder = copyOfState(what);
    spoil(folder);
    const end = await run(['--state', folder]);
    expectOneLine(end);
    expect(end.err).toContain(named);
    expect(writtenAddress(folder)).toBeUndefined();
  });

  it('starts a new mail server where the note of the last one is broken', async () => {
    const folder = copyOfState('broken-note');
    writeFileSync(join(folder, 'mail-server.json'), '{"pid":');
    expect(await run(['--state', folder, '--review-version', '2'])).toMatchObject({ code: 0, err: '' });
    expect(emlFiles(folder)).toHaveLength(4);
  });

  it('--fresh starts over in a folder of its own, and leaves any other alone', async () => {
    const [own, foreign] = [copyOfState('own'), join(top, 'foreign')];
    writeFileSync(join(own, 'perforce.json'), '');
    writeFileSync(join(own, 'notes.txt'), 'mine');
    mkdirSync(join(foreign, 'mail'), { recursive: true, mode: 0o700 });
    writeFileSync(join(foreign, 'mail', 'letter.eml'), 'mine');
    const [fresh, ...refused] = await Promise.all([
      run(['--state', own, '--fresh']),
      run(['--state', foreign, '--fresh']),
      run(['--state', foreign]),
    ]);
    expect(fresh).toMatchObject({ code: 0, err: '' });
    expect(emlFiles(own)).toHaveLength(2);
    expect(existsSync(join(own, 'notes.txt'))).toBe(true);
    for (const one of refused) expectOneLine(one);
    expect(readdirSync(foreign, { recursive: true }).sort()).toEqual(['mail', join('mail', 'letter.eml')]);
  });

  it('ERR-7: says in one line why a review failed for good, at once and later', async () => {
    const folder = copyOfState('failing');
    const file = join(folder, 'perforce.json');
    const server = JSON.parse(readFileSync(file, 'utf8')) as SampleServer;
    const fault = { kind: 'message', severity: 3, generic: 1, text: 'Usage: nonsense' } as const;
    writeFileSync(file, JSON.stringify({ ...server, model: { ...server.model, fault } }));
    for (let time = 1; time <= 2; time++) {
      const { code, out, err } = await run(['--state', folder, '--review-version', '2']);
      expect({ code, err }).toEqual({ code: 1, err: '' });
      expect(
        out.split('\n').filter((line) => line.startsWith('The review failed') && line.includes('P4_INCOMPATIBLE')),
      ).toHaveLength(1);
    }
  });

  it('names a misspelt setting of the service in one line', async () => {
    const hooks = join(top, 'misspelt-hooks.mjs');
    writeFileSync(
      hooks,
      `export async function load(url, context, next) {
        const loaded = await next(url, context);
        if (!url.includes('/review-service.ts')) return loaded;
        return { ...loaded, source: String(loaded.source).replace(/settings:\\s*\\{/, "settings: { review: { severtyFloor: 'high' }, ") };
      }`,
    );
    const preload = join(top, 'misspelt.mjs');
    writeFileSync(
      preload,
      `import { register } from 'node:module';\nregister(${JSON.stringify(pathToFileURL(hooks).href)});\n`,
    );
    const end = await run(['--state', join(top, 'misspelt')], { preload }, demoSource);
    expectOneLine(end);
    expect(end.err).toContain('severtyFloor');
    expect(end.err).toContain('severityFloor');
    expect(writtenAddress(join(top, 'misspelt'))).toBeUndefined();
  });
});

describe('npm run demo, interrupted or not alone', { timeout: 120_000 }, () => {
  it('SIGINT stops it cleanly, and the next run goes on at once', async () => {
    const folder = join(top, 'interrupted');
    let sent = false;
    const onOut = (out: string, child: ChildProcess): void => {
      if (!sent && out.includes('…  fetch')) sent = child.kill('SIGINT');
    };
    const stopped = await run(['--state', folder], { onOut });
    expect(stopped.code).toBe(130);
    expect(stopped.err.trim().split('\n')).toHaveLength(1);
    expect(writtenAddress(folder)).toBeUndefined();
    expect(readdirSync(join(folder, 'running'))).toEqual([]);
    const next = await run(['--state', folder]);
    expect(next).toMatchObject({ code: 0, err: '' });
    expect(next.out).not.toContain('lease');
    expect(emlFiles(folder)).toHaveLength(2);
  });

  it('NOT-10: sends what is left of the mails of a review that has ended: only who must have one is waited for by the job', async () => {
    const folder = copyOfState('a-mail-left');
    const stores = createSqliteStores({ file: join(folder, 'queue.sqlite') });
    const claimed = await stores.outbox.claim({
      owner: 'test',
      token: randomUUID(),
      leaseMs: 60_000,
      limit: 10,
      via: ['smtp'],
      purpose: { reconcile: { olderThanMs: 0 } },
    });
    const lost = claimed.filter(({ row }) => !row.required);
    expect(await stores.outbox.settle(lost.map(({ lease }) => ({ lease, kind: 'reopen' })))).toEqual(['settled']);
    await stores.close();
    const [file = ''] = lost.map(({ row }) => join(folder, 'mail', `${row.key}.eml`));
    rmSync(file);
    const { code, out, err } = await run(['--state', folder]);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toContain('going on from where it stopped');
    expect(out).toContain('grace@example.test: sent');
    expect(existsSync(file)).toBe(true);
    expect(emlFiles(folder)).toHaveLength(2);
  });

  it('shows what it waits for while the mail server is gone; SIGTERM ends that, and the next run delivers', async () => {
    const folder = join(top, 'no-mail');
    let [killed, sent] = [false, false];
    const onOut = (out: string, child: ChildProcess): void => {
      const mail = writtenAddress(folder);
      if (!killed && out.includes('…  fetch') && mail !== undefined) killed = process.kill(mail.pid, 'SIGKILL');
      if (!sent && /waits for mail.*next (try|look) in \d+ s.*mail server is gone/.test(out))
        sent = child.kill('SIGTERM');
    };
    expect((await run(['--state', folder], { onOut })).code).toBe(143);
    expect({ killed, sent }).toEqual({ killed: true, sent: true });
    expect(await run(['--state', folder])).toMatchObject({ code: 0, err: '' });
    expect(emlFiles(folder)).toHaveLength(2);
  });

  it('NOT-2: two first runs at once both end well, and one mail goes to each recipient', async () => {
    const folder = join(top, 'both');
    const both = await Promise.all([run(['--state', folder]), run(['--state', folder])]);
    for (const { code, err } of both) expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(emlFiles(folder)).toHaveLength(2);
    expect(writtenAddress(folder)).toBeUndefined();
  });

  it('leaves the mail server, and refuses --fresh, while another demo works in the folder', async () => {
    const folder = copyOfState('shared-with-another');
    const leave = takeDemoLease(folder);
    try {
      expect(await run(['--state', folder, '--review-version', '2'])).toMatchObject({ code: 0, err: '' });
      expect(await findMailServer(folder)).toBeDefined();
      expectOneLine(await run(['--state', folder, '--fresh']));
    } finally {
      leave();
      await stopMailServer(folder);
    }
    expect(await findMailServer(folder)).toBeUndefined();
  });
});
