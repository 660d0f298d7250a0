import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { Lease } from '@criticizer/core/ports';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { firstLine, output, testScript } from '../../../tools/testing/run-process.js';
import { migrationSteps } from '../src/migrations.js';
import { readHost } from '../src/shared/sqlite-clock.js';
import { openSqlite } from '../src/shared/sqlite-database.js';
import { createSqliteStores, createStoresOnSqlite } from '../src/sqlite-stores.js';
import { scratchFolder } from './stores-on-sqlite.js';

const claimUntilEmpty = testScript(new URL('claim-until-empty.ts', import.meta.url));
const claimAndHang = testScript(new URL('claim-and-hang.ts', import.meta.url));
const openNewFiles = testScript(new URL('open-new-files.ts', import.meta.url));
const migrate = testScript(new URL('migrate.ts', import.meta.url));

function integrity(file: string): unknown[] {
  const database = openSqlite(file);
  try {
    return database.prepare('PRAGMA integrity_check').all();
  } finally {
    database.close?.();
  }
}

describe('several processes on one file', () => {
  let folder: ReturnType<typeof scratchFolder>;
  let file: string;
  beforeEach(() => {
    folder = scratchFolder();
    file = join(folder.path, 'criticizer.db');
  });
  afterEach(() => folder.remove());

  it('WQ-2: four processes claim every job exactly once', { timeout: 60_000 }, async () => {
    const stores = createSqliteStores({ file, migrate: 'auto', synchronous: 'normal' });
    const jobs = await stores.jobs.enqueue(
      Array.from({ length: 400 }, (_, n) => ({ kind: 'review', payload: n, stage: 'fetch', idempotencyKey: `k-${n}` })),
    );
    const outputs = await Promise.all(Array.from({ length: 4 }, () => output(claimUntilEmpty.start(file, 'review'))));
    const reports = outputs.map((text) => JSON.parse(text) as { done: string[]; outcomes: string[] });
    expect(reports.flatMap(({ done }) => done).sort()).toEqual(jobs.map(({ job }) => job.id).sort());
    expect(new Set(reports.flatMap(({ outcomes }) => outcomes))).toEqual(new Set(['settled']));
    expect(await stores.jobs.stats()).toMatchObject({ due: 0, running: 0, completed: 400 });
    await stores.close();
    expect(integrity(file)).toEqual([{ integrity_check: 'ok' }]);
  });

  it('WQ-9: the job of a killed process is taken after its lease, and its late settlement is refused', {
    timeout: 60_000,
  }, async () => {
    let aheadMs = 0;
    const stores = createStoresOnSqlite({ file, migrate: 'auto' }, { hostMs: () => Date.now() + aheadMs });
    await stores.jobs.enqueue([{ kind: 'review', payload: null, stage: 'fetch', idempotencyKey: 'k' }]);
    const token = randomUUID();
    const child = claimAndHang.start(file, '60000', token);
    const [lost] = JSON.parse(await firstLine(child)) as Lease[];
    const gone = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await gone;
    const request = { kinds: ['review'], owner: 'survivor', leaseMs: 30_000, limit: 1 };
    expect(await stores.jobs.claim({ ...request, token: randomUUID() })).toEqual([]);
    aheadMs = 60_001;
    const [taken] = await stores.jobs.claim({ ...request, token: randomUUID() });
    expect(taken?.job).toMatchObject({ lostLeases: 1, attempts: { fetch: 2 }, claimedBy: 'survivor' });
    if (lost === undefined || taken === undefined) throw new Error('no lease');
    const done = { kind: 'done', result: {}, requireNotified: false } as const;
    expect(
      await stores.jobs.settle([
        { lease: lost, ...done },
        { lease: taken.lease, ...done },
      ]),
    ).toEqual(['lease-lost', 'settled']);
    await stores.close();
    expect(integrity(file)).toEqual([{ integrity_check: 'ok' }]);
  });

  it('INV-6: what has passed is one number for all processes of the host', () => {
    const before = readHost().monotonicMs;
    const [seconds = 0, nanoseconds = 0] = JSON.parse(
      String(execFileSync(process.execPath, ['-p', 'JSON.stringify(process.hrtime())'])),
    );
    const between = seconds * 1_000 + nanoseconds / 1e6;
    expect(between).toBeGreaterThan(before);
    expect(between).toBeLessThan(readHost().monotonicMs);
  });

  it('AUD-1: six processes open one new file at the same moment, and all of them work', {
    timeout: 90_000,
  }, async () => {
    const processes = Array.from({ length: 6 }, () => openNewFiles.converse());
    try {
      await Promise.all(processes.map(({ opened }) => opened));
      for (let round = 0; round < 40; round++) {
        const fresh = join(folder.path, `round-${round}.db`);
        const answers = await Promise.all(processes.map(({ ask }) => ask(fresh)));
        expect(answers).toEqual(Array(6).fill('ok'));
        expect(integrity(fresh)).toEqual([{ integrity_check: 'ok' }]);
      }
    } finally {
      await Promise.all(processes.map(({ end }) => end()));
    }
  });

  it('AUD-1: ten processes migrate at once and one applies each step', { timeout: 90_000 }, async () => {
    const outputs = await Promise.all(Array.from({ length: 10 }, () => output(migrate.start(file))));
    const applied = outputs.map(Number);
    expect(applied.reduce((sum, n) => sum + n, 0)).toBe(migrationSteps.length);
    expect(applied.filter((n) => n > 0)).toHaveLength(1);
    expect(integrity(file)).toEqual([{ integrity_check: 'ok' }]);
  });
});
