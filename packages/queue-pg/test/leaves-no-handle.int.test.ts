import { fileURLToPath } from 'node:url';
import { afterAll, expect, inject, it } from 'vitest';
import { runToItsEnd } from '../../../tools/testing/run-to-its-end.js';
import { freshSchema, testPool } from './stores-on-postgres.js';

const databaseUrl = inject('databaseUrl');
const pool = testPool(databaseUrl);
afterAll(() => pool.end());

it('INT-1: a process that stopped its worker and closed its stores ends by itself', { timeout: 60_000 }, async () => {
  const schema = freshSchema();
  try {
    const script = fileURLToPath(new URL('start-and-stop.ts', import.meta.url));
    const { code, printed } = await runToItsEnd(script, [databaseUrl, schema]);
    expect(printed).not.toMatch(/Timeout|TCP|Immediate/);
    expect(code).toBe(0);
  } finally {
    await pool.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
  }
});
