import { inject, it } from 'vitest';
import { claimSql, takeSql } from '../src/claim-sql.js';
import { createDialect } from '../src/pg-session.js';
import { freshStores, testPool } from './stores-on-postgres.js';

const pool = testPool(inject('databaseUrl'));
function lines(n: any, d = 0, out: string[] = []): string[] {
  out.push(
    ' '.repeat(d) +
      n['Node Type'] +
      ' ' +
      (n['Relation Name'] ?? '') +
      ' ' +
      (n['Index Name'] ?? '') +
      (n['Subplan Name'] ? ' [' + n['Subplan Name'] + ']' : '') +
      ' rows=' +
      n['Plan Rows'],
  );
  for (const c of n.Plans ?? []) lines(c, d + 1, out);
  return out;
}
for (const analyzed of [false, true])
  for (const literal of [false, true])
    it(`x`, { timeout: 200000 }, async () => {
      const { schema } = await freshStores(pool);
      const c = await pool.connect();
      const insert = (a: number, b: number) =>
        pool.query(`INSERT INTO ${schema}.work_queue (id, kind, payload, status, ready, stage, priority, run_at, created_at, updated_at, idempotency_key, attempts, lost_leases, outputs, transition_no)
      SELECT lpad(to_hex(n), 32, '0')::uuid, 'review', '{}', 'queued', true, 'fetch', n % 3, now(), now() + n * interval '1 ms', now(), n, '{}', 0, '{}', 1
      FROM generate_series(${a}, ${b}) AS n`);
      if (analyzed) {
        await insert(1, 20);
        await pool.query(`ANALYZE ${schema}.work_queue`);
      }
      await c.query('SET plan_cache_mode = force_generic_plan');
      for (const [name, sql] of [
        ['take', takeSql],
        ['claim', claimSql(0)],
      ] as const) {
        let text = createDialect(schema).fill(sql).text;
        if (literal)
          text = text
            .replaceAll('LIMIT $2', 'LIMIT 10')
            .replace('updated_at = greatest(w.updated_at', 'updated_at = greatest(w.updated_at');
        // keep $2 typed
        if (literal) text = text.replace('claimed_by = $3', 'claimed_by = $3 || left($2::int::text, 0)');
        await c.query(`PREPARE p_${name} AS ${text}`);
        const ex = async () =>
          (
            await c.query(
              `EXPLAIN (FORMAT JSON) EXECUTE p_${name} (ARRAY['review'], 10, 'o', 't', 1000${name === 'claim' ? ', NULL' : ''})`,
            )
          ).rows[0]['QUERY PLAN'][0].Plan;
        console.log(`${name} small, analyzed=${analyzed} literal=${literal}\n` + lines(await ex()).join('\n'));
      }
      await insert(1001, 200000);
      for (const name of ['take', 'claim']) {
        const ex = async () =>
          (
            await c.query(
              `EXPLAIN (FORMAT JSON) EXECUTE p_${name} (ARRAY['review'], 10, 'o', 't', 1000${name === 'claim' ? ', NULL' : ''})`,
            )
          ).rows[0]['QUERY PLAN'][0].Plan;
        console.log(`${name} grown unanalyzed, analyzed=${analyzed} literal=${literal}\n` + lines(await ex()).join('\n'));
      }
      await pool.query(`ANALYZE ${schema}.work_queue`);
      for (const name of ['take', 'claim']) {
        const ex = async () =>
          (
            await c.query(
              `EXPLAIN (FORMAT JSON) EXECUTE p_${name} (ARRAY['review'], 10, 'o', 't', 1000${name === 'claim' ? ', NULL' : ''})`,
            )
          ).rows[0]['QUERY PLAN'][0].Plan;
        console.log(`${name} grown analyzed, analyzed=${analyzed} literal=${literal}\n` + lines(await ex()).join('\n'));
      }
      c.release(true);
    });
