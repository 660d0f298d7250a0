import type { Stores } from '@criticizer/core';
import type { Page, TimeSpan } from '@criticizer/core/ports';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSqliteStores } from '../src/index.js';
import { openSqlite, type SqliteDatabase, type SqliteTx, type SqliteValue } from '../src/shared/sqlite-database.js';

interface List {
  name: string;
  read(page: Page & TimeSpan): Promise<unknown>;
  /** Reads more than its page, for the reason given. */
  exempt?: { plan: RegExp; why: string };
}

const database = openSqlite(':memory:');
let lastList: { sql: string; values: SqliteValue[] } | undefined;

/** The database of the test: notes the last list, and finds the row of every `before`. */
const watched: SqliteDatabase = {
  exec: (sql) => database.exec(sql),
  prepare(sql) {
    const statement = database.prepare(sql);
    return {
      run: (...values) => statement.run(...values),
      all(...values) {
        if (sql.startsWith('SELECT 1 FROM ')) return [{ found: 1 }];
        if (sql.includes(' ORDER BY ')) lastList = { sql, values };
        return statement.all(...values);
      },
    };
  },
};

const stores: Stores<SqliteTx> = createSqliteStores({ database: watched });

async function planOf(list: Promise<unknown>): Promise<string[]> {
  lastList = undefined;
  await list;
  if (lastList === undefined) throw new Error('no list was read');
  const { sql, values } = lastList as { sql: string; values: SqliteValue[] };
  const rows = database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...values) as { detail: string }[];
  return rows.map(({ detail }) => detail);
}

const inOrder = 'an index for it would cost every claim, heartbeat and settlement; the newest rows come first';
const ofOneVersion = 'the mails of one version of one review are few';

const { jobs, deadLetters, outbox, audit, egress, artifactManifest } = stores;
const lists: readonly List[] = [
  { name: 'jobs', read: (page) => jobs.list(page) },
  { name: 'jobs of a change', read: (page) => jobs.list({ changelistId: 'c', ...page }) },
  { name: 'failed jobs', read: (page) => jobs.list({ status: 'failed', ...page }) },
  ...(['queued', 'running', 'completed'] as const).map((status) => ({
    name: `${status} jobs`,
    read: (page: Page & TimeSpan) => jobs.list({ status, ...page }),
    exempt: { plan: /^SCAN work_queue USING INDEX sqlite_autoindex_work_queue_1$/, why: inOrder },
  })),
  {
    name: 'jobs of a kind',
    read: (page) => jobs.list({ kind: 'k', ...page }),
    exempt: { plan: /^SCAN work_queue USING INDEX sqlite_autoindex_work_queue_1$/, why: inOrder },
  },
  { name: 'dead letters', read: (page) => deadLetters.list(page) },
  ...(['stage', 'errorClass', 'kind', 'jobId', 'changelistId', 'causeKey'] as const).map((key) => ({
    name: `dead letters by ${key}`,
    read: (page: Page & TimeSpan) => deadLetters.list({ [key]: 'x', ...page }),
  })),
  { name: 'open dead letters', read: (page) => deadLetters.list({ status: 'open', ...page }) },
  { name: 'mails', read: (page) => outbox.list(page) },
  ...(['pending', 'held', 'sending', 'failed', 'unknown', 'cancelled'] as const).map((status) => ({
    name: `${status} mails`,
    read: (page: Page & TimeSpan) => outbox.list({ status, ...page }),
  })),
  {
    name: 'sent mails',
    read: (page) => outbox.list({ status: 'sent', ...page }),
    exempt: { plan: /^SCAN notify_outbox USING INDEX sqlite_autoindex_notify_outbox_1$/, why: inOrder },
  },
  ...(['changelistId', 'jobId', 'key', 'notificationId', 'recipientKey'] as const).map((key) => ({
    name: `mails by ${key}`,
    read: (page: Page & TimeSpan) => outbox.list({ [key]: 'x', ...page }),
  })),
  {
    name: 'mails of a version',
    read: (page) => outbox.list({ changelistId: 'c', reviewVersion: 1, ...page }),
    exempt: { plan: /^USE TEMP B-TREE FOR ORDER BY$/, why: ofOneVersion },
  },
  { name: 'audit events', read: (page) => audit.list(page) },
  { name: 'audit events of an action', read: (page) => audit.list({ action: 'a', ...page }) },
  { name: 'audit events of an actor', read: (page) => audit.list({ actorId: 'a', ...page }) },
  { name: 'audit events of a tenant', read: (page) => audit.list({ tenantId: 't', ...page }) },
  { name: 'audit deliveries', read: (page) => audit.listDeliveries(page) },
  ...(['pending', 'in_progress', 'retry_wait', 'dead_lettered'] as const).map((state) => ({
    name: `audit deliveries that are ${state}`,
    read: (page: Page & TimeSpan) => audit.listDeliveries({ state, ...page }),
  })),
  {
    name: 'audit deliveries that are delivered',
    read: (page) => audit.listDeliveries({ state: 'delivered', ...page }),
    exempt: { plan: /^SCAN audit_outbox USING INDEX sqlite_autoindex_audit_outbox_1$/, why: inOrder },
  },
  { name: 'audit deliveries of a destination', read: (page) => audit.listDeliveries({ destination: 'd', ...page }) },
  { name: 'audit deliveries of an event', read: (page) => audit.listDeliveries({ auditEventId: 'e', ...page }) },
  { name: 'audit dead letters', read: (page) => audit.listDeadLetters(page) },
  { name: 'open audit dead letters', read: (page) => audit.listDeadLetters({ operatorStatus: 'open', ...page }) },
  { name: 'audit dead letters of a sink', read: (page) => audit.listDeadLetters({ destination: 'd', ...page }) },
  { name: 'egress records', read: (page) => egress.list(page) },
  { name: 'egress of a change', read: (page) => egress.list({ changelistId: 'c', ...page }) },
  { name: 'egress of a job', read: (page) => egress.list({ jobId: 'j', ...page }) },
  { name: 'egress to a destination', read: (page) => egress.list({ destination: 'llm', ...page }) },
  { name: 'artifacts', read: (page) => artifactManifest.list(page) },
  { name: 'artifacts of a change', read: (page) => artifactManifest.list({ changelistId: 'c', ...page }) },
];

const before = '01980000-0000-7000-8000-000000000000';
const span = { since: new Date(1_700_000_000_000), until: new Date(1_800_000_000_000) };
const pages: readonly (Page & TimeSpan)[] = [{}, { before }, span, { before, ...span }];

/** These read their index from its newer end and stop after the page. */
const readsWholeIndex: readonly string[] = [
  ...['jobs', 'failed jobs', 'dead letters', 'mails', 'audit events', 'audit deliveries', 'audit dead letters'],
  ...['egress records', 'artifacts'],
];

describe('the plan of a list', () => {
  beforeAll(() => stores.migrate());
  afterAll(() => stores.close());

  it.each(lists)('WQ-1: $name: an index finds the page in its order, and nothing is sorted', async (list) => {
    for (const page of pages) {
      const plan = await planOf(list.read(page));
      const steps = plan.filter((step) => list.exempt?.plan.test(step) !== true);
      expect(steps.filter((step) => step.includes('TEMP B-TREE'))).toEqual([]);
      const scans = steps.filter((step) => step.startsWith('SCAN '));
      const isWhole = readsWholeIndex.includes(list.name) && Object.keys(page).length === 0;
      expect(scans).toHaveLength(isWhole ? 1 : 0);
      for (const scan of scans) expect(scan).toMatch(/ USING INDEX |^SCAN egress_log$/);
    }
  });
});
