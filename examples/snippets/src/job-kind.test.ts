import { expect, it } from 'vitest';
import { createReportKind } from './job-kind.js';
import { createTestReviews, eventually } from './review-parts.js';

it('a host runs a kind of its own beside the reviews, stage by stage', async () => {
  const published: string[] = [];
  const kind = createReportKind({
    collect: async (user, days) => `report-of-${user}-${days}`,
    publish: async (reportId) => void published.push(reportId),
  });
  const { criticizer, stores } = createTestReviews({ kinds: [kind] });
  // #region enqueue
  await criticizer.start();
  const report = { kind: 'weekly-report', stage: 'collect', payload: { user: 'ada', days: 7 } };
  const [first] = await criticizer.enqueue([{ ...report, idempotencyKey: 'weekly-report:ada:2026-01' }]);
  const [again] = await criticizer.enqueue([{ ...report, idempotencyKey: 'weekly-report:ada:2026-01' }]);
  // #endregion
  const [wrong] = await criticizer.enqueue([{ ...report, payload: { user: 'ada' }, idempotencyKey: 'wrong' }]);
  const ended = (id = '') =>
    eventually(async () => {
      const [job] = await stores.jobs.get([id]);
      return job?.finishedAt == null ? undefined : job;
    });
  const job = await ended(first?.job.id);
  expect([first?.outcome, again?.outcome]).toEqual(['enqueued', 'duplicate']);
  expect(job).toMatchObject({
    status: 'completed',
    result: { published: true },
    outputs: { 'collect.report': 'report-of-ada-7' },
  });
  expect(published).toEqual(['report-of-ada-7']);
  expect(await ended(wrong?.job.id)).toMatchObject({ status: 'failed' });
  expect(await stores.deadLetters.list({})).toMatchObject([{ errorClass: 'SCHEMA_INVALID', kind: 'weekly-report' }]);
  await criticizer.stop();
});
