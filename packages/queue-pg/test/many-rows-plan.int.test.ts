import type { Stores } from '@criticizer/core';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { PgTx } from '../src/shared/pg-database.js';
import { fillManyRows } from './many-rows.js';
import { freshStores, testPool } from './stores-on-postgres.js';
import { watchPlans } from './watch-plans.js';

/** CI has some thousand rows; `npm run soak:lists` has a trail of years. */
const counts =
  process.env['MODE'] === 'soak'
    ? { events: 1_000_000, jobs: 1_000_000, letters: 100_000 }
    : { events: 10_000, jobs: 10_000, letters: 10_000 };

type Verb = (stores: Stores<PgTx>, tx: PgTx) => Promise<unknown>;

const limit = 20;
/** A small table may be read and sorted; of a page, each event has deliveries, letters and a leaf to look up. */
const [listReads, verbReads] = [10 * limit, 20 * limit];
const day = 86_400_000;

const lists: Record<string, Verb> = {
  'audit events': ({ audit }) => audit.list({ limit }),
  'audit events of a time': ({ audit }) => audit.list({ since: new Date(1_000), until: new Date(9_000), limit }),
  ...Object.fromEntries(
    (['action', 'actorId', 'tenantId'] as const).flatMap((key) =>
      ['rare', `${key.replace('Id', '')}7`].map((value) => [
        `audit events whose ${key} is ${value}`,
        ({ audit }: Stores<PgTx>) => audit.list({ [key]: value, limit }),
      ]),
    ),
  ),
  deliveries: ({ audit }) => audit.listDeliveries({ limit }),
  ...Object.fromEntries(
    (['pending', 'retry_wait', 'in_progress', 'delivered', 'dead_lettered'] as const).map((state) => [
      `deliveries that are ${state}`,
      ({ audit }: Stores<PgTx>) => audit.listDeliveries({ state, limit }),
    ]),
  ),
  'deliveries to a destination': ({ audit }) => audit.listDeliveries({ destination: 'siem3', limit }),
  'deliveries to a rare destination': ({ audit }) => audit.listDeliveries({ destination: 'rare', limit }),
  'deliveries of an event': ({ audit }) =>
    audit.listDeliveries({ auditEventId: '00000000-0000-0000-0000-000000000007', limit }),
  'audit dead letters': ({ audit }) => audit.listDeadLetters({ limit }),
  'open audit dead letters': ({ audit }) => audit.listDeadLetters({ operatorStatus: 'open', limit }),
  'audit dead letters of a destination': ({ audit }) => audit.listDeadLetters({ destination: 'siem2', limit }),
  'dead letters': ({ deadLetters }) => deadLetters.list({ limit }),
  ...Object.fromEntries(
    (['causeKey', 'stage', 'errorClass', 'changelistId', 'kind'] as const).map((key) => [
      `dead letters by ${key}`,
      ({ deadLetters }: Stores<PgTx>) => deadLetters.list({ [key]: 'rare', limit }),
    ]),
  ),
  'dead letters by status': ({ deadLetters }) => deadLetters.list({ status: 'triaged', limit }),
  'dead letters by cause and status': ({ deadLetters }) =>
    deadLetters.list({ causeKey: 'rare', status: 'triaged', limit }),
  jobs: ({ jobs }) => jobs.list({ limit }),
  'failed jobs': ({ jobs }) => jobs.list({ status: 'failed', limit }),
  'completed jobs': ({ jobs }) => jobs.list({ status: 'completed', limit }),
  'jobs of a change': ({ jobs }) => jobs.list({ changelistId: 'rare', limit }),
};

const erasure = { targetTypes: null, payload: { _erasure_meta: {} }, payloadSha256: '0'.repeat(64), limit };
const pruning = { olderThanMs: day, includeDeadLetters: true, limit, after: null };

const verbs: Record<string, Verb> = {
  'a claim of deliveries': ({ audit }) =>
    audit.claim({ owner: 'w', token: 't', leaseMs: 30_000, limit, destinations: ['siem1', 'siem2'] }),
  'the expired leases of deliveries': ({ audit }) => audit.requeueExpired({ limit }),
  'a page of pruning': ({ audit }) => audit.prune(pruning),
  'a page of erasing an actor': ({ audit }) => audit.eraseSubject({ ...erasure, subjectId: 'actor7' }),
  'a page of erasing a rare actor': ({ audit }) => audit.eraseSubject({ ...erasure, subjectId: 'rare' }),
  'a page of erasing a target': ({ audit }) => audit.eraseSubject({ ...erasure, subjectId: 'target9' }),
  'a claim of events to seal': ({ auditSeals }, tx) => auditSeals.claim({ limit, since: new Date(9_000_000) }, { tx }),
  'a page of pruning jobs': ({ jobs }) => jobs.prune({ olderThanMs: day, limit }),
};

/** A count reads what it counts: the rows that are open, by an index that holds no other. */
const counted: Record<string, { verb: Verb; rows: number }> = {
  'the backlog of deliveries': { verb: ({ audit }) => audit.stats(), rows: counts.events / 50 },
  'the depth of the queue': { verb: ({ jobs }) => jobs.depth(), rows: counts.jobs / 50 },
  'the causes of open letters': {
    verb: ({ deadLetters }) => deadLetters.groups({ status: 'open', limit }),
    rows: counts.letters / 5,
  },
  'open letters by stage': { verb: ({ deadLetters }) => deadLetters.stats(), rows: counts.letters / 5 },
  // No status was given: every letter is counted.
  'the causes of all letters': {
    verb: ({ deadLetters }) => deadLetters.groups({ limit }),
    rows: 1.01 * counts.letters,
  },
};

const pool = testPool(inject('databaseUrl'));
const slowest: [ms: number, name: string][] = [];
let schema = '';
let dispose = async (): Promise<void> => undefined;

async function readsAtMost(name: string, verb: Verb, rows: number): Promise<void> {
  const { nodes, rowsRead, ms } = await watchPlans(pool, schema, verb);
  slowest.push([ms, name]);
  expect(nodes.length).toBeGreaterThan(0);
  expect(rowsRead).toBeLessThanOrEqual(rows);
}

describe(`plans among ${counts.events} audit events, ${counts.jobs} jobs and ${counts.letters} dead letters`, () => {
  beforeAll(async () => {
    ({ schema, dispose } = await freshStores(pool));
    const client = await pool.connect();
    const began = performance.now();
    await fillManyRows(client, schema, counts);
    slowest.push([performance.now() - began, 'filling the tables']);
    client.release();
  }, 900_000);
  afterAll(async () => {
    if (process.env['MODE'] === 'soak')
      for (const [ms, name] of slowest.sort(([a], [b]) => b - a).slice(0, 6))
        console.info(`${ms.toFixed(1)} ms ${name}`);
    await dispose();
    await pool.end();
  }, 300_000);

  it.each(Object.entries(lists))(
    'WQ-1: the list of %s reads its page by an index, not the table',
    async (name, verb) => {
      await readsAtMost(name, verb, listReads);
    },
  );
  it.each(Object.entries(verbs))('AUD-1: %s reads by indexes what it changes', async (name, verb) => {
    await readsAtMost(name, verb, verbReads);
  });
  it.each(Object.entries(counted))('OPS-1: %s is counted by an index', async (name, { verb, rows }) => {
    await readsAtMost(name, verb, rows);
  });
});
