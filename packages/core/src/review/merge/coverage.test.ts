import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { FileSkip } from '../../changes/change.js';
import { type ChunkOutcome, type CoverableChange, type CoveredChunk, coverChange } from './coverage.js';

const skip: FileSkip[] = ['deleted', 'binary', 'generated', 'filtered', 'oversize', 'unchanged', 'purged', 'error'];
const changeOf = fc.record({
  files: fc.array(
    fc.record({
      path: fc.string(),
      skipped: fc.option(fc.constantFrom(...skip)),
      hunks: fc.array(fc.constant(0), { maxLength: 4 }),
    }),
    { maxLength: 8 },
  ),
  visibility: fc.constantFrom('complete' as const, 'partial-possible' as const),
  deniedFiles: fc.nat(2),
});
const chunksOf = fc.array(
  fc.record({
    outcome: fc.constantFrom<ChunkOutcome>('read', 'cut', 'failed'),
    files: fc.array(fc.record({ file: fc.nat(9), hunks: fc.array(fc.nat(5), { maxLength: 5 }) }), { maxLength: 8 }),
  }),
  { maxLength: 5 },
);

function change(...files: [string, FileSkip | null, number][]): CoverableChange {
  const made = files.map(([path, skipped, hunks]) => ({
    path,
    skipped,
    hunks: Array.from({ length: hunks }, () => 0),
  }));
  return { files: made, visibility: 'complete', deniedFiles: 0 };
}

function chunk(outcome: ChunkOutcome, ...files: [number, number[]][]): CoveredChunk {
  return { outcome, files: files.map(([file, hunks]) => ({ file, hunks })) };
}

describe('coverage', () => {
  it('OUT-9: every file stands in exactly one state and the totals add up, whatever the chunks say', () => {
    fc.assert(
      fc.property(changeOf, chunksOf, (made, chunks) => {
        const coverage = coverChange(made, chunks);
        const { totals } = coverage;
        expect(coverage.files.map(({ path }) => path)).toEqual(made.files.map(({ path }) => path));
        expect(totals.reviewed_full + totals.reviewed_partial + totals.skipped).toBe(made.files.length);
        expect(totals.files).toBe(made.files.length);
        for (const file of coverage.files) {
          if (file.state === 'reviewed_partial') {
            expect(file.hunks_reviewed).toBeLessThan(file.hunks);
            expect(file.reasons.length).toBeGreaterThan(0);
          }
        }
        const reviewable = made.files.filter((file) => file.skipped === null && file.hunks.length > 0).length;
        if (coverage.complete) expect(totals.reviewed_full).toBe(reviewable);
      }),
      { numRuns: 2_000 },
    );
  });

  it('OUT-9: states and reasons', () => {
    const made = change(
      ['full', null, 2],
      ['some', null, 3],
      ['none', null, 1],
      ['cut', null, 1],
      ['lost', null, 1],
      ['bin', 'binary', 0],
      ['same', null, 0],
    );
    const chunks = [
      chunk('read', [0, [0]], [1, [0]]),
      chunk('read', [0, [1]]),
      chunk('failed', [1, [1]], [4, [0]]),
      chunk('cut', [3, [0]]),
    ];
    const coverage = coverChange(made, chunks);
    expect(coverage.files).toEqual([
      { path: 'full', state: 'reviewed_full', hunks: 2 },
      { path: 'some', state: 'reviewed_partial', hunks: 3, hunks_reviewed: 1, reasons: ['budget', 'error'] },
      { path: 'none', state: 'skipped', reason: 'budget' },
      { path: 'cut', state: 'reviewed_partial', hunks: 1, hunks_reviewed: 0, reasons: ['truncated'] },
      { path: 'lost', state: 'skipped', reason: 'error' },
      { path: 'bin', state: 'skipped', reason: 'binary' },
      { path: 'same', state: 'skipped', reason: 'unchanged' },
    ]);
    expect(coverage.complete).toBe(false);
  });

  it('OUT-9: complete only when all was seen; a retry that read a hunk counts', () => {
    const made = change(['a', null, 1], ['gone', 'deleted', 0]);
    const read = [chunk('failed', [0, [0]]), chunk('read', [0, [0]])];
    expect(coverChange(made, read).complete).toBe(true);
    expect(coverChange({ ...made, deniedFiles: 1 }, read).complete).toBe(false);
    expect(coverChange({ ...made, visibility: 'partial-possible' }, read).complete).toBe(false);
    expect(coverChange(change(['a', null, 1], ['b', 'binary', 0]), read).complete).toBe(false);
    expect(coverChange(change(['gone', 'deleted', 0]), []).complete).toBe(false);
    expect(coverChange(made, [chunk('cut', [0, [0]])]).complete).toBe(false);
  });

  it('GRD-3: says of each reviewed file how much of its context was shown, and that decides no state', () => {
    const hunks = [{}];
    const files = ['a', 'b', 'c', 'd'].map((path) => ({ path, skipped: null, hunks }));
    const extent = (file: number, wanted: number, whole: number, cut: number) => ({ file, wanted, whole, cut });
    const one = { files: [0, 1, 2].map((file) => ({ file, hunks: [0] })), outcome: 'read' as const };
    const context = [extent(0, 2, 2, 0), extent(1, 2, 1, 0), extent(2, 1, 0, 0)];
    const failed = { files: [{ file: 3, hunks: [0] }], outcome: 'failed' as const, context: [extent(3, 1, 1, 0)] };
    const change = { files, visibility: 'complete' as const, deniedFiles: 0 };
    const covered = coverChange(change, [{ ...one, context }, failed]).files;
    expect(covered.map((file) => ('context' in file ? file.context?.state : undefined))).toEqual([
      'full',
      'partial',
      'none',
      undefined,
    ]);
    expect(covered[1]).toMatchObject({ state: 'reviewed_full', context: { wanted: 2, whole: 1, cut: 0 } });
    expect(coverChange(change, [one]).files[0]).toEqual({ path: 'a', state: 'reviewed_full', hunks: 1 });
    const alone = { ...change, files: files.slice(0, 3) };
    expect(coverChange(alone, [{ ...one, context }]).complete).toBe(true);
  });
});
