import type { Hunk } from '../../../changes/change.js';
import type { RedactedFile } from '../../../changes/redacted-change.js';
import { listHunksAt } from '../../../review/history/read-before-lines.js';
import type { FileReading } from '../../../review/history/reviewed-before.js';
import { isBeyondDoubt } from '../../../review/merge/review-state.js';
import type { ReviewUnderWay } from '../ask-model.js';
import type { PartReading } from '../ask-part.js';
import type { ProviderShare } from '../provider-shares.js';
import { judgeOutcome } from '../read-reply.js';
import type { ReviewRecord } from '../stored-review.js';
import { areFollowUpsAsked } from './ask-follow-ups.js';
import { type AskedHow, createHunkDigester, type HunkDigests } from './read-before.js';

/** Says whether nothing was said yet of a finding that a hunk has: its model must look there once more. */
type IsUnsettled = (file: RedactedFile, hunk: number) => boolean;

/**
 * Findings that were to be checked and were not, and earlier ones that the model gave no answer
 * about. One without a line unsettles its whole file.
 */
function createUnsettled(
  { findings, earlier, diagnostics }: Pick<ReviewRecord, 'findings' | 'earlier' | 'diagnostics'>,
  isAsked: boolean,
): IsUnsettled {
  const notChecked = new Set(diagnostics.flatMap((one) => (one.code === 'finding_not_checked' ? [one.findingId] : [])));
  const unanswered = earlier.filter(({ origin, because }) => isAsked && origin === 'model' && because === 'unanswered');
  const unsettled = [...findings.filter(({ id }) => notChecked.has(id)), ...unanswered];
  const lines = new Map<string | null, (number | null)[]>();
  for (const { file, place } of unsettled) {
    const known = lines.get(file) ?? [];
    known.push(place.line);
    lines.set(file, known);
  }
  return (file, hunk) =>
    (lines.get(file.path) ?? []).some((line) => line === null || listHunksAt(file, line).includes(hunk));
}

/** Who read each hunk that a reply leaves no doubt about, by file and hunk. */
function listSurelyRead(readings: readonly PartReading[]): ReadonlyMap<number, ReadonlyMap<number, ProviderShare>> {
  const read = new Map<number, Map<number, ProviderShare>>();
  for (const reading of readings) {
    if (judgeOutcome(reading) !== 'read' || !reading.documents.every(isBeyondDoubt)) continue;
    for (const { file, hunks } of reading.files) {
      const known = read.get(file) ?? new Map<number, ProviderShare>();
      for (const hunk of hunks) known.set(hunk, reading.share);
      read.set(file, known);
    }
  }
  return read;
}

/**
 * What a review read of each file, and what it took over from earlier ones, for the next version.
 * Left out, so that the next version reads it: what a reply left in doubt, and what has a finding of
 * `record` that nothing was said of yet, though a check or a follow-up was due.
 */
export function recordReading(
  review: ReviewUnderWay,
  readings: readonly PartReading[],
  options: Pick<AskedHow, 'isInternal' | 'settings'>,
  record: Pick<ReviewRecord, 'findings' | 'earlier' | 'diagnostics'>,
): readonly FileReading[] {
  const { change, readBefore, shares, context } = review;
  const reviewVersion = context.job.reviewVersion ?? 1;
  const how = { ...review, ...options };
  const read = listSurelyRead(readings);
  const isUnsettled = createUnsettled(record, areFollowUpsAsked(options, review));
  return change.files.flatMap((file, at): FileReading[] => {
    const before = readBefore.get(at);
    const shareBefore = shares.find(({ files }) => files.has(at));
    const digesters = new Map<ProviderShare, (hunk: Hunk) => HunkDigests>();
    const hunks = file.hunks.flatMap((hunk, n): FileReading['hunks'][number][] => {
      const version = before?.get(n);
      const share = version === undefined ? read.get(at)?.get(n) : shareBefore;
      if (share === undefined || (version === undefined && isUnsettled(file, n))) return [];
      const digest = digesters.get(share) ?? createHunkDigester(share, { at, of: file }, how);
      digesters.set(share, digest);
      return [{ ...digest(hunk), reviewVersion: version ?? reviewVersion }];
    });
    return hunks.length === 0 ? [] : [{ file: file.path, hunks }];
  });
}
