import type { RedactedChange } from '../../changes/redacted-change.js';
import { frameBytes } from '../prompt-blocks.js';
import type { ChunkContext, ContextExtent, LineRange, PromptChunk } from '../prompt-chunk.js';
import { renderFileHead } from '../render-diff.js';
import type { ContextWish } from './context-wish.js';
import { type FoundWish, foundBytes } from './found-context.js';
import { createShownLines, type ShownLines } from './shown-lines.js';

/** Most bytes of context in one request, about 27,000 tokens: beyond, it costs more than it tells. */
const MAX_CONTEXT_BYTES = 98_304;

/** What context a request may show, and how much. */
export interface ContextRoom {
  /** `sections`: what encloses the hunks. `wide`: more of the change's own files, and what was found beyond. */
  level: 'sections' | 'wide';
  /** Bytes that the hunks leave. */
  freeBytes: number;
}

/** The context of one request, and an upper bound of its bytes. */
export interface PlannedContext {
  context: ChunkContext;
  bytes: number;
}

/** Gives the room of one request to wishes, in the order in which they come. */
export interface ContextFitter {
  /** Takes the best form of each wish that fits. */
  addLines(wishes: readonly ContextWish[]): void;
  /** Takes each piece that fits. */
  addFound(wishes: readonly FoundWish[]): void;
  /** What was taken. */
  finish(): PlannedContext;
}

/** What became of a wish. 0: shown whole; above: cut; -1: left out. */
interface Fate {
  wish: Pick<ContextWish, 'file' | 'isCounted'>;
  form: number;
}

/** Counts what a file's hunks were to be explained by, and what of it is shown. */
function countExtents(fates: readonly Fate[]): readonly ContextExtent[] {
  const extents = new Map<number, { file: number; wanted: number; whole: number; cut: number }>();
  for (const { wish, form } of fates) {
    if (!wish.isCounted) continue;
    const extent = extents.get(wish.file) ?? { file: wish.file, wanted: 0, whole: 0, cut: 0 };
    extent.wanted += 1;
    if (form === 0) extent.whole += 1;
    if (form > 0) extent.cut += 1;
    extents.set(wish.file, extent);
  }
  return [...extents.values()].sort((a, b) => a.file - b.file);
}

/** What of each file is shown: at first what the chunk's hunks show. */
class ShownFiles {
  private readonly change: RedactedChange;
  private readonly hunksOf: ReadonlyMap<number, PromptChunk['files'][number]['hunks']>;
  private readonly shown = new Map<number, ShownLines>();

  constructor(change: RedactedChange, chunk: Pick<PromptChunk, 'files'>) {
    this.change = change;
    this.hunksOf = new Map(chunk.files.map(({ file, hunks }) => [file, hunks]));
  }

  linesOf(at: number): ShownLines | undefined {
    const [known, file] = [this.shown.get(at), this.change.files[at]];
    if (known !== undefined || file === undefined) return known;
    const made = createShownLines(file, this.hunksOf.get(at) ?? []);
    this.shown.set(at, made);
    return made;
  }

  /** What was added to the hunks' own lines, by file. */
  listAdded(): PlannedContext['context']['lines'] {
    return [...this.shown]
      .sort(([a], [b]) => a - b)
      .flatMap(([file, own]) => (own.list().length === 0 ? [] : [{ file, ranges: own.list() }]));
  }
}

/** A fitter for a chunk: lines that its hunks show cost nothing. Deterministic. */
export function createContextFitter(
  change: RedactedChange,
  chunk: Pick<PromptChunk, 'files'>,
  { level, freeBytes }: ContextRoom,
): ContextFitter {
  const room = Math.max(0, Math.min(freeBytes, MAX_CONTEXT_BYTES));
  const shown = new ShownFiles(change, chunk);
  const found = new Set<number>();
  const fates: Fate[] = [];
  let bytes = 0;
  const begun = new Set(chunk.files.map(({ file }) => file));
  /** The first lines of a file without hunks begin a block of its own. */
  const costOf = (at: number, lines: ShownLines, ranges: readonly LineRange[]): number => {
    const [cost, file] = [lines.costOf(ranges), change.files[at]];
    if (cost === 0 || begun.has(at) || file === undefined) return cost;
    return cost + frameBytes('context') + Buffer.byteLength(renderFileHead(file));
  };
  return {
    addLines(wishes) {
      for (const wish of wishes) {
        const lines = shown.linesOf(wish.file);
        const costs = wish.forms.map((ranges) => (lines === undefined ? 0 : costOf(wish.file, lines, ranges)));
        const form = lines === undefined ? -1 : costs.findIndex((cost) => cost <= room - bytes);
        const cost = costs[form] ?? 0;
        if (cost > 0) begun.add(wish.file);
        bytes += cost;
        lines?.add(wish.forms[form] ?? []);
        fates.push({ wish, form });
      }
    },
    addFound(wishes) {
      for (const { place, file, piece } of wishes) {
        if (found.has(place)) continue;
        const cost = foundBytes(piece);
        const fits = cost <= room - bytes;
        if (fits) {
          bytes += cost;
          found.add(place);
        }
        fates.push({ wish: { file, isCounted: true }, form: fits ? 0 : -1 });
      }
    },
    finish() {
      const places = [...found].sort((a, b) => a - b);
      return { context: { level, lines: shown.listAdded(), found: places, extents: countExtents(fates) }, bytes };
    },
  };
}
