import type { Hunk } from '../../../changes/change.js';
import type { FileReading } from '../../../review/history/reviewed-before.js';
import { isBeyondDoubt } from '../../../review/merge/review-state.js';
import type { ReviewUnderWay } from '../ask-model.js';
import type { PartReading } from '../ask-part.js';
import type { ProviderShare } from '../provider-shares.js';
import { judgeOutcome } from '../read-reply.js';
import { type AskedHow, createHunkDigester, type HunkDigests } from './read-before.js';

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

/** What a review read of each file, and what it took over from earlier ones, for the next version. */
export function recordReading(
  review: ReviewUnderWay,
  readings: readonly PartReading[],
  options: Pick<AskedHow, 'isInternal' | 'settings'>,
): readonly FileReading[] {
  const { change, readBefore, shares, context } = review;
  const reviewVersion = context.job.reviewVersion ?? 1;
  const how = { ...review, ...options };
  const read = listSurelyRead(readings);
  return change.files.flatMap((file, at): FileReading[] => {
    const before = readBefore.get(at);
    const shareBefore = shares.find(({ files }) => files.has(at));
    const digesters = new Map<ProviderShare, (hunk: Hunk) => HunkDigests>();
    const hunks = file.hunks.flatMap((hunk, n): FileReading['hunks'][number][] => {
      const version = before?.get(n);
      const share = version === undefined ? read.get(at)?.get(n) : shareBefore;
      if (share === undefined) return [];
      const digest = digesters.get(share) ?? createHunkDigester(share, { at, of: file }, how);
      digesters.set(share, digest);
      return [{ ...digest(hunk), reviewVersion: version ?? reviewVersion }];
    });
    return hunks.length === 0 ? [] : [{ file: file.path, hunks }];
  });
}
