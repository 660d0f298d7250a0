import type { RedactedChange, RedactedFile } from '../changes/redacted-change.js';
import { fileOverheadBytes, fixedBytes } from './build-prompt.js';
import { groupFiles } from './chunks/group-files.js';
import { type Bin, type Item, type PackLimits, packFairly, packWhole } from './chunks/pack-chunks.js';
import { rankOf } from './chunks/path-rank.js';
import { addChunkContext } from './context/plan-context.js';
import { chooseListed } from './file-list.js';
import type { PromptChunk } from './prompt-chunk.js';
import type { PromptTemplate } from './prompt-variant.js';
import { renderFileHunk } from './render-file.js';

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
  /** Hunks that need no request, by file; the plan has them neither in a chunk nor in `unsent`. Default none. */
  readBefore?: ReadonlyMap<number, Pick<ReadonlySet<number>, 'has'>> | undefined;
  /** The list of the whole change names no others. Default all. */
  named?: ReadonlySet<number> | undefined;
  /** How much is shown round the hunks, where the template has context. Default `hunks`: nothing. */
  contextLevel?: 'hunks' | 'sections' | 'wide' | undefined;
  /** Most requests. */
  maxChunks: number;
  /** Default 2. Calibrate down, never up, without a tokenizer. */
  bytesPerToken?: number | undefined;
}

/** Tokens a text is taken to have. */
export function estimateTokens(text: string, bytesPerToken: number = DEFAULT_BYTES_PER_TOKEN): number {
  return Math.ceil(Buffer.byteLength(text) / bytesPerToken);
}

/** Most bytes of the list of the whole change, and its largest share of a request. */
const MAX_LIST_BYTES = 12_288;
const MAX_LIST_SHARE = 0.25;
/** Share of a request that hunks fill where more chunks are to be had, so that context has room. */
const ROOM_FOR_HUNKS = 0.7;

interface MeasureOptions {
  capacity: number;
  template: PromptTemplate;
  group: number;
  readBefore: Pick<ReadonlySet<number>, 'has'> | undefined;
}

function measureFile(
  file: RedactedFile,
  index: number,
  { capacity, template, group, readBefore }: MeasureOptions,
): Item {
  const overhead = fileOverheadBytes(file, template);
  const hunks = file.hunks.map((_, at) => {
    if (readBefore?.has(at)) return null;
    const bytes = Buffer.byteLength(renderFileHunk(file, at, template));
    return overhead + bytes > capacity ? null : bytes;
  });
  return { file: index, group, overhead, rank: rankOf(file.displayPath ?? file.path), hunks };
}

/** What every chunk of a plan has in common. */
interface ChunkFrame {
  /** Bytes of a request for hunks and their context. */
  capacity: number;
  /** Bytes of the user text without any file's text. */
  fixed: number;
  listed: readonly number[] | undefined;
  bytesPerToken: number;
}

function chunkOf(bin: Bin, index: number, count: number, frame: ChunkFrame): PromptChunk {
  const files = [...bin.files]
    .sort(([a], [b]) => a - b)
    .map(([file, hunks]) => ({ file, hunks: [...hunks].sort((a, b) => a - b) }));
  return {
    index,
    count,
    files,
    ...(frame.listed === undefined ? {} : { listed: frame.listed }),
    estimatedTokens: Math.ceil((frame.fixed + frame.capacity - bin.free) / frame.bytesPerToken),
  };
}

function unsentOf(
  items: readonly Item[],
  bins: readonly Bin[],
  readBefore: PlanChunksOptions['readBefore'],
): ChunkPlan['unsent'] {
  const sent = new Map<number, Set<number>>();
  for (const bin of bins) {
    for (const [file, hunks] of bin.files) sent.set(file, new Set([...(sent.get(file) ?? []), ...hunks]));
  }
  return items.flatMap((item) => {
    const hunks = [...item.hunks.keys()].filter(
      (hunk) => !sent.get(item.file)?.has(hunk) && !readBefore?.get(item.file)?.has(hunk),
    );
    return hunks.length === 0 ? [] : [{ file: item.file, hunks }];
  });
}

