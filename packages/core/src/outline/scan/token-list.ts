/** Codes of tokens that are not one character of punctuation; those have their character's code. */
export const code = {
  word: 1,
  number: 2,
  string: 3,
  /** `#if` and its kin, or a conflict marker: branches of the text of which one counts. */
  branchIf: 4,
  branchElse: 5,
  branchEnd: 6,
  /** `#if 0`: a branch that never counts. */
  branchNever: 7,
  fatArrow: 8,
  thinArrow: 9,
  scope: 10,
  /** Comparison and assignment operators that hold a `=`: `==`, `<=`, `+=`, `!=`. */
  comparison: 11,
} as const;

/** Character codes of the punctuation that the outline reads. */
export const char = {
  openBrace: 123,
  closeBrace: 125,
  openParen: 40,
  closeParen: 41,
  openBracket: 91,
  closeBracket: 93,
  less: 60,
  greater: 62,
  comma: 44,
  semicolon: 59,
  colon: 58,
  equals: 61,
  star: 42,
  ampersand: 38,
  tilde: 126,
  at: 64,
  hash: 35,
  dot: 46,
  question: 63,
  pipe: 124,
  slash: 47,
  bang: 33,
  plus: 43,
  minus: 45,
} as const;

/** A macro defined by the text, from `#define` to the last line that it continues on. */
export interface MacroLine {
  readonly name: string;
  readonly startLine: number;
  readonly endLine: number;
}

/** The tokens of a text as columns of numbers: a large file has hundreds of thousands. */
export class TokenList {
  readonly text: string;
  count = 0;
  codes = new Uint16Array(1024);
  starts = new Int32Array(1024);
  ends = new Int32Array(1024);
  lines = new Int32Array(1024);
  /** Column of the first character of each line that is not blank, tabs counted as four; index 0 is line 1. */
  readonly indents: number[] = [];
  readonly macros: MacroLine[] = [];
  lineCount = 1;
  /** A comment, string or template has no end, or a comment holds the start of another. */
  unclosed = false;
  /** The text holds conflict markers. */
  conflicted = false;

  constructor(text: string) {
    this.text = text;
  }

  push(of: number, start: number, end: number, line: number): void {
    if (this.count === this.codes.length) this.#grow();
    this.codes[this.count] = of;
    this.starts[this.count] = start;
    this.ends[this.count] = end;
    this.lines[this.count] = line;
    this.count += 1;
  }

  /** The code of token `at`; 0 outside the list. */
  code(at: number): number {
    return this.codes[at] ?? 0;
  }

  line(at: number): number {
    return this.lines[at] ?? this.lineCount;
  }

  /** The line on which token `at` ends: a template or a raw string may take several. */
  endLine(at: number): number {
    const end = this.ends[at] ?? 0;
    let line = this.line(at);
    let next = this.code(at) === code.string ? this.text.indexOf('\n', this.starts[at]) : -1;
    for (; next >= 0 && next < end; next = this.text.indexOf('\n', next + 1)) line += 1;
    return line;
  }

  /** Text of token `at`. */
  read(at: number): string {
    return this.text.slice(this.starts[at] ?? 0, this.ends[at] ?? 0);
  }

  isFirstOnLine(at: number): boolean {
    return at === 0 || this.line(at) !== this.line(at - 1);
  }

  /** Indentation of the line of token `at`. */
  indent(at: number): number {
    return this.indents[this.line(at) - 1] ?? 0;
  }

  /** True where nothing, not even a blank, is between two neighbours. */
  touches(at: number): boolean {
    return this.ends[at] === this.starts[at + 1];
  }

  #grow(): void {
    const size = this.codes.length * 2;
    const codes = new Uint16Array(size);
    codes.set(this.codes);
    this.codes = codes;
    const grow = (from: Int32Array<ArrayBuffer>): Int32Array<ArrayBuffer> => {
      const to = new Int32Array(size);
      to.set(from);
      return to;
    };
    this.starts = grow(this.starts);
    this.ends = grow(this.ends);
    this.lines = grow(this.lines);
  }
}
