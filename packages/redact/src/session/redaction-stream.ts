import type { Hit } from '../grammar/rule.js';
import { endOf, startOf } from './overlaps.js';

/** How a long text is cut into segments, in UTF-16 units. */
export interface SegmentSizes {
  /** A segment ends at the first good place past this. */
  segment: number;
  /** Read beyond it, so that what begins in a segment is seen to its end. */
  lookahead: number;
  /** Read again before it, so that a name before the cut still leads to its value behind it. */
  context: number;
}

/** A text of up to `segment + lookahead` is one segment; memory is bounded by that and the longest chunk. */
const SEGMENT_SIZES: SegmentSizes = { segment: 1 << 20, lookahead: 1 << 17, context: 1 << 13 };

/** True for a text that would not be cut. */
export const isOneSegment = (text: string): boolean => text.length <= SEGMENT_SIZES.segment + SEGMENT_SIZES.lookahead;

/** A piece of the text whose secrets are settled. */
export interface Segment {
  text: string;
  /** Offset of `text` in the whole. */
  offset: number;
  /** The hits inside it, with offsets into `text`. */
  hits: readonly Hit[];
  /** True for the end of the text. */
  isLast: boolean;
}

/**
 * Cuts a text that comes in chunks into segments. Where a cut lies depends on the text alone, never
 * on the chunks, so any split of a text, or none, gives the same segments. `find` is called once per
 * segment, with what stands before and behind it.
 */
export function createSegmenter(
  find: (text: string) => readonly Hit[],
  emit: (segment: Segment) => void,
  sizes: SegmentSizes = SEGMENT_SIZES,
) {
  let held = '';
  /** Where the text not yet emitted begins in `held`; what stands before is context. */
  let from = 0;
  let offset = 0;

  const cut = (to: number, hits: readonly Hit[], isLast: boolean): void => {
    const start = from;
    emit({ text: held.slice(start, to), offset, hits: hits.flatMap((hit) => within(hit, start, to)), isLast });
    offset += to - start;
    const keep = Math.max(0, to - sizes.context);
    held = held.slice(keep);
    from = to - keep;
  };

  return {
    write(chunk: string): void {
      held += chunk;
      while (held.length - from > sizes.segment + sizes.lookahead) {
        const window = held.slice(0, from + sizes.segment + sizes.lookahead);
        const hits = find(window);
        cut(placeOfCut(window, from + sizes.segment, hits, sizes), hits, false);
      }
    },
    end(): void {
      cut(held.length, held.length === from ? [] : find(held), true);
      held = '';
      from = 0;
    },
  };
}

/** After a line break if one is near, else where a word ends, and never inside a secret. */
function placeOfCut(window: string, target: number, hits: readonly Hit[], sizes: SegmentSizes): number {
  const limit = Math.min(window.length, target + (sizes.lookahead >> 1));
  let at = window.indexOf('\n', target) + 1;
  if (at === 0 || at > limit) {
    at = target;
    while (at < limit && window.charCodeAt(at) > 32) at += 1;
    if (at === limit) at = target;
  }
  for (const hit of hits) if (startOf(hit) < at && endOf(hit) > at) at = endOf(hit);
  return at;
}

/** The part of a hit that lies in a segment, with offsets into it. */
function within(hit: Hit, from: number, to: number): Hit[] {
  if (from === 0 && endOf(hit) <= to) return [hit];
  const spans: number[] = [];
  for (let i = 0; i < hit.spans.length; i += 2) {
    const start = Math.max(from, hit.spans[i] as number);
    const end = Math.min(to, hit.spans[i + 1] as number);
    if (start < end) spans.push(start - from, end - from);
  }
  return spans.length === 0 ? [] : [{ ...hit, spans }];
}
