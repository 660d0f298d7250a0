import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import { testScript } from '../../../tools/testing/run-process.js';
import { runToItsEnd } from '../../../tools/testing/run-to-its-end.js';

const script = testScript(new URL('start-and-stop.ts', import.meta.url));
const databaseUrl = inject('databaseUrl');
const schema = `t_${randomUUID().replaceAll('-', '')}`;
let directory = '';
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'criticizer-stop-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));
afterAll(async () => {
  const client = new pg.Client(databaseUrl);
  await client.connect();
  await client.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
  await client.end();
});

const ours = /Timeout|TCP|Immediate|Worker|FSReq/;
const run = (store: string, ...more: string[]) =>
  runToItsEnd(script, [directory, store, databaseUrl, schema, ...more], 30_000);

describe('a process that stopped its worker, its Criticizer and its mails', () => {
  it.each(['memory', 'sqlite', 'postgres'])('INT-1: ends by itself on %s and holds nothing', async (store) => {
    const { code, printed } = await run(store);
    expect(printed).not.toMatch(ours);
    expect(printed).toMatch(/^\[.*\]$/m);
    expect(code).toBe(0);
  });

  it('INT-1: is seen to hold a timer where its worker still runs', async () => {
    const { code, printed } = await run('memory', 'leak');
    expect(printed).toMatch(ours);
    expect(code).toBe(0);
  });
});
