import { join } from 'node:path';
import { expect, it } from 'vitest';
import { testScript } from '../../../tools/testing/run-process.js';
import { createSqliteStores } from '../src/sqlite-stores.js';
import { scratchFolder } from './stores-on-sqlite.js';

const maxLostLeases = 3;
const runUntilKilled = testScript(new URL('run-until-killed.ts', import.meta.url));

it('ERR-6: jobs that kill their workers become dead letters; none that ran or waited beside them does', {
  timeout: 180_000,
}, async () => {
  const folder = scratchFolder();
  const file = join(folder.path, 'queue.db');
  const stores = createSqliteStores({ file, migrate: 'auto', synchronous: 'normal' });
  const deadly = ['deadly:1', 'deadly:2'];
  const keys = [
    ...Array.from({ length: 3 }, (_, n) => `good:${n}`),
    ...deadly,
    ...Array.from({ length: 9 }, (_, n) => `good:${n + 3}`),
  ];
  await stores.jobs.enqueue(keys.map((key) => ({ kind: 'work', payload: {}, stage: 'run', idempotencyKey: key })));
  let kills = 0;
  for (let isOver = false; !isOver; ) {
    const child = runUntilKilled.start(file, 'deadly');
    const signal = await new Promise((resolve) => child.once('exit', (_code, by) => resolve(by)));
    if (signal === 'SIGKILL') kills++;
    else isOver = true;
    expect(kills).toBeLessThanOrEqual(deadly.length * maxLostLeases);
  }
  const jobs = await stores.jobs.list({});
  const innocents = jobs.filter(({ idempotencyKey }) => idempotencyKey.startsWith('good'));
  expect(innocents.filter(({ status }) => status !== 'completed')).toEqual([]);
  const letters = await stores.deadLetters.list({});
  expect(letters.map(({ errorClass }) => errorClass)).toEqual(deadly.map(() => 'WORKER_LOST'));
  expect(kills).toBeGreaterThanOrEqual(maxLostLeases);
  await stores.close();
  folder.remove();
});
