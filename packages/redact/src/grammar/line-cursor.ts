import { isBreak } from '../lexicon/charset.js';

/** From here on a line is worth a search for its end, so that it is read but once. */
const LONG = 256;

/** Tells where lines start: what was read of a line is not read again. */
export class LineCursor {
  /** A stretch without a break: the start of a line, and as far as it is known. */
  private from = 0;
  private to = 0;
  /** No carriage return between these. */
  private noReturnFrom = 0;
  private noReturnTo = 0;

  private readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  /** Start of the line that holds `position`. */
  startOf(position: number): number {
    if (position >= this.from && position <= this.to) return this.from;
    const { text } = this;
    let at = position;
    while (at > 0 && at !== this.to && !isBreak(text.charCodeAt(at - 1))) at -= 1;
    const isKnown = at === this.to && at > this.from;
    if (!isKnown) this.from = at;
    this.to = position - this.from > LONG ? this.endOf(position) : position;
    return this.from;
  }

  private endOf(position: number): number {
    if (position < this.noReturnFrom || position > this.noReturnTo) {
      this.noReturnFrom = position;
      this.noReturnTo = this.next('\r', position);
    }
    return Math.min(this.noReturnTo, this.next('\n', position));
  }

  private next(character: string, position: number): number {
    const at = this.text.indexOf(character, position);
    return at < 0 ? this.text.length : at;
  }
}
