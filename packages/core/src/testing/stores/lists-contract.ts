import assert from 'node:assert/strict';
import type { Page, TimeSpan } from '../../foundation/page.js';
import type { Stores } from '../../stores/stores.js';
import { contractCases } from '../support/contract-cases.js';
import type { Runner } from '../support/runner.js';
import { auditClaim } from './audit/audit-samples.js';
import {
  claimRequest,
  newArtifact,
  newAuditEvent,
  newEgressRecord,
  newJob,
  newOutboxRow,
  sampleDeadLetter,
} from './sample-rows.js';
import type { StoresHarness } from './stores-harness.js';

type Listed = { id: string; at: Date };

/** One list of the stores: how rows come into it, and how it is read. */
interface ListUnderTest {
  verb: string;
  requirement: string;
  /** Adds so many rows in one instant of the store's clock. */
  add<Tx>(stores: Stores<Tx>, count: number): Promise<void>;
  list<Tx>(stores: Stores<Tx>, filter: Page & TimeSpan): Promise<readonly Listed[]>;
}

const times = (count: number): number[] => Array.from({ length: count }, (_, n) => n);

async function endJobs<Tx>({ jobs }: Stores<Tx>, count: number): Promise<void> {
  await jobs.enqueue(times(count).map(() => newJob()));
  const claimed = await jobs.claim(claimRequest({ limit: count }));
  await jobs.settle(claimed.map(({ lease }) => ({ lease, kind: 'dead-letter', deadLetter: sampleDeadLetter() })));
}

async function endDeliveries<Tx>({ audit }: Stores<Tx>, count: number): Promise<void> {
  for (const _ of times(count)) await audit.record(newAuditEvent(), ['siem']);
  const claimed = await audit.claim(auditClaim({ limit: count }));
  const failure = { errorCode: 'HTTP_422', errorSummary: 'schema refused', errorDetails: null };
  await audit.settle(claimed.map(({ lease }) => ({ lease, kind: 'dead-letter', ...failure })));
}

let versions = 0;

/** Every list of every facet. */
export const listsUnderTest: readonly ListUnderTest[] = [
  {
    verb: 'jobs.list',
    requirement: 'WQ-1',
    add: async ({ jobs }, count) => void (await jobs.enqueue(times(count).map(() => newJob()))),
    list: async ({ jobs }, filter) => (await jobs.list(filter)).map(({ id, createdAt: at }) => ({ id, at })),
  },
  {
    verb: 'deadLetters.list',
    requirement: 'ERR-7',
    add: endJobs,
    list: async ({ deadLetters }, filter) =>
      (await deadLetters.list(filter)).map(({ id, createdAt: at }) => ({ id, at })),
  },
  {
    verb: 'outbox.list',
    requirement: 'NOT-3',
    add: async ({ outbox }, count) =>
      void (await outbox.add(times(count).map(() => newOutboxRow({ reviewVersion: ++versions })))),
    list: async ({ outbox }, filter) => (await outbox.list(filter)).map(({ id, createdAt: at }) => ({ id, at })),
  },
  {
    verb: 'audit.list',
    requirement: 'AUD-1',
    async add({ audit }, count) {
      for (const _ of times(count)) await audit.record(newAuditEvent(), []);
    },
    list: async ({ audit }, filter) => (await audit.list(filter)).map(({ id, occurredAt: at }) => ({ id, at })),
  },
  {
    verb: 'audit.listDeliveries',
    requirement: 'AUD-1',
    async add({ audit }, count) {
      for (const _ of times(count)) await audit.record(newAuditEvent(), ['siem']);
    },
    list: async ({ audit }, filter) =>
      (await audit.listDeliveries(filter)).map(({ id, createdAt: at }) => ({ id, at })),
  },
  {
    verb: 'audit.listDeadLetters',
    requirement: 'AUD-16',
    add: endDeliveries,
    list: async ({ audit }, filter) =>
      (await audit.listDeadLetters(filter)).map(({ id, deadLetteredAt: at }) => ({ id, at })),
  },
  {
    verb: 'egress.list',
    requirement: 'EGR-1',
    add: async ({ egress }, count) => egress.append(times(count).map(() => newEgressRecord())),
    list: async ({ egress }, filter) => (await egress.list(filter)).map(({ id, recordedAt: at }) => ({ id, at })),
  },
  {
    verb: 'artifactManifest.list',
    requirement: 'ART-1',
    add: async ({ artifactManifest }, count) =>
      void (await artifactManifest.reserve(times(count).map(() => newArtifact()))),
    list: async ({ artifactManifest }, filter) =>
      (await artifactManifest.list(filter)).map(({ id, createdAt: at }) => ({ id, at })),
  },
];

