import { describe, expect, it } from 'vitest';
import { file } from './criticizer-harness.js';
import { createModel, hunkAt, mended, one, openShelf } from './shelf-harness.js';

describe('findings of a shelf that is read in part', () => {
  it('GRD-6: a move and a new file at its first path, in one shelf from the start, keep their findings apart', async () => {
    const review = openShelf();
    const moved = { ...file('//depot/b.ts', ['fine();', 'ok();']), oldPath: one.path, action: 'move' as const };
    await review(1, [moved, one]);
    const second = await review(2, [moved, one]);
    expect([second.reviews, second.checks]).toEqual([[], []]);
    expect(second.review?.findings).toMatchObject([{ file: one.path, title: 'Bug 1', state: 'open' }]);
  });

  it('GRD-6: a finding goes with its file that moves since, and comes back to be one of the same file', async () => {
    const review = openShelf();
    await review(1, [one]);
    const moved = { ...one, path: '//depot/b.ts', oldPath: one.path, action: 'move' as const };
    for (const version of [2, 3]) {
      const { review: found, reviews } = await review(version, [moved]);
      expect([reviews, found?.findings.map(({ file: path }) => path)]).toEqual([[], ['//depot/b.ts']]);
    }
  });

  it('GRD-6: a file is read again from which the line of a finding is gone, and the model decides', async () => {
    const review = openShelf();
    await review(1, [{ ...one, hunks: [hunkAt(1, 'bug1();'), hunkAt(20, 'a();')] }]);
    const second = await review(2, [{ ...one, hunks: [hunkAt(20, 'a();')] }]);
    expect(second.reviews).toHaveLength(1);
    expect(second.checks).toHaveLength(1);
    expect(second.review?.findings).toEqual([]);
    expect(second.review?.earlier).toMatchObject([{ title: 'Bug 1', state: 'resolved', because: 'answered' }]);
    expect((await review(3, [{ ...one, hunks: [hunkAt(20, 'a();')] }])).reviews).toEqual([]);
  });

  it('GRD-6: of several lines alike a finding keeps to the one that is not read again', async () => {
    const review = openShelf();
    const twin = ['bug1();', 'after();'];
    await review(1, [{ ...one, hunks: [hunkAt(1, ...twin)] }]);
    const edited = { ...one, hunks: [hunkAt(1, ...twin, 'more();'), hunkAt(44, ...twin)] };
    const second = await review(2, [edited], { model: createModel('one', [], 'findings') });
    expect(second.reviews.join()).toContain('more();');
    expect([second.checks, second.review?.earlier]).toEqual([[], []]);
    expect(second.review?.findings).toMatchObject([{ title: 'Bug 1', state: 'open', since: 1, place: { line: 44 } }]);
  });

  it('GRD-6 OUT-9: the document for records says of the change what the review says', async () => {
    const review = openShelf();
    await review(1, [one]);
    const { review: second } = await review(2, [one, mended]);
    expect(second?.state).toEqual({ verdict: 'findings', doubts: [] });
    expect(second?.result.meta?.['review_state']).toEqual(second?.state);
  });

  it('GRD-5 GRD-6: what was to be checked and was not is read and checked in the next version', async () => {
    const review = openShelf({ review: { check: 'all' } });
    const silent = createModel('one', [], 'verdicts');
    const first = await review(1, [one], { model: silent });
    expect(first.review?.check).toMatchObject({ notChecked: 1 });
    const second = await review(2, [one]);
    expect([second.reviews.length, second.checks.length]).toEqual([1, 1]);
    expect(second.review?.check).toMatchObject({ notChecked: 0, dropped: 1 });
  });

  it('GRD-6: an earlier finding that got no answer is asked about in the next version', async () => {
    const review = openShelf();
    const edited = file('//depot/1.ts', ['bugs1();', 'ok();']);
    await review(1, [one]);
    const second = await review(2, [edited], { model: createModel('one', [], 'verdicts') });
    expect(second.review?.earlier).toMatchObject([{ title: 'Bug 1', state: 'open', because: 'unanswered' }]);
    const third = await review(3, [edited]);
    expect(third.checks).toHaveLength(1);
    expect(third.review?.earlier).toMatchObject([{ title: 'Bug 1', state: 'resolved' }]);
  });
});