function checkBudget({ budgetTokens, maxChunks, bytesPerToken = DEFAULT_BYTES_PER_TOKEN }: PlanChunksOptions): void {
  if (!(Number.isFinite(budgetTokens) && budgetTokens > 0))
    throw new TypeError('planChunks: budgetTokens: expected a positive number');
  if (!(Number.isSafeInteger(maxChunks) && maxChunks > 0))
    throw new TypeError('planChunks: maxChunks: expected a positive integer');
  if (!(Number.isFinite(bytesPerToken) && bytesPerToken > 0))
    throw new TypeError('planChunks: bytesPerToken: expected a positive number');
}

function frameChunks(change: RedactedChange, options: PlanChunksOptions): ChunkFrame {
  const { template, named, budgetTokens, bytesPerToken = DEFAULT_BYTES_PER_TOKEN } = options;
  const bytes = Math.floor(budgetTokens * bytesPerToken);
  const maxBytes = Math.min(MAX_LIST_BYTES, Math.floor(bytes * MAX_LIST_SHARE));
  const listed = template.context === undefined ? undefined : chooseListed(change, { named, maxBytes });
  const fixed = fixedBytes(change, template, listed);
  return { capacity: bytes - fixed, fixed, listed, bytesPerToken };
}

/** With room for context where more requests are to be had, else as full as can be. */
function pack(items: readonly Item[], limits: PackLimits, options: PlanChunksOptions): readonly Bin[] {
  const { capacity } = limits;
  const tries = [{ room: capacity, isGrouped: false }];
  if (options.template.context !== undefined) tries.unshift({ room: capacity, isGrouped: true });
  if (levelOf(options) !== 'hunks') tries.unshift({ room: Math.floor(capacity * ROOM_FOR_HUNKS), isGrouped: true });
  for (const how of tries) {
    const bins = packWhole(items, limits, how);
    if (bins !== null) return bins;
  }
  return packFairly(items, limits);
}

function levelOf({ template, contextLevel = 'hunks' }: PlanChunksOptions): 'hunks' | 'sections' | 'wide' {
  return template.context === undefined ? 'hunks' : contextLevel;
}

/**
 * Splits a redacted change into requests: first fit decreasing under the budget, cut between hunks
 * and never inside one; files that belong together share a request where they fit. When not
 * everything fits, every file gets its turn before any gets a second. Pure and deterministic.
 * Throws `TypeError` for options that are no positive numbers.
 */
export function planChunks(change: RedactedChange, options: PlanChunksOptions): ChunkPlan {
  checkBudget(options);
  const { template, files, readBefore, maxChunks } = options;
  const frame = frameChunks(change, options);
  const { capacity } = frame;
  const paths = change.files.map(({ path, displayPath }) => displayPath ?? path);
  const groups = template.context === undefined ? [] : groupFiles(paths);
  const items = change.files.flatMap((file, index) =>
    file.skipped === null && file.hunks.length > 0 && files?.has(index) !== false
      ? [
          measureFile(file, index, {
            ...{ capacity, template, group: groups[index] ?? index },
            readBefore: readBefore?.get(index),
          }),
        ]
      : [],
  );
  const bins = pack(items, { capacity, maxChunks }, options);
  const level = levelOf(options);
  const chunks = bins.map((bin, index) => {
    const chunk = chunkOf(bin, index, bins.length, frame);
    const { bytesPerToken } = frame;
    // Two roundings up: of the chunk without its context, and of that.
    const freeBytes = bin.free - 2 * bytesPerToken;
    return level === 'hunks' ? chunk : addChunkContext(change, chunk, { level, freeBytes, bytesPerToken });
  });
  return { chunks, unsent: unsentOf(items, bins, readBefore) };
}
