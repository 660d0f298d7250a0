import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import PostalMime from 'postal-mime';
import { afterAll, describe, expect, it } from 'vitest';
import type { SampleServer } from '../src/sample-change.js';

const demo = fileURLToPath(new URL('../src/demo.ts', import.meta.url));
const top = mkdtempSync(join(tmpdir(), 'criticizer-demo-test-'));
afterAll(() => rmSync(top, { recursive: true, force: true }));

function run(
  args: readonly string[],
  options: { env?: NodeJS.ProcessEnv; preload?: string } = {},
): Promise<{ code: number | null; out: string; err: string }> {
  const imports = options.preload === undefined ? [] : ['--import', pathToFileURL(options.preload).href];
  return new Promise((resolve, reject) => {
    const env = { PATH: process.env['PATH'], HOME: top, ...options.env };
    const child = spawn(process.execPath, ['--conditions=criticizer-source', '--import', 'tsx', ...imports, demo, ...args], {
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let [out, err] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      out += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      err += text;
    });
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, out, err }));
  });
}

const state = join(top, 'state with spaces');
const plantedIn = (folder: string): readonly string[] =>
  (JSON.parse(readFileSync(join(folder, 'perforce.json'), 'utf8')) as SampleServer).planted;
const emlFiles = (): string[] => readdirSync(join(state, 'mail')).filter((name) => name.endsWith('.eml'));

describe('npm run demo', { timeout: 120_000 }, () => {
  it('reviews the sample change, mails it to author and reviewer, and shows what a person wants to know', async () => {
    const { code, out, err } = await run(['--state', state]);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    for (const said of [
      '✓  fetch',
      '✓  llm',
      '✓  notify',
      '3 withheld',
      '1 critical, 3 high',
      'logo.png: binary',
      'ada@example.test: sent',
      'grace@example.test: sent',
    ])
      expect(out).toContain(said);
    expect(emlFiles()).toHaveLength(2);
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
      (f) => f.isFile() && /queue\.sqlite|^[0-9a-f]{48}$/.test(f.name),
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

  it('EGR-3: a dry run writes the exact requests and opens no connection', async () => {
    const preload = join(top, 'no-connections.mjs');
    writeFileSync(
      preload,
      "import net from 'node:net';\nnet.Socket.prototype.connect = () => { throw new Error('a connection was opened'); };\n",
    );
    const out = join(top, 'requests');
    const { code, err } = await run(['--state', join(top, 'dry'), '--dry-run', '--out', out], { preload });
    expect({ code, err }).toEqual({ code: 0, err: '' });
    const index = JSON.parse(readFileSync(join(out, 'dry-run.json'), 'utf8'));
    expect(index.requests).toHaveLength(1);
    const [request] = index.requests;
    const body = readFileSync(join(out, request.file), 'utf8');
    expect(Buffer.byteLength(body)).toBe(request.bytes);
    expect(request.host).toMatch(/^127\.0\.0\.1:/);
    expect(Object.values<number>(request.redactions).reduce((a, b) => a + b, 0)).toBe(3);
    expect(index.withheldPaths).toContainEqual({ path: '//depot/orders/main/assets/logo.png', reason: 'binary' });
    for (const secret of plantedIn(join(top, 'dry'))) expect(body).not.toContain(secret);
  });

  it.each<[string, string[], NodeJS.ProcessEnv]>([
    ['an unknown option', ['--nonsense'], {}],
    ['--dry-run without --out', ['--dry-run'], {}],
    ['a version that is none', ['--review-version', 'two'], {}],
    ['a state folder that is a file', ['--state', demo], {}],
    ['P4PORT', [], { P4PORT: 'perforce:1666' }],
    ['SMTP_URL', [], { SMTP_URL: 'smtp://mail' }],
    ['DATABASE_URL', [], { DATABASE_URL: 'postgres://db' }],
  ])('exits 2 with one clear line for %s', async (_what, args, env) => {
    const { code, out, err } = await run(args, { env });
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err.trim().split('\n')).toHaveLength(1);
    expect(err).not.toMatch(/^\s+at /m);
  });

  it('refuses a state folder that others can read', async () => {
    const shared = join(top, 'shared');
    mkdirSync(shared, { mode: 0o755 });
    expect(await run(['--state', shared])).toMatchObject({ code: 2, out: '' });
  });
});
