import type { AccountLayout } from '../grammar/account-layout.js';
import { LineCursor } from '../grammar/line-cursor.js';
import type { PathKind } from '../grammar/path-kind.js';
import { QuoteCursor } from '../grammar/quote-cursor.js';
import type { Confidence, Hit, Scan } from '../grammar/rule.js';
import { isQuoted, withoutEscapes } from '../grammar/string-escapes.js';
import { CLASSES } from '../lexicon/charset.js';

/**
 * The last long runs of one character class: a token has a few segments, and every trigger inside
 * them asks for all of them again.
 */
interface RunCache {
  from: number[];
  to: number[];
  next: number;
}

/** A value never reaches into a PEM marker: hiding half of one would make the next pass read the key otherwise. */
const KEY_MARKER = /-----(?:BEGIN|END)/i;
const MARKER_LENGTH = 7;
const LONGEST_MARKER = 10;
const SHORTEST_CLIPPED = 4;

const CACHED_RUNS = 4;
const WORTH_CACHING = 16;

/** One text with what the rules share about it: lines, quotes, hits. */
interface Reading {
  kind: PathKind;
  layout?: AccountLayout | undefined;
  diff: boolean | undefined;
}

/** The state of one scan over one text. */
export class TextScan implements Scan {
  hits: Hit[] = [];
  readonly quotes: QuoteCursor;
  readonly lines: LineCursor;
  /** A stretch of the text without a PEM marker. */
  private clearFrom = 0;
  private clearTo = 0;
  // Made by the first that asks: most texts have no long run that two triggers ask for, small ones keep nothing.
  private runs: Map<number, RunCache> | undefined;
  private memos: Map<object, unknown> | undefined;
  /** What was asked for last, and is again most often. */
  private lastKey: object | undefined;
  private lastMemo: unknown;

  readonly text: string;
  readonly isNarrow: boolean;
  readonly kind: PathKind;
  readonly layout: AccountLayout | undefined;
  readonly diff: boolean | undefined;
  readonly holdsSecret: (decoded: string) => boolean;

  constructor(text: string, isNarrow: boolean, reading: Reading, holdsSecret: (decoded: string) => boolean) {
    this.text = text;
    this.isNarrow = isNarrow;
    this.kind = reading.kind;
    this.layout = reading.layout;
    this.diff = reading.diff;
    this.holdsSecret = holdsSecret;
    this.quotes = new QuoteCursor(text);
    this.lines = new LineCursor(text);
  }

  runEnd(mask: number, from: number): number {
    const { text } = this;
    const near = Math.min(text.length, from + WORTH_CACHING);
    let to = from;
    while (to < near && ((CLASSES[text.charCodeAt(to)] as number) & mask) !== 0) to += 1;
    return to < near || to === text.length ? to : this.longRunEnd(mask, from, to);
  }

  private longRunEnd(mask: number, from: number, reached: number): number {
    this.runs ??= new Map();
    let cache = this.runs.get(mask);
    if (cache === undefined) {
      cache = { from: [-1, -1, -1, -1], to: [-1, -1, -1, -1], next: 0 };
      this.runs.set(mask, cache);
    }
    for (let slot = 0; slot < CACHED_RUNS; slot += 1) {
      if (from >= (cache.from[slot] as number) && from < (cache.to[slot] as number)) return cache.to[slot] as number;
    }
    const { text } = this;
    let to = reached;
    while (to < text.length && ((CLASSES[text.charCodeAt(to)] as number) & mask) !== 0) to += 1;
    cache.from[cache.next] = from;
    cache.to[cache.next] = to;
    cache.next = (cache.next + 1) % CACHED_RUNS;
    return to;
  }

  runStart(mask: number, to: number, limit: number): number {
    const { text } = this;
    const floor = Math.max(0, to - limit);
    let from = to;
    while (from > floor && ((CLASSES[text.charCodeAt(from - 1)] as number) & mask) !== 0) from -= 1;
    return from;
  }

  /** The hits so far; from here on they are the caller's. */
  takeHits(): Hit[] {
    const taken = this.hits;
    this.hits = [];
    return taken;
  }

  report(rule: string, first: number, last: number, confidence: Confidence): void {
    const { text } = this;
    let [start, end] = withoutEscapes(text, first, last);
    if (isQuoted(text, start, end)) [start, end] = [start + 1, end - 1];
    const marker = end - start > MARKER_LENGTH ? this.markerIn(start, end) : -1;
    const stop = marker < 0 ? end : start + marker;
    if (stop > start && (marker < 0 || marker >= SHORTEST_CLIPPED))
      this.hits.push({ rule, confidence, spans: [start, stop] });
  }

  /**
   * Offset of the first PEM marker behind `start`, or -1. Values that overlap, as those of triggers
   * in a row, are searched once.
   */
  private markerIn(start: number, end: number): number {
    const overlaps = start >= this.clearFrom && start < this.clearTo;
    const from = overlaps ? Math.max(start, this.clearTo - LONGEST_MARKER) : start;
    const marker = from < end ? this.text.slice(from, end).search(KEY_MARKER) : -1;
    if (marker >= 0) return from + marker - start;
    this.clearFrom = overlaps ? this.clearFrom : start;
    this.clearTo = overlaps ? Math.max(this.clearTo, end) : end;
    return -1;
  }

  reportSpans(rule: string, spans: number[], confidence: Confidence): void {
    const within: number[] = [];
    for (let i = 0; i < spans.length; i += 2) {
      const [start, end] = withoutEscapes(this.text, spans[i] as number, spans[i + 1] as number);
      if (end > start) within.push(start, end);
    }
    if (within.length >= 2) this.hits.push({ rule, confidence, spans: within });
  }

  memo<T>(key: object, create: () => T): T {
    if (key === this.lastKey) return this.lastMemo as T;
    this.memos ??= new Map();
    let memo = this.memos.get(key) as T | undefined;
    if (memo === undefined) {
      memo = create();
      this.memos.set(key, memo);
    }
    this.lastKey = key;
    this.lastMemo = memo;
    return memo;
  }
}
