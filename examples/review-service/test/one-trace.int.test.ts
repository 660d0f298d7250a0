import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Stores } from '@criticizer/core';
import pg from 'pg';
import { afterAll, describe, expect, inject, it } from 'vitest';
import { testScript } from '../../../tools/testing/run-process.js';
import { createTracedReviewer, type ExportedSpan, openSharedStores } from './traced-reviewer.js';

const submitTraced = testScript(new URL('submit-traced.ts', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'criticizer-trace-'));
const schema = `trace_${randomBytes(4).toString('hex')}`;
afterAll(async () => {
  rmSync(folder, { recursive: true });
  const pool = new pg.Pool({ connectionString: inject('databaseUrl'), max: 1 });
  await pool.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
  await pool.end();
});

const traceIds = (spans: readonly ExportedSpan[]): string[] => [
  ...new Set(spans.map(({ traceparent }) => traceparent.slice(3, 35))),
];

/** Works off what another process submitted, and mails it; gives what both exported. */
async function reviewOf<Tx>(stores: Stores<Tx>, submitted: string, oneTrace: boolean) {
  const { jobId, spans: exported }: { jobId: string; spans: ExportedSpan[] } = JSON.parse(submitted);
  const { criticizer, mailer, spans } = createTracedReviewer(stores, oneTrace);
  await criticizer.runDue();
  await criticizer.stop();
  const [job] = await stores.jobs.get([jobId]);
  const [row] = (await stores.outbox.list({})).filter((one) => one.changelistId === job?.changelistId);
  const named = (name: string): ExportedSpan[] => spans.filter((span) => span.name === name);
  return { job, row, exported, spans, named, mails: mailer.accepted().length };
}

describe('a trace over two processes', () => {
  it.each([
    ['SQLite', () => join(folder, 'queue.sqlite')],
    ['PostgreSQL', () => inject('databaseUrl')],
  ])(
    'OPS-6: over %s one process submits, another reviews and mails, and their spans join by the row',
    async (_store, find) => {
      const database = find();
      const stores = openSharedStores(database, schema) as Stores<unknown>;
      await stores.migrate();
      const submitting = submitTraced.converse(database, schema);
      expect(await submitting.opened).toBe('open');

      const linked = await reviewOf(stores, await submitting.ask('7'), false);
      const [submit] = linked.exported;
      expect(submit).toMatchObject({ name: 'submit review', parent: null });
      expect([linked.job?.status, linked.job?.traceparent, linked.row?.traceparent, linked.mails]).toEqual([
        'completed',
        submit?.traceparent,
        submit?.traceparent,
        1,
      ]);
      for (const name of ['process review', 'send memory'])
        expect(linked.named(name).map(({ parent, links }) => [parent, links])).toEqual([[null, [submit?.traceparent]]]);
      expect(traceIds(linked.spans)).not.toContain(submit?.traceparent.slice(3, 35));

      const joined = await reviewOf(stores, await submitting.ask('8'), true);
      const [origin] = joined.exported;
      expect(traceIds([...joined.exported, ...joined.spans])).toEqual([origin?.traceparent.slice(3, 35)]);
      for (const name of ['process review', 'send memory'])
        expect(joined.named(name).map(({ parent }) => parent)).toEqual([origin?.traceparent]);
      await submitting.kill();
      await stores.close();
    },
  );
});
