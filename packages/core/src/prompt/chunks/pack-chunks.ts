/** A file that is to be placed. */
export interface Item {
  /** By place in the change. */
  file: number;
  /** Files of one group belong together. */
  group: number;
  /** Bytes of the file's block without hunks. */
  overhead: number;
  /** Of its path: source first. */
  rank: number;
  /** Bytes by hunk; null where the hunk fits no chunk at all, or is in none because it was read before. */
  hunks: readonly (number | null)[];
}

/** A chunk under way. */
export interface Bin {
  /** Bytes left. */
  free: number;
  /** Hunks by file. */
  files: Map<number, number[]>;
  groups: Set<number>;
}

/** How much chunks hold. */
export interface PackLimits {
  /** Bytes of one chunk. */
  capacity: number;
  /** Most chunks. */
  maxChunks: number;
}

function openBin(free: number): Bin {
  return { free, files: new Map(), groups: new Set() };
}

function costIn(bin: Bin, item: Item, bytes: number): number {
  return bytes + (bin.files.has(item.file) ? 0 : item.overhead);
}

function sumHunks(item: Item, hunks: readonly number[]): number {
  return hunks.reduce((sum, hunk) => sum + (item.hunks[hunk] ?? 0), 0);
}

function put(bin: Bin, item: Item, hunks: readonly number[]): void {
  bin.free -= costIn(bin, item, sumHunks(item, hunks));
  bin.files.set(item.file, [...(bin.files.get(item.file) ?? []), ...hunks]);
  bin.groups.add(item.group);
}

/** What stays in one chunk: files that belong together, a file, or a run of hunks of a huge file. */
interface Piece {
  parts: readonly { item: Item; hunks: readonly number[] }[];
  /** With the overhead of each file. */
  bytes: number;
}

function fittingHunks(item: Item): readonly number[] {
  return item.hunks.flatMap((bytes, hunk) => (bytes === null ? [] : [hunk]));
}

/** A file's hunks in runs that each fit `room`: one run for all but huge files. */
function cutFile(item: Item, room: number): readonly Piece[] {
  const runs: { hunks: number[]; bytes: number }[] = [];
  for (const hunk of fittingHunks(item)) {
    const bytes = item.hunks[hunk] ?? 0;
    const last = runs.at(-1);
    if (last !== undefined && last.bytes + bytes <= room) {
      last.hunks.push(hunk);
      last.bytes += bytes;
    } else runs.push({ hunks: [hunk], bytes: item.overhead + bytes });
  }
  return runs.map(({ hunks, bytes }) => ({ parts: [{ item, hunks }], bytes }));
}

/** A group whole where it fits `room`, else file by file. */
function cutGroup(items: readonly Item[], room: number): readonly Piece[] {
  const parts = items.map((item) => ({ item, hunks: fittingHunks(item) })).filter(({ hunks }) => hunks.length > 0);
  const bytes = parts.reduce((sum, { item, hunks }) => sum + item.overhead + sumHunks(item, hunks), 0);
  if (parts.length > 1 && bytes <= room) return [{ parts, bytes }];
  return items.flatMap((item) => cutFile(item, room));
}

function listGroups(items: readonly Item[]): readonly (readonly Item[])[] {
  const groups = new Map<number, Item[]>();
  for (const item of items) groups.set(item.group, [...(groups.get(item.group) ?? []), item]);
  return [...groups.values()];
}

function costOfPiece(bin: Bin, { parts }: Piece): number {
  return parts.reduce((sum, { item, hunks }) => sum + costIn(bin, item, sumHunks(item, hunks)), 0);
}

/** By size, the largest first; then by place in the change. */
function comparePieces(a: Piece, b: Piece): number {
  const [one, other] = [a.parts[0], b.parts[0]];
  return (
    b.bytes - a.bytes ||
    (one?.item.file ?? 0) - (other?.item.file ?? 0) ||
    (one?.hunks[0] ?? 0) - (other?.hunks[0] ?? 0)
  );
}

/**
 * First fit, largest first: whole groups and files where they fit `room`, which is at most the
 * capacity; what is left above it stays free. Null where `maxChunks` chunks do not hold everything.
 */
export function packWhole(
  items: readonly Item[],
  { capacity, maxChunks }: PackLimits,
  { room, isGrouped }: { room: number; isGrouped: boolean },
): readonly Bin[] | null {
  const pieces = isGrouped
    ? listGroups(items).flatMap((group) => cutGroup(group, room))
    : items.flatMap((item) => cutFile(item, room));
  const bins: Bin[] = [];
  for (const piece of [...pieces].sort(comparePieces)) {
    let bin = bins.find((one) => costOfPiece(one, piece) <= one.free);
    if (bin === undefined) {
      if (bins.length === maxChunks) return null;
      bin = openBin(room);
      bins.push(bin);
    }
    for (const { item, hunks } of piece.parts) put(bin, item, hunks);
  }
  for (const bin of bins) bin.free += capacity - room;
  return bins;
}

function placeHunk(bins: readonly Bin[], item: Item, hunk: number): boolean {
  const bytes = item.hunks[hunk];
  if (bytes === null || bytes === undefined) return false;
  const fits = (bin: Bin): boolean => costIn(bin, item, bytes) <= bin.free;
  const bin =
    bins.find((one) => one.files.has(item.file) && fits(one)) ??
    bins.find((one) => one.groups.has(item.group) && fits(one)) ??
    bins.find(fits);
  if (bin === undefined) return false;
  put(bin, item, [hunk]);
  return true;
}

/** Room is short: one hunk a file and round, source first and small first, so that no file starves another. */
export function packFairly(items: readonly Item[], { capacity, maxChunks }: PackLimits): readonly Bin[] {
  const bins: Bin[] = Array.from({ length: maxChunks }, () => openBin(capacity));
  const size = (item: Item): number => item.hunks.reduce<number>((sum, bytes) => sum + (bytes ?? 0), item.overhead);
  const sizes = new Map(items.map((item) => [item, size(item)]));
  const order = [...items].sort(
    (a, b) => a.rank - b.rank || (sizes.get(a) ?? 0) - (sizes.get(b) ?? 0) || a.file - b.file,
  );
  let waiting = order.map((item) => ({
    item,
    hunks: [...fittingHunks(item)],
  }));
  const missed: { item: Item; hunk: number }[] = [];
  while (waiting.length > 0) {
    for (const { item, hunks } of waiting) {
      // The first of its hunks that fits, so that one large hunk does not keep the file out of its round.
      let hunk = hunks.shift();
      while (hunk !== undefined && !placeHunk(bins, item, hunk)) {
        missed.push({ item, hunk });
        hunk = hunks.shift();
      }
    }
    waiting = waiting.filter(({ hunks }) => hunks.length > 0);
  }
  // A hunk may fit by now without its file's head.
  for (const { item, hunk } of missed) placeHunk(bins, item, hunk);
  return bins.filter((bin) => bin.files.size > 0);
}
