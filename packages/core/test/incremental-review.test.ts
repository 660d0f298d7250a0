import { describe, expect, it } from 'vitest';
import { createMemoryStores } from '../src/memory/memory-stores.js';
import { change, harness, sharedArtifacts } from './criticizer-harness.js';
import { createModel, mended, one, openShelf, two } from './shelf-harness.js';

describe('a shelf that was reviewed before', () => {
  it('GRD-6: only what changed is sent; findings of the rest stay as they are, coverage says who read what', async () => {
    const review = openShelf();
    const first = await review(1, [one, two]);
    expect(first.review?.findings.map(({ title, state }) => [title, state])).toEqual([
      ['Bug 1', 'new'],
      ['Bug 2', 'new'],
    ]);
    const second = await review(2, [one, mended]);
    expect(second.reviews).toHaveLength(1);
    expect(second.reviews[0]).toContain('fine();');
    expect(second.reviews[0]).not.toContain('bug1();');
    expect(second.review?.findings).toMatchObject([{ title: 'Bug 1', state: 'open', since: 1, place: { line: 1 } }]);
    expect(second.review?.findings[0]?.id).toBe(first.review?.findings[0]?.id);
    expect(second.checks).toHaveLength(1);
    expect(second.review?.earlier).toMatchObject([{ title: 'Bug 2', state: 'resolved' }]);
    expect(second.review?.coverage).toMatchObject({
      complete: true,
      files: [
        { state: 'reviewed_full', hunks: 1, read_before: [{ review_version: 1, hunks: 1 }] },
        { state: 'reviewed_full', hunks: 1 },
      ],
    });
    expect(second.review?.coverage.files[1]).not.toHaveProperty('read_before');
    expect(second.mails[0].sinceVersion).toMatchObject({ reviewVersion: 1, new: 0, reportedAgain: 1, resolved: 1 });

    const third = await review(3, [one, mended]);
    expect([third.reviews, third.checks]).toEqual([[], []]);
    expect(third.review?.findings).toMatchObject([{ title: 'Bug 1', state: 'open', since: 1 }]);
    expect(third.review?.state).toEqual({ verdict: 'findings', doubts: [] });
    expect(third.review?.reviewers).toMatchObject([{ provider: 'one' }]);
    expect(third.review?.coverage.files).toMatchObject([
      { read_before: [{ review_version: 1, hunks: 1 }] },
      { read_before: [{ review_version: 2, hunks: 1 }] },
    ]);
    const clean = await review(4, [mended]);
    expect([clean.reviews, clean.review?.state]).toEqual([[], { verdict: 'no_findings', doubts: [] }]);
  });

  it('GRD-6: a finding keeps its place where lines were added above its hunk', async () => {
    const review = openShelf();
    const hunk = (newStart: number) => [
      { ...{ oldStart: 1, oldLines: 1 }, newStart, newLines: 2, lines: [' a', '+bug1();'] },
    ];
    await review(1, [{ ...one, hunks: hunk(40) }]);
    const { review: second, reviews } = await review(2, [{ ...one, hunks: hunk(50) }]);
    expect(reviews).toEqual([]);
    expect(second?.findings).toMatchObject([{ title: 'Bug 1', state: 'open' }]);
  });

  it('GRD-6: a finding stays as it is though another hunk of its file is sent, and nobody decides about it', async () => {
    const review = openShelf();
    const at = (newStart: number, line: string) => ({
      ...{ oldStart: newStart, oldLines: 0, newStart, newLines: 1 },
      lines: [`+${line}`],
    });
    await review(1, [{ ...one, hunks: [at(1, 'bug1();'), at(20, 'a();')] }]);
    const {
      review: second,
      reviews,
      checks,
    } = await review(2, [{ ...one, hunks: [at(1, 'bug1();'), at(20, 'b();')] }]);
    expect(reviews.join()).toContain('b();');
    expect(reviews.join()).not.toContain('bug1();');
    expect(checks).toEqual([]);
    expect(second?.findings).toMatchObject([{ title: 'Bug 1', state: 'open', place: { line: 1 } }]);
    expect(second?.earlier).toEqual([]);
  });

  it('GRD-6: a hunk is read again where its function changed elsewhere, and one that stands twice for each time', async () => {
    const review = openShelf();
    const at = (newStart: number) => ({
      ...{ oldStart: 1, oldLines: 0 },
      newStart,
      newLines: 1,
      lines: ['+  bug1();'],
    });
    const textOf = (last: string) =>
      ['function f() {', '  bug1();', '  a();', '  b();', `  ${last}`, '}', ''].join('\n');
    const rest = { ...{ oldStart: 5, oldLines: 0, newStart: 5, newLines: 1 }, lines: ['+  c();'] };
    await review(1, [{ ...one, hunks: [at(2)], newText: textOf('c();') }]);
    const same = await review(2, [{ ...one, hunks: [at(2)], newText: textOf('c();') }]);
    expect(same.reviews).toEqual([]);
    const other = await review(3, [{ ...one, hunks: [at(2), rest], newText: textOf('d();') }]);
    expect(other.reviews.join()).toContain('+  bug1();');

    const twice = openShelf();
    await twice(1, [{ ...one, hunks: [at(2)] }]);
    const { reviews, review: second } = await twice(2, [{ ...one, hunks: [at(2), at(9)] }]);
    expect(reviews.join().split('bug1();')).toHaveLength(2);
    expect(second?.coverage.files).toMatchObject([{ hunks: 2, read_before: [{ review_version: 1, hunks: 1 }] }]);
  });

  it('GRD-6 RED-1: a file that moved, under a path that is hidden, is not read again', async () => {
    const review = openShelf();
    const word = ['secret', 'abcd1234'].join('-');
    const before = `//depot/${word}/1.ts`;
    await review(1, [{ ...mended, path: before }]);
    const moved = { path: `//depot/${word}/b.ts`, oldPath: before, action: 'move' as const };
    const { reviews, review: second } = await review(2, [two, { ...mended, ...moved }]);
    expect(reviews.join()).toContain('bug2();');
    expect(reviews.join()).not.toContain('fine();');
    expect(second?.coverage.files[1]).toMatchObject({ read_before: [{ review_version: 1, hunks: 1 }] });
  });

  it('EGR-3 GRD-6: a dry run shows what the next version sends', async () => {
    const review = openShelf();
    const first = await review(1, [one, two]);
    const second = await review(2, [one, mended]);
    const shown = ({ dry }: typeof first) =>
      dry.kind === 'planned' ? dry.requests.map(({ body }) => JSON.parse(body).turns[0].text) : [];
    expect(shown(first)).toEqual(first.reviews);
    expect(shown(second)).toEqual(second.reviews);
  });

  const told = { review: { rules: [{ paths: ['//depot/...'], instructions: 'Be strict.' }] } };
  it.each([
    ['another model', { model: createModel('other') }],
    ['other instructions', { now: told }],
    ['a submit that asks for all', { readAll: true }],
    ['the setting off', { now: { review: { incremental: 'off' as const } } }],
  ] as const)('GRD-6: %s reads all again', async (_why, how) => {
    const review = openShelf();
    await review(1, [one, two]);
    const { reviews } = await review(2, [one, mended], how);
    expect(reviews.join()).toContain('bug1();');
  });

  it('GRD-5 OUT-9: what the check dropped of text that is not read again stays dropped, and is never clean', async () => {
    const review = openShelf({ review: { check: 'all' } });
    for (const version of [1, 2, 3]) {
      const { review: found, reviews } = await review(version, [one]);
      expect([found?.state.verdict, found?.droppedByCheck.length]).toEqual(['inconclusive', 1]);
      expect(reviews).toHaveLength(version === 1 ? 1 : 0);
    }
  });

  it('GRD-6: a submitted change is read whole, unless the setting says always', async () => {
    for (const [settings, requests] of [
      [{}, 1],
      [{ review: { incremental: 'always' } }, 0],
    ] as const) {
      const review = openShelf(settings, 'submitted');
      await review(1, [one]);
      expect((await review(2, [one])).reviews).toHaveLength(requests);
    }
  });

  it('OUT-9 GRD-6: what a reply left in doubt is read again', async () => {
    const review = openShelf();
    const broken = createModel('one', [{ id: 'f9', title: 'No place and no severity' }]);
    const first = await review(1, [mended], { model: broken });
    expect(first.review?.state.verdict).toBe('inconclusive');
    const second = await review(2, [mended]);
    expect([second.reviews.length, second.review?.state.verdict]).toEqual([1, 'no_findings']);
  });

  it('GRD-6 GRD-8: a hidden finding of text that was not read again stays hidden', async () => {
    const kept = { stores: createMemoryStores(), artifacts: sharedArtifacts() };
    const at = async (version: number) => {
      const { provider } = createModel();
      const t = harness({ change: change({ files: [one], kind: 'shelved' }), more: { ...kept, llm: provider } });
      const found = await t.criticizer.review(await t.run(version));
      await t.criticizer.stop();
      return found;
    };
    const [known] = (await at(1))?.findings ?? [];
    const scope = { kind: 'finding', changelistId: 'main/7', findingId: known?.id ?? '', coversSecret: false } as const;
    const actor = { type: 'admin_user', id: 'ada' } as const;
    await kept.stores.suppressions.add({
      ...{ scope, disposition: 'false_positive', reason: 'Checked.', expiresInMs: null, actor },
    });
    for (const version of [2, 3]) {
      const found = await at(version);
      expect([found?.findings, found?.suppressed.map(({ id }) => id)]).toEqual([[], [known?.id]]);
      expect(found?.state.verdict).toBe('inconclusive');
    }
  });
});
