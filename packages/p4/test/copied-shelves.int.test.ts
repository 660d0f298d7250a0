import { afterEach, describe, expect, it } from 'vitest';
import { base, closeWatchers, setUpWatchers, shelf } from './watcher-setup.js';

afterEach(closeWatchers);

const copy = (number: number, content: string) => shelf(number, content, { user: 'swarm', client: 'swarm-ws' });

function setUpCopies() {
  const all = setUpWatchers(
    { main: { changes: [base, shelf(7, 'two\n'), copy(8, 'two\n')] } },
    { watch: ['shelved', 'submitted'], startAt: 2 },
  );
  const ends = async () =>
    (await all.jobs())
      .map(
        ({ changelistId, reviewVersion, result, status }) =>
          `${changelistId} v${reviewVersion} ${result?.['skipped'] ?? status}`,
      )
      .sort();
  return { ...all, ends };
}

describe('a shelf and the copy that a review system keeps of it', () => {
  it('INT-2: are one review, while it waits and after it, replaced and submitted too', async () => {
    const { watcher, simulator, criticizer, mailer, ends, jobs } = setUpCopies();
    await watcher.poll();
    expect(await ends()).toEqual(['main/7 v1 queued', 'main/8 v1 same_content']);
    const [review] = (await jobs()).filter(({ changelistId }) => changelistId === 'main/7');
    await criticizer.runDue();
    for (const outcome of ['known', 'known'])
      expect(await watcher.take([8], { isInReview: true })).toMatchObject([{ outcome, jobId: review?.id }]);
    simulator.update({ changes: [base, shelf(7, 'three\n'), copy(8, 'three\n')] });
    await watcher.poll();
    await criticizer.runDue();
    // The copy is what the review system submits, under a number of its own.
    const submitted = { ...copy(9, 'three\n'), status: 'submitted', shelved: false, oldChange: 8 } as const;
    simulator.update({ changes: [base, shelf(7, 'three\n'), submitted] });
    await watcher.poll();
    await criticizer.runDue();
    expect(await ends()).toEqual([
      'main/7 v1 completed',
      'main/7 v2 completed',
      'main/8 v1 same_content',
      'main/8 v2 same_content',
      'main/9 v1 same_content',
    ]);
    expect(mailer.accepted()).toHaveLength(2);
  });

  it('INT-1: the copy is reviewed where the shelf is gone before it was read', async () => {
    const { watcher, simulator, criticizer, mailer, ends } = setUpCopies();
    await watcher.poll();
    simulator.update({ changes: [base, copy(8, 'two\n')] });
    await criticizer.runDue();
    expect(await ends()).toEqual(['main/7 v1 gone', 'main/8 v1 same_content']);
    expect(await watcher.take([8])).toMatchObject([{ outcome: 'submitted', reviewVersion: 2 }]);
    await criticizer.runDue();
    expect([(await ends())[2], mailer.accepted().length]).toEqual(['main/8 v2 completed', 1]);
  });
});
