import { LongRuns } from './long-runs.js';
import { BEFORE, TextBlock } from './text-block.js';
import { buildTriggerAutomaton, type TriggerAutomaton } from './trigger-automaton.js';

/** One literal found: the trigger's index in the list given, and where it starts and ends. */
export type OnTrigger = (trigger: number, start: number, end: number) => void;

/** Finds literals, overlapping ones included, and long runs of letters and digits. */
export interface TriggerScanner {
  /**
   * Tells every occurrence of every literal, in order of their ends; of two with one end the longer comes first. Returns the start and end of each
   * run of LONG_RUN letters and digits or more.
   */
  scan(text: string, onTrigger: OnTrigger): readonly number[];
}

/** Parts of a block that are read side by side: the processor looks up one while it waits for another. */
const LANES = 4;
/** A lane reads what stands before it once more, which shorter ones are not worth. */
const SHORTEST_LANE = 256;
/** Classes of the two bytes of a word: the first in the low bits. */
const CLASS_BITS = 8;
const CLASS = (1 << CLASS_BITS) - 1;
const LOW_BYTE_FIRST = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1;

/** A confirmer may scan what it has decoded, so each scan under way has a block of its own. */
const blocks: TextBlock[] = [];
let scanning = 0;

/** Builds a scanner for ASCII literals, found in any case. Throws a TypeError for an empty literal and for one that is not ASCII. */
export function createTriggerScanner(literals: readonly string[]): TriggerScanner {
  const folded = literals.map((literal) => literal.toLowerCase());
  const automaton = buildTriggerAutomaton(folded);
  const classesOf = classesOfWords(automaton.classOf);
  return {
    scan(text, onTrigger) {
      blocks[scanning] ??= new TextBlock();
      const block = blocks[scanning] as TextBlock;
      scanning += 1;
      try {
        return new TriggerScan(text, folded, automaton, classesOf, onTrigger).run(block);
      } finally {
        scanning -= 1;
        block.wipe();
      }
    },
  };
}

/** The classes of two characters by the word that they make in memory. */
function classesOfWords(classOf: Uint8Array): Uint16Array {
  const classes = new Uint16Array(65_536);
  const rows: Uint16Array[] = [];
  for (let high = 0; high < classOf.length; high += 1) {
    const ofHigh = classOf[high] as number;
    rows[ofHigh] ??= Uint16Array.from(classOf, (ofLow) =>
      LOW_BYTE_FIRST ? ofLow | (ofHigh << CLASS_BITS) : ofHigh | (ofLow << CLASS_BITS),
    );
    classes.set(rows[ofHigh] as Uint16Array, high << 8);
  }
  return classes;
}

/** One pass over one text. */
class TriggerScan {
  /** Where the automaton stands at the end of the block before. */
  private state = 0;
  /** What is known to be ASCII: literals overlap where a text repeats itself. */
  private asciiFrom = 0;
  private asciiTo = 0;

  private readonly text: string;
  private readonly literals: readonly string[];
  private readonly automaton: TriggerAutomaton;
  private readonly classesOf: Uint16Array;
  private readonly onTrigger: OnTrigger;

  constructor(text: string, literals: readonly string[], automaton: TriggerAutomaton, classesOf: Uint16Array, onTrigger: OnTrigger) {
    this.text = text;
    this.literals = literals;
    this.automaton = automaton;
    this.classesOf = classesOf;
    this.onTrigger = onTrigger;
  }

  /** Tells the literals; returns the long runs. */
  run(block: TextBlock): readonly number[] {
    const { text, automaton } = this;
    const runs = new LongRuns(text);
    for (let from = 0; from < text.length; ) {
      const to = block.read(text, from);
      runs.read(block.words, from, to);
      const lane = ((to - from) >> 3) * 2;
      if (lane >= SHORTEST_LANE && lane >= automaton.longest) this.readLanes(block, lane, from, to);
      else this.readOn(block.bytes, BEFORE, BEFORE + to - from, from);
      from = to;
    }
    return runs.found;
  }

