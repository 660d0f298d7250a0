import { describe, expect, it } from 'vitest';
import type { WatchedChange } from '../watch/watched-change.js';
import { findRobots } from './find-robots.js';

const unread = { renumberedFrom: null, malformed: 0, digest: null, status: 'submitted' } as const;
const minute = 60_000;
const texts = ['Fix the total', 'Add a test', 'Rename it', 'Remove dead code', 'Bump the limit'];

/** Five changes of one user: of a person, but for what is given. */
function changesOf(
  user: string,
  { gapMs = 40 * minute, files = 2, describe: text = (n: number) => texts[n] ?? '', count = 5 } = {},
): WatchedChange[] {
  return Array.from({ length: count }, (_, n) => ({
    ...unread,
    ...{ number: n + 1, user, changedAt: new Date(n * gapMs), description: text(n) },
    files: Array.from({ length: files }, (_, file) => ({ path: `//depot/main/${file}.ts` })),
  }));
}

const signs = (changes: readonly WatchedChange[]) =>
  findRobots(changes, []).map((robot) => [robot.user, ...robot.signs]);

describe('findRobots', () => {
  it.each(['ada', 'talbot', 'builtin.ann', 'cissy', 'merger'])('takes %s for a person', (user) => {
    expect(signs(changesOf(user))).toEqual([]);
  });

  it.each(['jenkins', 'ue-build', 'mergeBot', 'robomerge', 'buildfarm', 'svc_p4', 'CI.win64'])(
    'takes %s for a robot by its name, be it for one change',
    (user) => expect(signs(changesOf(user, { count: 1 }))).toEqual([[user, 'name']]),
  );

  it('finds descriptions that differ in numbers, digests and paths alone', () => {
    const text = (n: number): string => `Copied from //depot/dev-${n}/... at 4f0${n}aa9bc1 (CL ${n * 71})`;
    expect(signs(changesOf('ann', { describe: text }))).toEqual([['ann', 'uniform']]);
    expect(signs(changesOf('ann', { describe: text, count: 4 }))).toEqual([]);
    expect(signs(changesOf('ann', { describe: () => '' }))).toEqual([]);
  });

  it('finds changes in quick succession, and many files', () => {
    expect(signs(changesOf('ann', { gapMs: minute - 1 }))).toEqual([['ann', 'rapid']]);
    expect(signs(changesOf('ann', { gapMs: minute }))).toEqual([]);
    expect(signs(changesOf('ann', { files: 200 }))).toEqual([['ann', 'mass']]);
    expect(signs(changesOf('ann', { files: 199 }))).toEqual([]);
  });

  it('lists the busiest first, and leaves out whom the settings skip, in any case', () => {
    const all = [...changesOf('ann'), ...changesOf('jenkins', { count: 2 }), ...changesOf('robomerge')];
    expect(findRobots(all, []).map(({ user, changes }) => [user, changes])).toEqual([
      ['robomerge', 5],
      ['jenkins', 2],
    ]);
    expect(findRobots(all, ['RoboMerge', 'jenkins'])).toEqual([]);
  });
});
