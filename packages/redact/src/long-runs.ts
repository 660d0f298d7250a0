import { IS_ALNUM } from './charset.js';
import { BEFORE } from './text-block.js';

/** Shortest unbroken run of letters and digits that is worth a look. */
export const LONG_RUN = 20;
/** Whole words of two characters that such a run covers at least, wherever it starts. */
const WORDS = LONG_RUN / 2 - 1;
const FIRST_WORD = BEFORE / 2;

/** 1 for the words whose two bytes are letters or digits. */
const IS_ALNUM_WORD = new Uint8Array(65_536);
for (let high = 0; high < 256; high += 1) if (IS_ALNUM[high] === 1) IS_ALNUM_WORD.set(IS_ALNUM.subarray(0, 256), high << 8);

/** How far to the next place where WORDS words may end that are a run, by four of those that end here: behind the last that is none. 0: all four are. */
const STEP = Uint8Array.from({ length: 16 }, (_, alnum) => {
  for (let sample = 0; sample < 4; sample += 1) if ((alnum & (1 << sample)) === 0) return WORDS - 2 * sample;
  return 0;
});

function stepAt(words: Uint16Array, at: number): number {
  return STEP[
    (IS_ALNUM_WORD[words[at] as number] as number) |
      ((IS_ALNUM_WORD[words[at - 2] as number] as number) << 1) |
      ((IS_ALNUM_WORD[words[at - 4] as number] as number) << 2) |
      ((IS_ALNUM_WORD[words[at - 6] as number] as number) << 3)
  ] as number;
}

/** The step from a place where the samples are a run. Adds the place to `ends` when all words are. */
function stepOnRun(words: Uint16Array, at: number, ends: number[]): number {
  for (let back = 1; back < WORDS; back += 1) if (IS_ALNUM_WORD[words[at - back] as number] === 0) return WORDS - back;
  ends.push(at);
  return WORDS;
}

/** True for a text with such a run: it holds every twentieth character, or what follows the last character before that which belongs to none. */
export function holdsLongRun(text: string): boolean {
  let at = LONG_RUN - 1;
  while (at < text.length) {
    let start = at + 1;
    const floor = at - LONG_RUN + 1;
    while (start > floor && IS_ALNUM[text.charCodeAt(start - 1)] === 1) start -= 1;
    if (start === floor) return true;
    at = start + LONG_RUN - 1;
  }
  return false;
}

/** Finds the long runs of letters and digits of one text, block by block. */
export class LongRuns {
  /** Start and end of each. */
  readonly found: number[] = [];
  /** No run that starts before is still to be found. */
  private done = 0;

  private readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  /**
   * Adds the runs that cover WORDS words, the last of them in the block from `from` to `to`. The halves of a block are read side by side: the
   * processor looks up one step while it waits for the other.
   */
  read(words: Uint16Array, from: number, to: number): void {
    const stop = (BEFORE + to - from) >> 1;
    const middle = (FIRST_WORD + stop) >> 1;
    const inFirst: number[] = [];
    const inSecond: number[] = [];
    let first = FIRST_WORD;
    let second = middle;
    while (first < middle && second < stop) {
      const step = stepAt(words, first);
      const stepOfSecond = stepAt(words, second);
      first += step === 0 ? stepOnRun(words, first, inFirst) : step;
      second += stepOfSecond === 0 ? stepOnRun(words, second, inSecond) : stepOfSecond;
    }
    while (first < middle) first += stepAt(words, first) || stepOnRun(words, first, inFirst);
    while (second < stop) second += stepAt(words, second) || stepOnRun(words, second, inSecond);
    for (const at of inFirst) this.keep(from, at);
    for (const at of inSecond) this.keep(from, at);
  }

  /** Adds the runs that begin in the words that end at `at`. The text is asked: a character may have more than the byte it was read as. */
  private keep(from: number, at: number): void {
    const { text, found } = this;
    const stop = from - BEFORE + 2 * (at + 1);
    let start = Math.max(this.done, stop - 2 * WORDS);
    while (start > this.done && IS_ALNUM[text.charCodeAt(start - 1)] === 1) start -= 1;
    while (start < stop) {
      let end = start;
      while (end < text.length && IS_ALNUM[text.charCodeAt(end)] === 1) end += 1;
      if (end - start >= LONG_RUN) found.push(start, end);
      start = end + 1;
    }
    this.done = start;
  }
}
