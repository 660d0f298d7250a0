import { isUpper } from '../lexicon/charset.js';
import { BlockFinds, type BlockReader, createBlockReader, WORTH_A_BLOCK } from './block-reader.js';
import { LongRuns, nextLongRun } from './long-runs.js';
import { BLOCK } from './scan-program.js';
import {
  buildTriggerAutomaton,
  CLASS_OF,
  isShared,
  REPORTING,
  STEP,
  type TriggerAutomaton,
  UNIT,
} from './trigger-automaton.js';

// The door of this folder: nothing outside it imports another of its files.
export { createIsQuiet, type IsQuiet } from './quiet-text.js';

/** One literal found: the trigger's index in the list given, and where it starts and ends. */
export type OnTrigger = (trigger: number, start: number, end: number) => void;

/**
 * Called before the first `OnTrigger` where the text holds so many literals that the scanner reads
 * a flat copy of it instead: the same characters, faster to read.
 */
export type OnCopy = (copy: string) => void;

/** Finds literals, overlapping ones included, and long runs of letters and digits. */
export interface TriggerScanner {
  /** What it reads by, for a look that is quicker than a scan. */
  readonly automaton: TriggerAutomaton;
  /**
   * Reports every occurrence of every literal, in order of their ends; of two with one end the longer
   * comes first. Returns the start and end of each run of LONG_RUN letters and digits or more.
   * `isNarrow`: what `isNarrowText` says of the text, where that is known.
   */
  scan(text: string, onTrigger: OnTrigger, onCopy?: OnCopy, isNarrow?: boolean): readonly number[];
}

/**
 * Builds a scanner for ASCII literals, found in any case. Throws a TypeError for an empty literal
 * and for one that is not ASCII. Long texts are read in blocks by a program in WebAssembly where
 * `inBlocks` says so and the process can.
 */
export function createTriggerScanner(literals: readonly string[], inBlocks = true): TriggerScanner {
  const folded = literals.map((literal) => literal.toLowerCase());
  const built = buildTriggerAutomaton(folded);
  const reader = inBlocks ? createBlockReader(built) : undefined;
  const automaton = reader === undefined ? built : { ...built, table: reader.table };
  const uncertain = Uint16Array.from(folded, (literal) => uncertainOf(literal, built.tail));
  // Kept for the next text; one that is read meanwhile makes its own.
  let kept: BlockFinds | undefined;
  return {
    automaton,
    scan(text, onTrigger, onCopy, isNarrow = isNarrowText(text)) {
      const scan = new TriggerScan(text, isNarrow, folded, uncertain, automaton, onTrigger, onCopy);
      if (reader === undefined || text.length < WORTH_A_BLOCK) return scan.characters();
      const block = kept ?? new BlockFinds();
      kept = undefined;
      try {
        return scan.blocks(reader, block);
      } finally {
        reader.wipe();
        kept = block;
      }
    },
  };
}

/** What a string of one byte a character cannot hold, so the test costs nothing for one. */
const WIDE = /[\u0100-\uffff]/;

/** True for a text whose characters are all bytes. */
export const isNarrowText = (text: string): boolean => !WIDE.test(text);

/** Literals per character from which confirming costs far more than copying a text of several blocks. */
const DENSE = 1 / 64;

/**
 * A flat copy of the text. A string may be a slice of another, and V8 then resolves each character
 * through that one, which takes up to a third of the time of a dense text. JavaScript cannot see
 * which strings are slices.
 */
function copyOf(text: string, isNarrow: boolean): string {
  const encoding = isNarrow ? 'latin1' : 'utf16le';
  return Buffer.from(text, encoding).toString(encoding);
}

/** One pass over one text. */
class TriggerScan {
  private readonly runs: LongRuns;
  /** Whether each character is a byte: of others the automaton reads the low half. */
  private readonly isNarrow: boolean;
  private text: string;
  private readonly literals: readonly string[];
  private readonly uncertain: Uint16Array;
  private readonly automaton: TriggerAutomaton;
  private readonly onTrigger: OnTrigger;
  private readonly onCopy: OnCopy | undefined;

