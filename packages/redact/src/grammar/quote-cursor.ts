const LONG_LINE = 2048;
const WORTH_A_JUMP = 64;
/** So many characters without a quote, an escape or a break are worth a search for the next. */
const WORTH_A_SEARCH = 32;
const MARK = /["'`\\\n\r]/g;

/**
 * Tells whether a position on a line stands inside a quoted string, in one pass over the text: ask
 * with ascending positions. An apostrophe after a letter or digit is prose, not a quote. A line
 * break closes everything.
 */
export class QuoteCursor {
  private at = 0;
  private open = 0;
  private lastMark = 0;
  /** A stretch without a mark. */
  private clearFrom = 0;
  private clearTo = 0;
  private lineStartAt = 0;

  private readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  /** Code of the quote that is open before `position`, or 0. */
  openQuoteAt(position: number): number {
    this.advance(position);
    return this.open;
  }

  private advance(position: number): void {
    if (position < this.at) this.rewind(position);
    if (this.at >= this.clearFrom && position <= this.clearTo) {
      this.at = position;
      return;
    }
    const { text } = this;
    if (position - this.at > WORTH_A_JUMP) this.jump(position);
    for (; this.at < position; this.at += 1) {
      const code = text.charCodeAt(this.at);
      if (code === 10 || code === 13) {
        this.open = 0;
        this.lineStartAt = this.at + 1;
      } else if (code === 92) {
        this.skipEscape(position);
      } else if (code === 34 || code === 39 || code === 96) {
        this.toggle(code);
      } else continue;
      this.lastMark = this.at;
    }
    if (position - this.lastMark >= WORTH_A_SEARCH) this.clear(position);
  }

  private clear(from: number): void {
    MARK.lastIndex = from;
    this.clearFrom = from;
    this.clearTo = MARK.exec(this.text)?.index ?? this.text.length;
  }

  /** A line break closes everything, so only the position's own line matters, when its start is near. */
  private jump(position: number): void {
    const floor = Math.max(this.at, position - LONG_LINE);
    for (let at = position; at > floor; at -= 1) {
      const code = this.text.charCodeAt(at - 1);
      if (code !== 10 && code !== 13) continue;
      this.at = at;
      this.lineStartAt = at;
      this.lastMark = at;
      this.open = 0;
      return;
    }
  }

  private toggle(code: number): void {
    if (this.open === code) this.open = 0;
    else if (this.open === 0 && !(code === 39 && isProse(this.text.charCodeAt(this.at - 1)))) this.open = code;
  }

  /**
   * An escaped quote inside a string does not close it; outside one, the quote may open a nested
   * string of an escaped body.
   */
  private skipEscape(position: number): void {
    const next = this.text.charCodeAt(this.at + 1);
    if (next !== 10 && next !== 13 && this.at + 1 < position) this.at += 1;
  }

  /** Rules look back a few characters now and then: start the line again, or stay where the line is long. */
  private rewind(position: number): void {
    if (position < this.lineStartAt || this.at - this.lineStartAt > LONG_LINE) return;
    this.at = this.lineStartAt;
    this.open = 0;
  }
}

function isProse(code: number): boolean {
  return (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || (code >= 97 && code <= 122);
}
