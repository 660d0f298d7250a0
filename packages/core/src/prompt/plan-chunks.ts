import type { RedactedChange, RedactedFile } from '../changes/redacted-change.js';
import { fileOverheadBytes, fixedBytes } from './build-prompt.js';
import type { PromptChunk } from './prompt-chunk.js';
import type { PromptTemplate } from './prompt-variant.js';
import { renderHunk } from './render-diff.js';

/** Without a tokenizer: source was measured at about 1.95 bytes a token, so 2 does not promise more than fits. */
export const DEFAULT_BYTES_PER_TOKEN = 2;

export interface ChunkPlan {
  chunks: readonly PromptChunk[];
  /** Hunks with no room; the coverage ledger counts them as `budget`. */
  unsent: readonly { file: number; hunks: readonly number[] }[];
}

export interface PlanChunksOptions {
  /** The words of the prompt; their bytes count. */
  template: PromptTemplate;
  /** Tokens of one request's user text: the model's context less system text, schema, output and margin. */
  budgetTokens: number;
  /** Plans these files alone, by place in the change. Default all. */
  files?: ReadonlySet<number> | undefined;
  /** Most requests. */
  maxChunks: number;
  /** Default 2. Calibrate down, never up, without a tokenizer. */
  bytesPerToken?: number | undefined;
}

interface Item {
  file: number;
  /** Of the file's block without hunks. */
  overhead: number;
  rank: number;
  /** Bytes by hunk; null where the hunk fits no chunk at all. */
  hunks: readonly (number | null)[];
}

interface Bin {
  free: number;
  files: Map<number, number[]>;
}

/** Tokens a text is taken to have. */
export function estimateTokens(text: string, bytesPerToken: number = DEFAULT_BYTES_PER_TOKEN): number {
  return Math.ceil(Buffer.byteLength(text) / bytesPerToken);
}

/** Source first, then prose, then what tools write: when room is short, this decides. */
export function rankOf(path: string): number {
  const name = path.toLowerCase();
  if (
    /(^|\/)(package-lock\.json|pnpm-lock\.yaml|yarn\.lock|cargo\.lock|go\.sum|poetry\.lock|gemfile\.lock)$/.test(name)
  )
    return 2;
  if (
    /\.(min\.(js|css)|map|snap|lock|designer\.cs|g\.cs|pb\.(go|cc|h))$|(^|\/)(vendor|third_party|generated|dist)\//.test(
      name,
    )
  )
    return 2;
  return /\.(md|txt|rst|adoc|csv|tsv|svg|html?)$|(^|\/)(docs?|changelog)(\/|$)/.test(name) ? 1 : 0;
}

function measureFile(
  file: RedactedFile,
  index: number,
  { capacity, template }: { capacity: number; template: PromptTemplate },
): Item {
  const overhead = fileOverheadBytes(file, template);
  const hunks = file.hunks.map((hunk, at) => {
    const bytes = Buffer.byteLength(renderHunk(hunk, at, file.hunks.length));
    return overhead + bytes > capacity ? null : bytes;
  });
  return { file: index, overhead, rank: rankOf(file.displayPath ?? file.path), hunks };
}

function costIn(bin: Bin, item: Item, bytes: number): number {
  return bytes + (bin.files.has(item.file) ? 0 : item.overhead);
}

function put(bin: Bin, item: Item, hunks: readonly number[]): void {
  const bytes = hunks.reduce((sum, hunk) => sum + (item.hunks[hunk] ?? 0), 0);
  bin.free -= costIn(bin, item, bytes);
  bin.files.set(item.file, [...(bin.files.get(item.file) ?? []), ...hunks]);
}

/** A file's hunks in runs that each fit one chunk: one run for all but huge files. */
function piecesOf(item: Item, capacity: number): readonly { item: Item; hunks: readonly number[]; bytes: number }[] {
  const pieces: { item: Item; hunks: number[]; bytes: number }[] = [];
  item.hunks.forEach((bytes, hunk) => {
    if (bytes === null) return;
    const last = pieces.at(-1);
    if (last !== undefined && last.bytes + bytes <= capacity) {
      last.hunks.push(hunk);
      last.bytes += bytes;
    } else pieces.push({ item, hunks: [hunk], bytes: item.overhead + bytes });
  });
  return pieces;
}

