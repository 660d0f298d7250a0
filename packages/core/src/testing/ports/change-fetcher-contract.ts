import assert from 'node:assert/strict';
import type { Change, ChangedFile } from '../../changes/change.js';
import type { ChangeFetcher, FetchLimits } from '../../changes/change-fetcher.js';
import { isCriticizerError } from '../../foundation/errors.js';
import { contractCases } from '../support/contract-cases.js';
import type { Runner } from '../support/runner.js';

/** Makes a fetcher for each case, with a change that it can read and one that is not there. */
export interface ChangeFetcherHarness {
  /**
   * A fetcher that knows a reviewable change of several files, two or more of them with text, and
   * lacks another number.
   */
  create(): Promise<{ fetcher: ChangeFetcher; known: number; unknown: number; dispose(): Promise<void> }>;
}

const limits: FetchLimits = {
  maxFiles: 100,
  maxFileBytes: 1 << 20,
  maxTotalBytes: 1 << 24,
  contextLines: 3,
  maxNewTextBytes: 100_000,
};

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

/** A whole text that disagrees with the hunks would show the model another file than the diff. */
function assertNewTextsAgree(change: Change, maxNewTextBytes: number): void {
  for (const { path, skipped, hunks, newText } of change.files) {
    if (newText === undefined) continue;
    assert.equal(skipped, null, `${path}: skipped, yet with its whole text`);
    assert.ok(Buffer.byteLength(newText) <= maxNewTextBytes, `${path}: newText over the limit`);
    const lines = newText.split('\n');
    for (const hunk of hunks) {
      const shown = hunk.lines.filter((line) => !line.startsWith('-')).map((line) => line.slice(1));
      const from = Math.max(0, hunk.newStart - 1);
      assert.deepEqual(lines.slice(from, from + shown.length), shown, `${path}: newText differs from its hunks`);
    }
  }
}

function hasText({ skipped, hunks }: ChangedFile): boolean {
  return skipped === null && hunks.length > 0;
}

function assertHeadingsAreLines(change: Change): void {
  for (const { path, hunks } of change.files)
    for (const { section } of hunks)
      assert.ok(section === undefined || !/[\r\n]/.test(section), `${path}: a heading of several lines`);
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
    it('keeps headings to one line and whole texts to the limit, and these agree with the hunks', async ({
      fetcher,
      known,
    }) => {
      for (const maxNewTextBytes of [limits.maxNewTextBytes, 8, 0]) {
        const outcome = await fetcher.fetch(known, { limits: { ...limits, maxNewTextBytes }, signal: signal() });
        assert.ok(outcome.kind === 'change');
        assertHeadingsAreLines(outcome.change);
        assertNewTextsAgree(outcome.change, maxNewTextBytes);
        const texts = outcome.change.files.filter((file) => file.newText !== undefined);
        if (maxNewTextBytes === 0) assert.equal(texts.length, 0, 'newText although the limit is 0');
      }
    });
    it('INT-1: reads files for the scan alone after all others', async ({ fetcher, known }) => {
      const all = await fetcher.fetch(known, { limits, signal: signal() });
      assert.ok(all.kind === 'change');
      const paths = all.change.files.filter(hasText).map((file) => file.path);
      assert.ok(paths.length > 1, 'the known change has two files with text at least');
      for (const reviewed of paths) {
        const isScanOnly = (path: string): boolean => path !== reviewed;
        const request = { limits: { ...limits, maxFiles: 1 }, isScanOnly, signal: signal() };
        const outcome = await fetcher.fetch(known, request);
        assert.ok(outcome.kind === 'change');
        for (const file of outcome.change.files)
          if (file.path === reviewed) assert.ok(hasText(file), `${reviewed}: files for the scan alone came first`);
          else if (paths.includes(file.path))
            assert.ok(hasText(file) || file.skipped === 'unscanned', `${file.path}: neither scanned nor unscanned`);
      }
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
