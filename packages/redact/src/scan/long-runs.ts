import { IS_ALNUM } from '../lexicon/charset.js';

/** Shortest unbroken run of letters and digits that is worth a look. */
export const LONG_RUN = 20;

/**
 * A place in the first run of LONG_RUN letters and digits at or behind `from`, or -1: such a run
 * holds every twentieth character, or what follows the last character before that which belongs to
 * none.
 */
export function nextLongRun(text: string, from: number): number {
  for (let at = from + LONG_RUN - 1; at < text.length; ) {
    let start = at + 1;
    const floor = at - LONG_RUN + 1;
    while (start > floor && IS_ALNUM[text.charCodeAt(start - 1)] === 1) start -= 1;
    if (start === floor) return start;
    at = start + LONG_RUN - 1;
  }
  return -1;
}

/** Collects the long runs of one text, in their order. */
export class LongRuns {
  /** Start and end of each. */
  readonly found: number[] = [];
  /** No run that starts before is still to be found. */
  private done = 0;

  private readonly text: string;
  private readonly isNarrow: boolean;

  /** @param isNarrow - Whether each character of the text is a byte. */
  constructor(text: string, isNarrow: boolean) {
    this.text = text;
    this.isNarrow = isNarrow;
  }

  /** Adds a run of bytes, each the low half of a character; it may go on a run that was added. */
  add(start: number, end: number): void {
    const { found } = this;
    if (!this.isNarrow) this.split(start, end);
    else if (found.length > 0 && start <= (found[found.length - 1] as number)) found[found.length - 1] = end;
    else found.push(start, end);
  }

  /** Adds the runs of characters that begin from `start`, or just before, to `stop`. Gives the place behind them. */
  split(start: number, stop: number): number {
    const { text, found } = this;
    let at = Math.max(this.done, start);
    while (at > this.done && IS_ALNUM[text.charCodeAt(at - 1)] === 1) at -= 1;
    while (at < stop) {
      let end = at;
      while (end < text.length && IS_ALNUM[text.charCodeAt(end)] === 1) end += 1;
      if (end - at >= LONG_RUN) found.push(at, end);
      at = end + 1;
    }
    this.done = at;
    return at;
  }
}
