import { IS_ALNUM } from './charset.js';
import { BEFORE } from './text-block.js';

/** Shortest unbroken run of letters and digits that is worth a look. */
export const LONG_RUN = 20;

/** Finds the long runs of letters and digits of one text, block by block. */
export class LongRuns {
  /** Start and end of each. */
  readonly found: number[] = [];
  /** A run that is not found yet holds this character or a later one. */
  private next = LONG_RUN - 1;

  private readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  /**
   * Adds the runs whose twentieth character, or a later one, is met in the block from `from` to `to`. A run holds every twentieth character, so
   * only those are read, and what stands before one that belongs to a run.
   */
  read(bytes: Uint8Array, from: number, to: number): void {
    const shift = BEFORE - from;
    let at = this.next;
    while (at < to) {
      let start = at + 1;
      const floor = at - LONG_RUN + 1;
      while (start > floor && IS_ALNUM[bytes[start - 1 + shift] as number] === 1) start -= 1;
      at = start === floor ? this.keep(start) : start + LONG_RUN - 1;
    }
    this.next = at;
  }

  /** Asks the text, whose characters may have more than the byte they were read as. Returns where to read on. */
  private keep(start: number): number {
    const { text, found } = this;
    let end = start;
    while (end < text.length && IS_ALNUM[text.charCodeAt(end)] === 1) end += 1;
    if (end - start >= LONG_RUN) found.push(start, end);
    return end + LONG_RUN;
  }
}
