import type { RedactedChange } from '../../changes/redacted-change.js';
import type { ChunkContext, ContextExtent, PromptChunk } from '../prompt-chunk.js';
import type { ContextWish } from './context-wish.js';
import { listWishes } from './context-wishes.js';
import { foundBytes, listFound } from './found-context.js';
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

interface PlannedContext {
  context: ChunkContext;
  /** Upper bound of its bytes. */
  bytes: number;
}

type Counted = Pick<ContextWish, 'file' | 'isCounted'>;

/** Chooses what was found beyond the change, as far as the room goes. */
function takeFound(change: Pick<RedactedChange, 'context'>, chunk: Pick<PromptChunk, 'files'>, room: number) {
  let bytes = 0;
  const fates = listFound(change, chunk).map(({ place, file, piece }) => {
    const cost = foundBytes(piece);
    const fits = cost <= room - bytes;
    if (fits) bytes += cost;
    return { wish: { file, isCounted: true }, form: fits ? 0 : -1, place };
  });
  const found = fates.flatMap(({ form, place }) => (form === 0 ? [place] : [])).sort((a, b) => a - b);
  return { fates, found, bytes };
}

/** Counts what a file's hunks were to be explained by, and what of it is shown. */
function countExtents(fates: readonly { wish: Counted; form: number }[]): readonly ContextExtent[] {
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

/**
 * Chooses the context of one chunk: what its hunks leave free is given to the most useful lines
 * first, each in the best form that fits. Pure and deterministic.
 */
export function planContext(
  change: RedactedChange,
  chunk: Pick<PromptChunk, 'files'>,
  { level, freeBytes }: ContextRoom,
): PlannedContext {
  const room = Math.max(0, Math.min(freeBytes, MAX_CONTEXT_BYTES));
  const shown = new Map<number, ShownLines>();
  for (const { file: at, hunks } of chunk.files) {
    const file = change.files[at];
    if (file !== undefined) shown.set(at, createShownLines(file, hunks));
  }
  let bytes = 0;
  const fates = listWishes(change, chunk, level).map((wish) => {
    const lines = shown.get(wish.file);
    const form = lines === undefined ? -1 : wish.forms.findIndex((ranges) => lines.costOf(ranges) <= room - bytes);
    const ranges = wish.forms[form] ?? [];
    bytes += lines?.costOf(ranges) ?? 0;
    lines?.add(ranges);
    return { wish, form };
  });
  const lines = [...shown].flatMap(([file, own]) => {
    const ranges = own.list();
    return ranges.length === 0 ? [] : [{ file, ranges }];
  });
  const beyond = takeFound(level === 'wide' ? change : {}, chunk, room - bytes);
  const extents = countExtents([...fates, ...beyond.fates]);
  return { context: { level, lines, found: beyond.found, extents }, bytes: bytes + beyond.bytes };
}

/** The chunk with what explains its hunks, as far as `freeBytes` go, and counted. */
export function addChunkContext(
  change: RedactedChange,
  chunk: PromptChunk,
  { bytesPerToken, ...room }: ContextRoom & { bytesPerToken: number },
): PromptChunk {
  const { context, bytes } = planContext(change, chunk, room);
  return { ...chunk, context, estimatedTokens: chunk.estimatedTokens + Math.ceil(bytes / bytesPerToken) };
}