/** First fit, largest first, whole files where they fit. Null where `maxChunks` bins do not hold everything. */
function packWhole(items: readonly Item[], capacity: number, maxChunks: number): readonly Bin[] | null {
  const pieces = items.flatMap((item) => piecesOf(item, capacity));
  pieces.sort((a, b) => b.bytes - a.bytes || a.item.file - b.item.file || (a.hunks[0] ?? 0) - (b.hunks[0] ?? 0));
  const bins: Bin[] = [];
  for (const { item, hunks, bytes } of pieces) {
    let bin = bins.find((one) => costIn(one, item, bytes - item.overhead) <= one.free);
    if (bin === undefined) {
      if (bins.length === maxChunks) return null;
      bin = { free: capacity, files: new Map() };
      bins.push(bin);
    }
    put(bin, item, hunks);
  }
  return bins;
}

function placeHunk(bins: readonly Bin[], item: Item, hunk: number): boolean {
  const bytes = item.hunks[hunk];
  if (bytes === null || bytes === undefined) return false;
  const fits = (bin: Bin): boolean => costIn(bin, item, bytes) <= bin.free;
  const bin = bins.find((one) => one.files.has(item.file) && fits(one)) ?? bins.find(fits);
  if (bin === undefined) return false;
  put(bin, item, [hunk]);
  return true;
}

/** Room is short: one hunk a file and round, source first and small first, so that no file starves another. */
function packFairly(items: readonly Item[], capacity: number, maxChunks: number): readonly Bin[] {
  const bins: Bin[] = Array.from({ length: maxChunks }, () => ({ free: capacity, files: new Map() }));
  const size = (item: Item): number => item.hunks.reduce<number>((sum, bytes) => sum + (bytes ?? 0), item.overhead);
  const sizes = new Map(items.map((item) => [item, size(item)]));
  const order = [...items].sort(
    (a, b) => a.rank - b.rank || (sizes.get(a) ?? 0) - (sizes.get(b) ?? 0) || a.file - b.file,
  );
  let waiting = order.map((item) => ({
    item,
    hunks: item.hunks.flatMap((bytes, hunk) => (bytes === null ? [] : [hunk])),
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

function chunkOf(
  bin: Bin,
  index: number,
  count: number,
  limits: { capacity: number; fixed: number; bytesPerToken: number },
): PromptChunk {
  const files = [...bin.files]
    .sort(([a], [b]) => a - b)
    .map(([file, hunks]) => ({ file, hunks: [...hunks].sort((a, b) => a - b) }));
  return {
    index,
    count,
    files,
    estimatedTokens: Math.ceil((limits.fixed + limits.capacity - bin.free) / limits.bytesPerToken),
  };
}

function unsentOf(items: readonly Item[], bins: readonly Bin[]): ChunkPlan['unsent'] {
  const sent = new Map<number, Set<number>>();
  for (const bin of bins) {
    for (const [file, hunks] of bin.files) sent.set(file, new Set([...(sent.get(file) ?? []), ...hunks]));
  }
  return items.flatMap((item) => {
    const hunks = [...item.hunks.keys()].filter((hunk) => !sent.get(item.file)?.has(hunk));
    return hunks.length === 0 ? [] : [{ file: item.file, hunks }];
  });
}

/**
 * Splits a redacted change into requests: first fit decreasing under the budget, cut between hunks
 * and never inside one. When not everything fits, every file gets its turn before any gets a
 * second. Pure and deterministic. Throws `TypeError` for options that are no positive numbers.
 */
export function planChunks(change: RedactedChange, options: PlanChunksOptions): ChunkPlan {
  const { template, files, budgetTokens, maxChunks, bytesPerToken = DEFAULT_BYTES_PER_TOKEN } = options;
  if (!(Number.isFinite(budgetTokens) && budgetTokens > 0))
    throw new TypeError('planChunks: budgetTokens: expected a positive number');
  if (!(Number.isSafeInteger(maxChunks) && maxChunks > 0))
    throw new TypeError('planChunks: maxChunks: expected a positive integer');
  if (!(Number.isFinite(bytesPerToken) && bytesPerToken > 0))
    throw new TypeError('planChunks: bytesPerToken: expected a positive number');
  const fixed = fixedBytes(change, template);
  const capacity = Math.floor(budgetTokens * bytesPerToken) - fixed;
  const items = change.files.flatMap((file, index) =>
    file.skipped === null && file.hunks.length > 0 && files?.has(index) !== false
      ? [measureFile(file, index, { capacity, template })]
      : [],
  );
  const bins = packWhole(items, capacity, maxChunks) ?? packFairly(items, capacity, maxChunks);
  return {
    chunks: bins.map((bin, index) => chunkOf(bin, index, bins.length, { capacity, fixed, bytesPerToken })),
    unsent: unsentOf(items, bins),
  };
}
