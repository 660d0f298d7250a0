import { createQueueWorker } from '@criticizer/core/queue';
import { afterAll, describe, expect, inject, it } from 'vitest';
import { z } from 'zod';
import { freshSchema, openStores, testPool } from './stores-on-postgres.js';

const pool = testPool(inject('databaseUrl'));
const tablesOf = async (schema: string): Promise<string[]> => {
  const { rows } = await pool.query<{ name: string }>(
    `SELECT table_name AS name FROM information_schema.tables WHERE table_schema = $1 ORDER BY 1`,
    [schema],
  );
  return rows.map(({ name }) => name);
};
afterAll(() => pool.end());

describe('stores of some modules', () => {
  it.each([
    [['queue'], ['change_marks', 'dead_letters', 'migrations', 'queue_limits', 'work_queue']],
    [['notify'], ['migrations', 'notify_messages', 'notify_outbox', 'recipient_preferences']],
    [
      ['audit'],
      ['audit_dead_letter', 'audit_events', 'audit_outbox', 'audit_seal_leaves', 'audit_seals', 'migrations'],
    ],
    [
      ['artifacts', 'review'],
      [
        ...['artifact_manifest', 'artifact_manifest_id', 'change_marks', 'egress_log', 'egress_log_retention'],
        ...['migrations', 'sample_counts', 'suppressions', 'versioned_documents', 'watch_cursors'],
      ],
    ],
  ] as const)('AUD-1: %j plans and migrates its own tables only', async (modules, tables) => {
    const schema = freshSchema();
    const stores = openStores({ pool, schema, modules });
    expect((await stores.migrationPlan()).map(({ module }) => module)).toEqual(modules);
    await stores.migrate();
    expect(await tablesOf(schema)).toEqual(tables);
    expect(await stores.migrationPlan()).toEqual([]);
    await pool.query(`DROP SCHEMA ${schema} CASCADE`);
  });

  it('AUD-1: the queue alone runs, prunes and closes letters without a table of mails', async () => {
    const schema = freshSchema();
    const stores = openStores({ pool, schema, migrate: 'auto', modules: ['queue'] });
    const events: string[] = [];
    const run = async ({ payload }: { payload: unknown }) => {
      if (payload !== 1) throw new TypeError('a bug');
      return { kind: 'next' } as const;
    };
    await using worker = createQueueWorker({
      stores,
      kinds: [{ kind: 'k', payload: z.number(), stages: [{ name: 's', run }] }],
      redactText: String,
      onEvent: ({ kind }) => void events.push(kind),
    });
    await worker.start();
    await stores.jobs.enqueue([1, 2].map((n) => ({ kind: 'k', payload: n, stage: 's', idempotencyKey: `j${n}` })));
    await expect.poll(async () => (await stores.jobs.stats()).completed, { timeout: 10_000 }).toBe(1);
    await expect.poll(async () => (await stores.deadLetters.list({})).length, { timeout: 10_000 }).toBe(1);
    const [letter] = await stores.deadLetters.list({});
    const closing = { status: 'resolved', actor: { type: 'admin_user', id: 'ada' }, note: 'mended' } as const;
    expect(await stores.deadLetters.close(letter?.id ?? '', closing)).toBe('closed');
    expect(await stores.jobs.prune({ olderThanMs: 0, limit: 10 })).toBe(2);
    await expect(stores.outbox.list({})).rejects.toMatchObject({ code: 'MODULE_ABSENT' });
    await pool.query(`DROP SCHEMA ${schema} CASCADE`);
  });

  it('AUD-1: processes with different modules share a schema, and each brings its own', async () => {
    const schema = freshSchema();
    await openStores({ pool, schema, migrate: 'auto', modules: ['queue'] }).jobs.stats();
    await openStores({ pool, schema, migrate: 'auto', modules: ['audit'] }).audit.stats();
    expect(await openStores({ pool, schema, modules: ['queue'] }).migrationPlan()).toEqual([]);
    const whole = await openStores({ pool, schema }).migrationPlan();
    expect(whole.map(({ module }) => module)).toEqual(['notify', 'artifacts', 'review']);
    await pool.query(`DROP SCHEMA ${schema} CASCADE`);
  });
});
