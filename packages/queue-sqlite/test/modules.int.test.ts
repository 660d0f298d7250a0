import { describe, expect, it } from 'vitest';
import { openSqlite } from '../src/shared/sqlite-database.js';
import { createSqliteStores, createStoresOnSqlite } from '../src/sqlite-stores.js';

const tablesOf = (database: ReturnType<typeof openSqlite>): string[] =>
  (
    database.prepare(`SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name`).all() as { name: string }[]
  ).map(({ name }) => name);
const own = ['criticizer_clock', 'criticizer_migrations'];

describe('stores of some modules', () => {
  it.each([
    [['queue'], ['change_marks', ...own, 'dead_letters', 'queue_limits', 'work_queue']],
    [['notify'], [...own, 'notify_messages', 'notify_outbox', 'recipient_preferences']],
    [
      ['audit'],
      [
        ...['audit_dead_letter', 'audit_events', 'audit_outbox', 'audit_seal_leaves', 'audit_seals', 'audit_verb'],
        ...own,
      ],
    ],
  ] as const)('AUD-1: %j plans and migrates its own tables and the clock only', async (modules, tables) => {
    const database = openSqlite(':memory:');
    const stores = createSqliteStores({ database, modules });
    expect((await stores.migrationPlan()).map(({ module }) => module)).toEqual(['store', ...modules]);
    await stores.migrate();
    expect(tablesOf(database).filter((name) => !name.startsWith('sqlite_'))).toEqual(tables);
    expect((await stores.now()).getTime()).toBeGreaterThan(0);
    await stores.close();
  });

  it('AUD-1: the queue alone settles, prunes and closes letters without a table of mails', async () => {
    const stores = createSqliteStores({ file: ':memory:', migrate: 'auto', modules: ['queue'] });
    const { jobs, deadLetters } = stores;
    await jobs.enqueue([1, 2].map((n) => ({ kind: 'k', payload: n, stage: 's', idempotencyKey: `j${n}` })));
    const [good, bad] = await jobs.claim({ kinds: ['k'], owner: 'o', token: 't', leaseMs: 60_000, limit: 2 });
    const deadLetter = {
      errorClass: 'X',
      category: 'bug',
      lastStack: '',
      sanitizedContext: {},
      escalation: 'none',
    } as const;
    if (good === undefined || bad === undefined) throw new Error('two jobs were due');
    await jobs.settle([
      { lease: good.lease, kind: 'done', result: {}, requireNotified: false },
      { lease: bad.lease, kind: 'dead-letter', deadLetter },
    ]);
    const [letter] = await deadLetters.list({});
    expect(
      await deadLetters.close(letter?.id ?? '', {
        status: 'resolved',
        actor: { type: 'admin_user', id: 'ada' },
        note: 'mended',
      }),
    ).toBe('closed');
    expect(await jobs.prune({ olderThanMs: 0, limit: 10 })).toBe(2);
    await expect(stores.outbox.list({})).rejects.toMatchObject({ code: 'MODULE_ABSENT' });
    await stores.close();
  });

  it('INV-6: a clock that is set moves the leases of the modules that the file has, and needs no other', async () => {
    const database = openSqlite(':memory:');
    let hostMs = 1_000_000;
    const whole = createSqliteStores({ database, migrate: 'auto', modules: ['queue'] });
    await whole.jobs.stats();
    const queue = createStoresOnSqlite(
      { database, modules: ['queue'] },
      { hostMs: () => hostMs, monotonicMs: () => 0 },
    );
    await queue.now();
    hostMs += 3_600_000;
    await expect(queue.jobs.stats()).resolves.toMatchObject({ due: 0 });
    await queue.close();
  });
});
