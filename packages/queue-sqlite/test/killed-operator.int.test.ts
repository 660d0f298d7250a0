import { join } from 'node:path';
import type { Stores } from '@criticizer/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { firstLine, testScript } from '../../../tools/testing/run-process.js';
import type { SqliteTx } from '../src/shared/sqlite-database.js';
import { createSqliteStores } from '../src/sqlite-stores.js';
import { scratchFolder } from './stores-on-sqlite.js';

const operateAndHang = testScript(new URL('operate-and-hang.ts', import.meta.url));
const folder = scratchFolder();
const file = join(folder.path, 'queue.db');
let stores: Stores<SqliteTx>;
beforeAll(async () => {
  stores = createSqliteStores({ file, migrate: 'auto', synchronous: 'normal' });
  await stores.migrate();
});
afterAll(async () => {
  await stores.close();
  folder.remove();
});

async function addJob(key: string): Promise<string> {
  const [added] = await stores.jobs.enqueue([{ kind: 'work', payload: {}, stage: 'run', idempotencyKey: key }]);
  return added?.job.id ?? '';
}

/** Lets a job end as a dead letter; gives the id of that. */
async function addDeadLetter(key: string): Promise<string> {
  const jobId = await addJob(key);
  const claim = { owner: 'o', token: key, leaseMs: 60_000, limit: 100, kinds: ['work'] };
  for (const { lease, job } of await stores.jobs.claim(claim)) {
    const end = { errorClass: 'GONE', category: 'validation', lastStack: '' } as const;
    const deadLetter = { ...end, sanitizedContext: {}, escalation: 'operator' } as const;
    if (job.id === jobId) await stores.jobs.settle([{ lease, kind: 'dead-letter', deadLetter }]);
  }
  const letters = await stores.deadLetters.list({ status: 'open' });
  return letters.find((letter) => letter.jobId === jobId)?.id ?? '';
}

const readJob = async (id: string) => (await stores.jobs.get([id]))[0]?.status;
const readDeadLetter = async (id: string) => (await stores.deadLetters.get(id))?.status;
const verbs = [
  { verb: 'job.cancel', add: addJob, read: readJob, before: 'queued', after: 'failed' },
  { verb: 'dead_letter.replay', add: addDeadLetter, read: readDeadLetter, before: 'open', after: 'replaying' },
  { verb: 'dead_letter.triage', add: addDeadLetter, read: readDeadLetter, before: 'open', after: 'triaged' },
  { verb: 'dead_letter.close', add: addDeadLetter, read: readDeadLetter, before: 'open', after: 'ignored' },
];

describe.each(verbs)('$verb', ({ verb, add, read, before, after }) => {
  it.each([
    ['before the event', 0],
    ['before the commit', 0],
    ['after the commit', 1],
  ])(
    'OPS-1: a process killed %s leaves change and event together or none',
    async (stopAt, times) => {
      const id = await add(`${verb} ${stopAt}`);
      expect(await read(id)).toBe(before);
      const child = operateAndHang.start(file, verb, id, stopAt);
      await firstLine(child);
      const gone = new Promise((resolve) => child.once('exit', (_code, signal) => resolve(signal)));
      child.kill('SIGKILL');
      expect(await gone).toBe('SIGKILL');
      await stores.close();
      stores = createSqliteStores({ file, synchronous: 'normal' });
      const all = await stores.audit.list({});
      const events = all.filter(({ targetId }) => targetId === id).map(({ action }) => action);
      expect([await read(id), events]).toEqual([times === 1 ? after : before, Array(times).fill(verb)]);
    },
    60_000,
  );
});
