import { randomBytes } from 'node:crypto';
import { CriticizerError, type JobKind, silentLogger } from '@criticizer/core';
import { createSqliteStores } from '@criticizer/queue-sqlite';
import { createRedactor } from '@criticizer/redact';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { enqueueAll, reminders, replayAll, withdraw, work } from './own-jobs.js';
import { eventually } from './review-parts.js';
import { explain } from './why-failed.js';

const hour = 3_600_000;

it('jobs are enqueued in bulk, ahead, later, and withdrawn', async () => {
  const stores = createSqliteStores({ file: ':memory:', migrate: 'auto' });
  const jobs = Array.from({ length: 2_500 }, (_, i) => ({
    kind: 'k',
    stage: 's',
    payload: { i },
    idempotencyKey: `k:${i}`,
  }));
  expect(await enqueueAll(stores, jobs)).toBe(2_500);
  expect(
    await enqueueAll(stores, [
      ...jobs.slice(0, 10),
      { ...jobs[0], kind: 'k', stage: 's', payload: {}, idempotencyKey: 'new' },
    ]),
  ).toBe(1);

  const dueAt = new Date((await stores.now()).getTime() + 2 * hour);
  const [now, soon, due] = (await stores.jobs.enqueue(reminders('42', dueAt))).map(({ job }) => job);
  expect((soon?.runAt.getTime() ?? 0) - (now?.runAt.getTime() ?? 0)).toBe(hour);
  expect(due?.runAt).toEqual(dueAt);
  const [first] = await stores.jobs.claim({
    kinds: ['k', 'reminder'],
    owner: 'o',
    token: 't',
    leaseMs: 60_000,
    limit: 1,
  });
  expect(first?.job.id).toBe(now?.id);

  expect(await withdraw(stores, due?.id ?? '')).toBe(true);
  expect(await withdraw(stores, now?.id ?? '')).toBe(false);
  expect(await stores.jobs.get([due?.id ?? ''])).toMatchObject([{ status: 'failed', result: { cancelled: true } }]);
  await stores.close();
});

it('a worker runs them until it is told to stop; what died is replayed once its cause is mended', async () => {
  const stores = createSqliteStores({ file: ':memory:', migrate: 'auto' });
  let mended = false;
  const kind: JobKind<unknown> = {
    kind: 'reminder',
    payload: z.unknown(),
    stages: [
      {
        name: 'send',
        async run() {
          if (!mended) throw new CriticizerError('TEMPLATE_BROKEN', 'no such field', { category: 'validation' });
          return { kind: 'done', result: {} };
        },
      },
    ],
  };
  const [reminder] = reminders('7', new Date());
  const [enqueued] = await stores.jobs.enqueue(reminder === undefined ? [] : [reminder]);
  const statusIs = (status: string) =>
    eventually(async () => {
      const [job] = await stores.jobs.get([enqueued?.job.id ?? '']);
      return job?.status === status ? job : undefined;
    });
  const stop = new AbortController();
  const redactor = createRedactor({ fingerprintKey: randomBytes(32) });
  const working = work(stores, [kind], { redactor, logger: silentLogger, signal: stop.signal });
  const failed = await statusIs('failed');
  expect(await explain(stores, failed?.id ?? '')).toMatch(
    /^failed in send after 1 attempt: TEMPLATE_BROKEN \(validation\), .*no such field\nopen since .*, dead letter \S+$/,
  );
  mended = true;
  expect(await replayAll(stores, 'TEMPLATE_BROKEN', { type: 'admin_user', id: 'ada' }, 'template fixed in 1.2.3')).toBe(
    1,
  );
  expect(await replayAll(stores, 'TEMPLATE_BROKEN', { type: 'admin_user', id: 'ada' }, 'again')).toBe(0);
  expect(await statusIs('completed')).toMatchObject({ replayOf: { errorClass: 'TEMPLATE_BROKEN' } });
  stop.abort();
  await working;
  await stores.close();
});
