import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { bundleInto, makeBundleFolder } from '../../../tools/testing/process-bundle.js';
import { invoicesOf } from '../src/invoice.js';
import { openStores } from '../src/open-stores.js';

const source = (name: string): string => fileURLToPath(new URL(`../src/${name}.ts`, import.meta.url));
const bundle = makeBundleFolder(fileURLToPath(new URL('..', import.meta.url)));
const top = mkdtempSync(join(tmpdir(), 'criticizer-invoices-'));
const schema = `t_${randomUUID().replaceAll('-', '')}`;
const month = '2026-01';
const customers = 6;

beforeAll(() => bundleInto(bundle.folder, { run: source('run'), worker: source('worker') }, 'esm'));
afterAll(async () => {
  bundle.remove();
  rmSync(top, { recursive: true });
  const client = new pg.Client(inject('databaseUrl'));
  await client.connect();
  await client.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
  await client.end();
});

function run(
  args: readonly string[],
  databaseUrl?: string,
): Promise<{ code: number | null; out: string; err: string }> {
  const env = { PATH: process.env['PATH'], ...(databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl }) };
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [join(bundle.folder, 'run.mjs'), ...args], {
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

/** Who got a mail, one entry a mail, as the mail server kept them. */
function mailsIn(directory: string): string[] {
  const files = readdirSync(join(directory, 'mail')).filter((name) => name.endsWith('.eml'));
  return files
    .map((name) => /^To: .*<(.+)>/m.exec(readFileSync(join(directory, 'mail', name), 'utf8'))?.[1] ?? name)
    .sort();
}

const everybody = invoicesOf(month, customers)
  .map(({ customer }) => customer.mail)
  .sort();

describe('npm run example:queue-and-mail', { timeout: 120_000 }, () => {
  it.concurrent.each([
    ['SQLite', 'queue.sqlite', () => undefined],
    ['PostgreSQL', schema, () => inject('databaseUrl')],
  ])(
    'WQ-9 NOT-1 NOT-11: on %s a worker killed while it sends is made up for by the other; each customer has one mail, also after a second run',
    async (database, named, urlOf) => {
      const directory = join(top, database);
      const args = ['--state', directory, '--schema', schema, '--customers', String(customers), '--month', month];
      const first = await run([...args, '--kill'], urlOf());
      expect({ code: first.code, err: first.err }).toEqual({ code: 0, err: '' });
      for (const said of [database, named, `${customers} enqueued`, `${customers} of ${customers} invoices sent`])
        expect(first.out).toContain(said);
      const [, killed] = /(worker-\d) {2}was killed/.exec(first.out) ?? [];
      const [, after = ''] = first.out.split('was killed');
      const finishers = [...after.matchAll(/(worker-\d) {2}\w+ +sent\n/g)].map(([, name]) => name);
      expect(finishers.length).toBeGreaterThan(0);
      expect(finishers).not.toContain(killed);
      expect(mailsIn(directory)).toEqual(everybody);

      await using opened = openStores({ directory, schema, databaseUrl: urlOf() });
      const rows = await opened.stores.outbox.list({
        changelistId: `mail:${encodeURIComponent(`invoice/${month}`)}`,
        limit: 100,
      });
      expect(rows.map(({ status, possibleDuplicate }) => ({ status, possibleDuplicate }))).toEqual(
        everybody.map(() => ({ status: 'sent', possibleDuplicate: false })),
      );
      // What the server had taken when its sender died was found by look-up.
      expect(rows.some(({ attempts }) => attempts > 1)).toBe(true);
      const jobs = await opened.stores.jobs.list({ kind: 'monthly-invoice' });
      expect(jobs.map(({ status, attempts }) => ({ status, rendered: attempts['render'] }))).toEqual(
        everybody.map(() => ({ status: 'completed', rendered: 1 })),
      );

      const second = await run(args, urlOf());
      expect({ code: second.code, err: second.err }).toEqual({ code: 0, err: '' });
      expect(second.out).toContain(`0 enqueued, ${customers} were there before`);
      expect(second.out).toContain('nothing was sent');
      expect(mailsIn(directory)).toEqual(everybody);
    },
  );
});