const idsOf = (rows: readonly Listed[]): string[] => rows.map(({ id }) => id);

/** Pages as a caller without types writes them. */
const badPages: readonly object[] = [
  { limit: 0 },
  { limit: 1001 },
  { limit: 1.5 },
  { limit: '5' },
  { before: '' },
  { before: 'no-such-row' },
  { before: 7 },
  { since: new Date(Number.NaN) },
  { until: '2026-01-01' },
];

/** What every list owes its reader, whatever its rows are. */
export function describeListsContract<Tx>(runner: Runner, harness: StoresHarness<Tx>): void {
  runner.describe('Lists contract', () => {
    const it = contractCases(runner, harness);
    for (const { verb, requirement, add, list } of listsUnderTest) {
      it(`${requirement}: ${verb} pages newest first over rows of one instant, whatever is added meanwhile`, async ({
        stores,
        clock,
      }) => {
        for (const _ of times(3)) {
          await add(stores, 4);
          await clock.advance(1000);
        }
        const all = await list(stores, {});
        assert.equal(new Set(idsOf(all)).size, 12);
        const instants = all.map(({ at }) => at.getTime());
        assert.deepEqual(
          instants,
          [...instants].sort((a, b) => b - a),
        );
        const pages: Listed[][] = [];
        for (let before: string | undefined; ; before = pages.at(-1)?.at(-1)?.id) {
          const page = await list(stores, { limit: 5, before });
          pages.push([...page]);
          if (page.length < 5 || pages.length > 3) break;
          await add(stores, 1); // newer than all: it moves no place
        }
        assert.deepEqual(
          pages.map(({ length }) => length),
          [5, 5, 2],
        );
        assert.deepEqual(idsOf(pages.flat()), idsOf(all));
        assert.deepEqual(await list(stores, { before: all.at(-1)?.id }), []);
      });

      it(`${requirement}: ${verb} reads from since on and up to until, page by page`, async ({ stores, clock }) => {
        for (const _ of times(3)) {
          await add(stores, 2);
          await clock.advance(1000);
        }
        const all = await list(stores, {});
        const [since, until] = [all[2]?.at, all[0]?.at];
        assert.ok(since && until);
        assert.deepEqual(idsOf(await list(stores, { since })), idsOf(all.slice(0, 4)));
        assert.deepEqual(idsOf(await list(stores, { until })), idsOf(all.slice(2)));
        assert.deepEqual(idsOf(await list(stores, { since, until })), idsOf(all.slice(2, 4)));
        assert.deepEqual(await list(stores, { since: until, until }), []);
        assert.deepEqual(idsOf(await list(stores, { until, before: all[2]?.id, limit: 2 })), idsOf(all.slice(3, 5)));
        assert.deepEqual(idsOf(await list(stores, { since, before: all[2]?.id })), idsOf(all.slice(3, 4)));
        assert.deepEqual(idsOf(await list(stores, { until, before: all[0]?.id })), idsOf(all.slice(2)));
      });

      it(`${requirement}: ${verb} rejects a bad page with a TypeError`, async ({ stores }) => {
        await add(stores, 1);
        for (const page of badPages)
          await assert.rejects(list(stores, page), TypeError, `not refused: ${JSON.stringify(page)}`);
      });
    }
  });
}