  constructor(
    text: string,
    isNarrow: boolean,
    literals: readonly string[],
    uncertain: Uint16Array,
    automaton: TriggerAutomaton,
    onTrigger: OnTrigger,
    onCopy: OnCopy | undefined,
  ) {
    this.text = text;
    this.isNarrow = isNarrow;
    this.runs = new LongRuns(text, this.isNarrow);
    this.literals = literals;
    this.uncertain = uncertain;
    this.automaton = automaton;
    this.onTrigger = onTrigger;
    this.onCopy = onCopy;
  }

  /**
   * Reads block after block, all of about one size. The finds of a block are reported once it is
   * read: a confirmer may scan a text of its own.
   */
  blocks(reader: BlockReader, block: BlockFinds): readonly number[] {
    const { text, runs } = this;
    const size = Math.ceil(text.length / Math.ceil(text.length / BLOCK));
    for (let from = 0; from < text.length; from += size) {
      reader.read(text, from, Math.min(text.length, from + size), block);
      if (from === 0 && text.length > BLOCK && block.count / 2 > size * DENSE && this.onCopy !== undefined) {
        this.text = copyOf(text, this.isNarrow);
        this.onCopy(this.text);
      }
      for (let i = 0; i < block.runs.length; i += 2) runs.add(block.runs[i] as number, block.runs[i + 1] as number);
      for (let i = 0; i < block.count; i += 2) this.report(block.finds[i] as number, block.finds[i + 1] as number);
    }
    return runs.found;
  }

  /** Reads one character after the other. */
  characters(): readonly number[] {
    const { text, runs } = this;
    const { table } = this.automaton;
    for (let place = nextLongRun(text, 0); place >= 0; ) place = nextLongRun(text, runs.split(place, place + 1));
    let state = 0;
    for (let at = 0; at < text.length; at += 1) {
      state = table[UNIT * state + (CLASS_OF[text.charCodeAt(at) & 255] as number)] as number;
      if (state >= REPORTING) this.report(state, at + 1);
    }
    return runs.found;
  }

  /**
   * Reports the literals that end at `end` and that the text really has: the automaton matches the
   * ends of literals only, by classes of the low bytes of characters.
   */
  private report(state: number, end: number): void {
    const { literals, uncertain, onTrigger } = this;
    const { endings, firstEnding } = this.automaton;
    const n = (state - REPORTING) / STEP;
    const stop = firstEnding[n + 1] as number;
    for (let i = firstEnding[n] as number; i < stop; i += 1) {
      const trigger = endings[i] as number;
      const literal = literals[trigger] as string;
      const start = end - literal.length;
      if (
        start >= 0 &&
        this.beginsAt(start, literal, uncertain[trigger] as number) &&
        (this.isNarrow || isAscii(this.text, start, end))
      )
        onTrigger(trigger, start, end);
    }
  }

  /** True where the text has the first `length` characters of the literal. */
  private beginsAt(start: number, literal: string, length: number): boolean {
    const { text } = this;
    for (let i = length - 1; i >= 0; i -= 1) {
      const code = text.charCodeAt(start + i);
      if ((isUpper(code) ? code + 32 : code) !== literal.charCodeAt(i)) return false;
    }
    return true;
  }
}

/** Of a character that is no byte only the low half was read. */
function isAscii(text: string, start: number, end: number): boolean {
  for (let at = start; at < end; at += 1) if (text.charCodeAt(at) > 127) return false;
  return true;
}

/**
 * How many characters of a literal must be compared with the text: those before the end that the
 * automaton reads, or all where one shares its class.
 */
function uncertainOf(literal: string, tail: number): number {
  for (let i = 0; i < literal.length; i += 1)
    if (isShared(CLASS_OF[literal.charCodeAt(i)] as number)) return literal.length;
  return Math.max(0, literal.length - tail);
}
