import { describeStoresContract } from '@criticizer/core/testing';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { createLimitedRole, type LimitedRole } from './limited-role.js';
import { freshStores, testPool } from './stores-on-postgres.js';

/**
 * What a role or a database may say of how values look. Each of them changes the text of an
 * instant, a float, a span or a literal.
 */
const styles = {
  datestyle: "'SQL, DMY'",
  intervalstyle: "'sql_standard'",
  timezone: "'Asia/Kathmandu'",
  bytea_output: "'escape'",
  extra_float_digits: '-15',
  search_path: "'nowhere'",
  standard_conforming_strings: 'off',
  array_nulls: 'off',
  lc_monetary: "'C'",
};

/**
 * Cases that read every instant and every number of every facet once; the whole suite runs in the
 * style of its server.
 */
const cases = [
  /^WQ-2: a claimed job/,
  /^WQ-8: a claim takes/,
  /^WQ-10: a limit is absent/,
  /^ERR-5: retry/,
  /^ERR-7: /,
  /^ERR-9: (?:a full restart|notes are)/,
  /^NOT-[4-6]: /,
  /^NOT-3: (?:gives back exactly the bytes|a mail with sendAt)/,
  /^NOT-10: (?:keeps the last|lists by key|withdraw)/,
  /^AUD-2: (?:record|occurredAt|all facets)/,
  /^AUD-12: (?:a claim|retry|delivered)/,
  /^AUD-16: a dead letter holds/,
  /^AUD-18: /,
  /^ART-\d: (?!.*(?:twenty|publish))/,
  /^EGR-1: (?:a record is kept|list)/,
  /^EGR-5: /,
  /^OPS-4: /,
  /^PR-[45]: /,
  /^GRD-8: (?:a suppression is kept|one that expired)/,
  /^INV-1: a cursor moves/,
  /^OPS-1: of two operators/,
  /^OUT-9: what was spent/,
  /^ERR-3: processes together/,
  /^CHN-1: a post is stored/,
];

const owner = testPool(inject('databaseUrl'));
let role: LimitedRole;
beforeAll(async () => {
  role = await createLimitedRole(owner, inject('databaseUrl'));
  const name = new URL(
    String((role.pool as pg.Pool & { options: { connectionString: string } }).options.connectionString),
  ).username;
  for (const [setting, value] of Object.entries(styles))
    await owner.query(`ALTER ROLE ${name} SET ${setting} = ${value}`);
});
afterAll(async () => {
  await role.drop();
  await owner.end();
});

let declared = 0;
describe('under a role of another style', () => {
  it('INV-5: the role has its style', async () => {
    const { rows } = await role.pool.query(
      "SELECT to_timestamp(0)::text AS at, current_setting('search_path') AS path",
    );
    expect(rows).toEqual([{ at: '01/01/1970 05:30:00 +0530', path: 'nowhere' }]);
    expect(declared).toBeGreaterThan(35);
  });

  it('INV-5: instants of a job’s whole life are those of the database', async () => {
    const given = await freshStores(owner, role);
    try {
      const { stores, clock } = given;
      const startedAt = await stores.now();
      expect(startedAt).toEqual(new Date(Date.UTC(2026, 0, 1)));
      await stores.jobs.enqueue([{ kind: 'k', payload: null, stage: 's', idempotencyKey: 'one' }]);
      const [claimed] = await stores.jobs.claim({ kinds: ['k'], limit: 1, owner: 'o', token: 't', leaseMs: 60_000 });
      clock.advance(1_234);
      expect(claimed?.job).toMatchObject({
        createdAt: startedAt,
        startedAt,
        leaseExpiresAt: new Date(startedAt.getTime() + 60_000),
      });
    } finally {
      await given.dispose();
    }
  });

  describeStoresContract(
    {
      describe,
      it(title, body) {
        if (!cases.some((wanted) => wanted.test(title))) return;
        declared += 1;
        it(title, body);
      },
    },
    { create: () => freshStores(owner, role) },
  );
});
