import assert from 'node:assert/strict';
import type { Change } from '../../changes/change.js';
import type { ChangeFetcher, FetchLimits } from '../../changes/change-fetcher.js';
import { isCriticizerError } from '../../foundation/errors.js';
import { contractCases } from '../support/contract-cases.js';
import type { Runner } from '../support/runner.js';

export interface ChangeFetcherHarness {
  /** A fetcher that knows a reviewable change of several files and lacks another number. */
  create(): Promise<{ fetcher: ChangeFetcher; known: number; unknown: number; dispose(): Promise<void> }>;
}

const limits: FetchLimits = { maxFiles: 100, maxFileBytes: 1 << 20, maxTotalBytes: 1 << 24, contextLines: 3 };

/** Line counts of a hunk must equal what its lines say, or every line number of the review is wrong. */
function assertHunksConsistent(change: Change): void {
  for (const file of change.files) {
    let added = 0;
    let removed = 0;
    for (const hunk of file.hunks) {
      const count = (marks: string): number => hunk.lines.filter((line) => marks.includes(line[0] ?? '?')).length;
      assert.ok(
        hunk.lines.every((line) => ' +-'.includes(line[0] ?? '?')),
        `${file.path}: a line without a mark`,
      );
      assert.equal(hunk.oldLines, count(' -'), `${file.path}: oldLines`);
      assert.equal(hunk.newLines, count(' +'), `${file.path}: newLines`);
      added += count('+');
      removed += count('-');
    }
    assert.equal(file.addedLines, added, `${file.path}: addedLines`);
    assert.equal(file.removedLines, removed, `${file.path}: removedLines`);
    if (file.skipped !== null) assert.deepEqual(file.hunks, [], `${file.path}: skipped, yet with text`);
  }
}

/** What every ChangeFetcher must do, whatever it reads from. */
export function describeChangeFetcherContract(runner: Runner, harness: ChangeFetcherHarness): void {
  const it = contractCases(runner, harness);
  const signal = () => new AbortController().signal;

  runner.describe('ChangeFetcher contract', () => {
    it('INT-2: names server and change in every key', async ({ fetcher, known }) => {
      assert.match(fetcher.serverId, /^[a-z0-9][a-z0-9.-]{0,62}$/);
      const outcome = await fetcher.fetch(known, { limits, signal: signal() });
      assert.equal(outcome.kind, 'change');
      if (outcome.kind !== 'change') return;
      assert.equal(outcome.change.changelistId, `${fetcher.serverId}/${known}`);
      assert.equal(outcome.change.number, known);
      assert.ok(outcome.change.files.length > 1);
    });
    it('gives hunks whose numbers agree with their lines, and each path once', async ({ fetcher, known }) => {
      const outcome = await fetcher.fetch(known, { limits, signal: signal() });
      assert.ok(outcome.kind === 'change');
      assertHunksConsistent(outcome.change);
      assert.equal(new Set(outcome.change.files.map((f) => f.path)).size, outcome.change.files.length);
    });
    it('INT-2: the same content has the same digest', async ({ fetcher, known }) => {
      const [one, two] = [
        await fetcher.fetch(known, { limits, signal: signal() }),
        await fetcher.fetch(known, { limits, signal: signal() }),
      ];
      assert.ok(one.kind === 'change' && two.kind === 'change');
      assert.equal(one.change.contentDigest, two.change.contentDigest);
    });
    it('ERR-1: says not_found for a change that is not there', async ({ fetcher, unknown }) => {
      await assert.rejects(
        fetcher.fetch(unknown, { limits, signal: signal() }),
        (error) => isCriticizerError(error) && error.category === 'not_found',
      );
    });
    it('stops at once when asked to', async ({ fetcher, known }) => {
      const stopped = AbortSignal.abort(new RangeError('stop'));
      await assert.rejects(fetcher.fetch(known, { limits, signal: stopped }));
    });
  });
}