  /** Reads a block in lanes, and what is left of it. The finds of the first lane are told first. */
  private readLanes(block: TextBlock, lane: number, from: number, to: number): void {
    const { reporting } = this.automaton;
    const { bytes, finds } = block;
    const count = readSideBySide(block, lane, this.state, this.automaton, this.classesOf);
    for (let part = 0; part < LANES; part += 1) {
      for (let i = part; i < count; i += LANES + 1) {
        const state = finds[i] as number;
        if (state >= reporting) this.tell(state, from + part * lane + (finds[i - part + LANES] as number) + 1);
      }
    }
    this.state = finds[count] as number;
    this.readOn(bytes, BEFORE + LANES * lane, BEFORE + to - from, from);
  }

  /** Reads one character after the other. */
  private readOn(bytes: Uint8Array, at: number, to: number, from: number): void {
    const { table, classOf, reporting } = this.automaton;
    let { state } = this;
    for (let next = at; next < to; next += 1) {
      state = table[state + (classOf[bytes[next] as number] as number)] as number;
      if (state >= reporting) this.tell(state, from + next - BEFORE + 1);
    }
    this.state = state;
  }

  /** Tells the literals that end at `end`, unless a character of the text is more than the byte it was read as. */
  private tell(state: number, end: number): void {
    const { literals, automaton, onTrigger } = this;
    const found = automaton.found[state / automaton.width] as readonly number[];
    for (let i = 0; i < found.length; i += 1) {
      const trigger = found[i] as number;
      const start = end - (literals[trigger] as string).length;
      if (this.isAscii(start, end)) onTrigger(trigger, start, end);
    }
  }

  private isAscii(start: number, end: number): boolean {
    const { text } = this;
    const overlaps = start >= this.asciiFrom && start <= this.asciiTo;
    for (let at = overlaps ? this.asciiTo : start; at < end; at += 1) if (text.charCodeAt(at) > 127) return false;
    if (!overlaps) this.asciiFrom = start;
    this.asciiTo = overlaps ? Math.max(this.asciiTo, end) : end;
    return true;
  }
}

/**
 * Reads the lanes of a block, each from the state that the characters before it lead to, two characters with one look-up of their classes. For every
 * place at which one reports, `finds` gets the states of all and how far into its lane each is; behind them the last state of the last lane. Returns
 * where that is.
 */
function readSideBySide(block: TextBlock, lane: number, state: number, automaton: TriggerAutomaton, classesOf: Uint16Array): number {
  const { bytes, words, finds } = block;
  const { table, classOf, reporting, longest } = automaton;
  const second = BEFORE + lane;
  const third = second + lane;
  const fourth = third + lane;
  let a = state;
  let b = 0;
  let c = 0;
  let d = 0;
  for (let before = 1 - longest; before < 0; before += 1) {
    b = table[b + (classOf[bytes[second + before] as number] as number)] as number;
    c = table[c + (classOf[bytes[third + before] as number] as number)] as number;
    d = table[d + (classOf[bytes[fourth + before] as number] as number)] as number;
  }
  const firstWord = BEFORE >> 1;
  const secondWord = second >> 1;
  const thirdWord = third >> 1;
  const fourthWord = fourth >> 1;
  const length = lane >> 1;
  let count = 0;
  for (let at = 0; at < length; at += 1) {
    const ofA = classesOf[words[firstWord + at] as number] as number;
    const ofB = classesOf[words[secondWord + at] as number] as number;
    const ofC = classesOf[words[thirdWord + at] as number] as number;
    const ofD = classesOf[words[fourthWord + at] as number] as number;
    a = table[a + (ofA & CLASS)] as number;
    b = table[b + (ofB & CLASS)] as number;
    c = table[c + (ofC & CLASS)] as number;
    d = table[d + (ofD & CLASS)] as number;
    if (a >= reporting || b >= reporting || c >= reporting || d >= reporting) count = keep(finds, count, a, b, c, d, 2 * at);
    a = table[a + (ofA >> CLASS_BITS)] as number;
    b = table[b + (ofB >> CLASS_BITS)] as number;
    c = table[c + (ofC >> CLASS_BITS)] as number;
    d = table[d + (ofD >> CLASS_BITS)] as number;
    if (a >= reporting || b >= reporting || c >= reporting || d >= reporting) count = keep(finds, count, a, b, c, d, 2 * at + 1);
  }
  finds[count] = d;
  return count;
}

function keep(finds: Int32Array, count: number, a: number, b: number, c: number, d: number, at: number): number {
  finds[count] = a;
  finds[count + 1] = b;
  finds[count + 2] = c;
  finds[count + 3] = d;
  finds[count + 4] = at;
  return count + 5;
}
