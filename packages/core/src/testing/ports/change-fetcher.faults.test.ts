import { describe, expect, it } from 'vitest';
import type { Change, ChangedFile, FileSkip } from '../../changes/change.js';
import type { FetchRequest } from '../../changes/change-fetcher.js';
import { createMemoryChangeFetcher } from '../../changes/memory-change-fetcher.js';
import { collectCases, failedCases } from '../support/collecting-runner.js';
import { describeChangeFetcherContract } from './change-fetcher-contract.js';

const file = (path: string): ChangedFile => ({
  path,
  oldPath: null,
  action: 'edit',
  fileType: 'text',
  revision: 2,
  bytes: 4,
  skipped: null,
  hunks: [{ oldStart: 1, oldLines: 1, newStart: 1, newLines: 2, lines: [' a', '+b'], section: 'f()' }],
  newText: 'a\nb\nand more\n',
  addedLines: 1,
  removedLines: 0,
  encoding: 'utf8',
});
const withoutText = ({ newText: _newText, ...one }: ChangedFile, skipped: FileSkip): ChangedFile => ({
  ...one,
  skipped,
  hunks: [],
  addedLines: 0,
});
const change: Change = {
  serverId: 'main',
  number: 7,
  changelistId: 'main/7',
  kind: 'submitted',
  user: 'ada',
  description: 'x',
  changedAt: new Date(0),
  userMail: null,
  reviewerMails: [],
  jobs: [],
  files: [file('//depot/a'), file('//depot/b')],
  visibility: 'complete',
  deniedFiles: 0,
  contentDigest: 'd',
};

/** The suite's verdict on a fetcher that damages each file after it was limited. */
async function failures(damage: (file: ChangedFile, request: FetchRequest) => ChangedFile): Promise<string[]> {
  const honest = createMemoryChangeFetcher({ serverId: 'main', changes: new Map([[7, change]]) });
  const fetcher: typeof honest = {
    ...honest,
    async fetch(number, request) {
      const outcome = await honest.fetch(number, request);
      if (outcome.kind !== 'change') return outcome;
      return {
        kind: 'change',
        change: { ...outcome.change, files: outcome.change.files.map((file) => damage(file, request)) },
      };
    },
  };
  const harness = { create: async () => ({ fetcher, known: 7, unknown: 8, dispose: async () => undefined }) };
  const failed = await failedCases(collectCases(describeChangeFetcherContract, harness));
  return failed.map(({ name, error }) => `${name.split(' > ').at(-1)}: ${(error as Error).message}`);
}

describe('the change fetcher contract convicts', () => {
  it.each<[string, (file: ChangedFile, request: FetchRequest) => ChangedFile, RegExp]>([
    ['a whole text over the limit', (one) => ({ ...one, newText: 'a\nb\nand more\n' }), /newText over the limit/],
    [
      'a whole text with the carriage returns of its lines taken away',
      ({ hunks: [hunk], ...one }) => ({
        ...one,
        hunks: hunk === undefined ? [] : [{ ...hunk, lines: [' a\r', '+b\r'] }],
      }),
      /newText differs from its hunks/,
    ],
    ['the old side as the whole text', (one) => ({ ...one, newText: 'a\n' }), /newText differs from its hunks/],
    ['a whole text where the limit is 0', (one) => ({ ...one, newText: '', hunks: [], addedLines: 0 }), /limit is 0/],
    [
      'a whole text of a skipped file',
      (one) => ({ ...one, skipped: 'filtered', hunks: [], addedLines: 0 }),
      /skipped, yet with its whole text/,
    ],
    [
      'a heading of two lines',
      (one) => ({ ...one, hunks: one.hunks.map((hunk) => ({ ...hunk, section: 'f(\n)' })) }),
      /a heading of several lines/,
    ],
    [
      'files for the scan alone that come first',
      (one, { isScanOnly }) => (isScanOnly?.(one.path) === false ? withoutText(one, 'budget') : one),
      /files for the scan alone came first/,
    ],
    [
      'a file for the scan alone that counts as over the budget of the review',
      (one, { isScanOnly }) => (isScanOnly?.(one.path) === true ? withoutText(one, 'budget') : one),
      /neither scanned nor unscanned/,
    ],
  ])('%s', async (_name, damage, expected) => {
    expect(await failures(damage)).toContainEqual(expect.stringMatching(expected));
  });

  it('no honest fetcher', async () => {
    expect(await failures((one) => one)).toEqual([]);
  });
});
