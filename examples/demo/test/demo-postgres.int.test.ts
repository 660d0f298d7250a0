import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, describe, expect, inject, it } from 'vitest';
import { writtenAddress } from '../src/mail/mail-server-address.js';
import { databaseOf } from '../src/queue/demo-queue.js';
import { bundleDemo } from './demo-bundle.js';
import { type DemoRun, runDemo } from './run-demo.js';

const { demo } = await bundleDemo();
const top = mkdtempSync(join(tmpdir(), 'criticizer-demo-pg-'));
const DATABASE_URL = inject('databaseUrl');
const pool = new pg.Pool({ connectionString: DATABASE_URL, max: 2 });
const schemas = new Set<string>();
const run = (args: readonly string[], options: DemoRun = {}) =>
  runDemo(demo, args, { ...options, env: { HOME: top, DATABASE_URL } });

afterAll(async () => {
  for (const schema of schemas) await pool.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
  await pool.end();
  rmSync(top, { recursive: true });
});

function schemaOf(): string {
  const schema = readFileSync(join(directory, 'postgres-schema'), 'utf8');
  schemas.add(schema);
  return schema;
}
const directory = join(top, 'shared');
const emlFiles = (): string[] => readdirSync(join(directory, 'mail')).filter((name) => name.endsWith('.eml'));

/** What lies in the schema that everybody has. */
async function inPublic(): Promise<string[]> {
  const { rows } = await pool.query<{ name: string }>(
    `SELECT c.relname AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = 'public' ORDER BY 1`,
  );
  return rows.map(({ name }) => name);
}

const exists = async (schema: string): Promise<boolean> =>
  (await pool.query('SELECT 1 FROM pg_namespace WHERE nspname = $1', [schema])).rowCount === 1;

describe('npm run demo with DATABASE_URL', { timeout: 120_000 }, () => {
  it('WQ-2 NOT-2: two worker processes share the reviews, each recipient has one mail of each; a second run sends nothing', async () => {
    const before = await inPublic();
    const first = await run(['--state', directory]);
    expect({ code: first.code, err: first.err }).toEqual({ code: 0, err: '' });
    const schema = schemaOf();
    expect(first.out).toContain(`the schema ${schema}. It reads and changes nothing else`);
    const shares = [...first.out.matchAll(/^ {2}worker \d \(process \d+\) {2}(.*)$/gm)].map(([, share]) => share);
    expect(shares.sort()).toEqual(['demo/4100: fetch, llm, notify', 'demo/4217: fetch, llm, notify']);
    const mails = [...first.out.matchAll(/^ {2}(\w+)@example\.test {2}(demo\/\d+: .*)$/gm)].map(
      ([, who, what]) => `${who} ${what}`,
    );
    expect(mails.sort()).toEqual(['ada demo/4100: 1 mail', 'ada demo/4217: 1 mail', 'grace demo/4217: 1 mail']);
    expect(emlFiles()).toHaveLength(3);
    expect(await inPublic()).toEqual(before);
    expect(readdirSync(directory).filter((name) => name.startsWith('queue.sqlite'))).toEqual([]);

    const second = await run(['--state', directory]);
    expect({ code: second.code, err: second.err }).toEqual({ code: 0, err: '' });
    expect(second.out.match(/was reviewed before: nothing was sent/g)).toHaveLength(2);
    expect(second.out).not.toContain('Workers');
    expect(emlFiles()).toHaveLength(3);
  });

  it('WQ-9 NOT-11: --fresh forgets its schema and begins anew, and a worker killed in the middle is made up for by the other', async () => {
    const forgotten = schemaOf();
    let killed = false;
    const onOut = (out: string): void => {
      const [, pid] = /worker 1 \(process (\d+)\)/.exec(out) ?? [];
      if (!killed && pid !== undefined && /worker 1 .*…/.test(out)) killed = process.kill(Number(pid), 'SIGKILL');
    };
    const { code, out, err } = await run(['--state', directory, '--fresh'], { onOut });
    expect({ code, err, killed }).toEqual({ code: 0, err: '', killed: true });
    expect([await exists(forgotten), await exists(schemaOf())]).toEqual([false, true]);
    const [, rest] = /^ {2}worker 2 \(process \d+\) {2}(.*)$/m.exec(out) ?? [];
    for (const change of ['demo/4100', 'demo/4217']) expect(rest).toMatch(new RegExp(`${change}: [^;]*notify`));
    expect(out.match(/demo\/\d+: 1 mail$/gm)).toHaveLength(3);
    expect(emlFiles()).toHaveLength(3);
    expect(writtenAddress(directory)).toBeUndefined();
  });

  it('exits 2 with one clear line where nothing answers', async () => {
    const url = 'postgres://ada@127.0.0.1:1/none';
    const end = await runDemo(demo, ['--state', join(top, 'no-server')], { env: { HOME: top, DATABASE_URL: url } });
    expect(end.code).toBe(2);
    expect(end.err.trim().split('\n')).toHaveLength(1);
    expect(end.err).toContain('PG_CONNECTION');
    expect(end.err).not.toContain(url);
  });

  it.each([
    ['SQLite', 'queue.sqlite', DATABASE_URL],
    ['PostgreSQL', 'postgres-schema', null],
  ])('a folder whose queue is on %s stays there', (_database, file, url) => {
    const folder = join(top, file);
    mkdirSync(folder);
    writeFileSync(join(folder, file), '');
    expect(() => databaseOf(folder, url)).toThrow(/DATABASE_URL.*--state DIR/);
  });
});
