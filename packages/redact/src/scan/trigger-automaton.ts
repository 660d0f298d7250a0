/**
 * The ends of literals as a case-folding (ASCII) Aho-Corasick automaton with a dense table: one
 * look-up per character, whatever the number of literals. It matches only the last characters of a
 * literal, and by character class, so the caller compares each match with the text.
 */
export interface TriggerAutomaton {
  /** The next state by `UNIT * state + class`. State 0 is the first. */
  readonly table: Uint16Array;
  /**
   * How many characters of a literal's end are read: fewer where literals are many, since a state
   * is a number of sixteen bits.
   */
  readonly tail: number;
  /**
   * The literals whose ends lead to states of REPORTING or more: those of the n-th from
   * `firstEnding[n]` on, the longest first.
   */
  readonly endings: Uint32Array;
  readonly firstEnding: Uint32Array;
}

/** High bit of accepting states, so one test covers the states of several lanes. */
export const REPORTING = 1 << 15;
/** Longer ends would cost states that nearly no text leads to. */
export const LONGEST_TAIL = 7;
/** Numbers of a row, one for each class. */
export const WIDTH = 64;
/** The numbers of the table that one of a state stands for: so many that sixteen bits reach every row. */
export const UNIT = 16;
/** What the number of a state grows by from row to row. */
export const STEP = WIDTH / UNIT;

/**
 * What small letters stand behind the classes of digits and signs; `[`, `\\`, `]` and `^`, behind
 * which they stand, share those of `=`, `>`, `?` and `@`.
 */
export const LETTERS_BACK = 30;

/**
 * Classes of bytes, few enough for a row of 64: NUL is the first, what else stands before the space
 * shares the next, and what stands behind `z` the last. Each character between has one, capitals
 * that of their small letter, but for the four named above. Plain arithmetic, since the program of
 * the scan does it for sixteen bytes at once.
 */
export const CLASS_OF = Uint8Array.from({ length: 256 }, (_, byte) => {
  const folded = byte >= 65 && byte <= 90 ? byte + 32 : byte;
  return Math.min(WIDTH - 1, Math.max(Math.min(1, folded), (folded >= 91 ? folded - LETTERS_BACK : folded) - 30));
});

const SHARED = new Set(
  CLASS_OF.filter((ofCharacter, code) => CLASS_OF.indexOf(ofCharacter) < code && !(code >= 97 && code <= 122)),
);

/** True for a class that more than one character has, capitals aside. */
export const isShared = (ofCharacter: number): boolean => SHARED.has(ofCharacter);

/** Builds the automaton. Throws a TypeError for an empty literal and for one that is not ASCII. */
export function buildTriggerAutomaton(literals: readonly string[]): TriggerAutomaton {
  for (const literal of literals) {
    if (literal.length === 0) throw new TypeError('createTriggerScanner: expected non-empty literals');
    if (Buffer.byteLength(literal) > literal.length)
      throw new TypeError('createTriggerScanner: expected ASCII literals');
  }
  for (let tail = LONGEST_TAIL; ; tail -= 1) {
    const trie = buildTrie(literals, tail);
    const order = breadthFirst(trie);
    // Ends of one character never fill the table.
    if (fits(trie)) return { tail, ...layOut(trie, order) };
  }
}

/** True where both kinds of states have numbers enough. */
function fits({ states, outputs }: Trie): boolean {
  return Math.max(states - outputs.size, outputs.size + 1) * STEP <= REPORTING;
}

/** States in arrays, each with the list of its children: building touches only transitions that literals have. */
interface Trie {
  states: number;
  /** Where a symbol leads from a state, by WIDTH of the state and the symbol. */
  next: Map<number, number>;
  /** The symbol that leads to a state, its first child and its next sibling; 0 for none. */
  symbol: Uint8Array;
  child: Int32Array;
  sibling: Int32Array;
  /** The state of the longest proper suffix. */
  fail: Int32Array;
  /** Literals that end in a state; most states have none. */
  outputs: Map<number, number[]>;
}

/** The child of a state by a symbol, 0 for none. */
function childOf({ next }: Trie, state: number, symbol: number): number {
  return next.get(state * WIDTH + symbol) ?? 0;
}

function buildTrie(literals: readonly string[], tail: number): Trie {
  const maxStates = literals.reduce((sum, literal) => sum + Math.min(literal.length, tail), 1);
  const symbol = new Uint8Array(maxStates);
  const child = new Int32Array(maxStates);
  const sibling = new Int32Array(maxStates);
  const trie: Trie = {
    states: 1,
    next: new Map(),
    symbol,
    child,
    sibling,
    fail: new Int32Array(maxStates),
    outputs: new Map(),
  };
  literals.forEach((literal, index) => {
    let state = 0;
    for (let i = Math.max(0, literal.length - tail); i < literal.length; i += 1) {
      const wanted = CLASS_OF[literal.charCodeAt(i)] as number;
      let next = childOf(trie, state, wanted);
      if (next === 0) {
        next = trie.states++;
        trie.next.set(state * WIDTH + wanted, next);
        symbol[next] = wanted;
        sibling[next] = child[state] as number;
        child[state] = next;
      }
      state = next;
    }
    const ending = trie.outputs.get(state);
    if (ending === undefined) trie.outputs.set(state, [index]);
    else ending.push(index);
  });
  for (const ending of trie.outputs.values())
    ending.sort((a, b) => (literals[b] as string).length - (literals[a] as string).length);
  return trie;
}

/** Finds every state's failure link and hands outputs on along it; returns the states nearest first. */
function breadthFirst(trie: Trie): Int32Array {
  const { states, symbol, child, sibling, fail, outputs } = trie;
  const order = new Int32Array(states);
  for (let head = 0, tail = 1; head < tail; head += 1) {
    const state = order[head] as number;
    for (let next = child[state] as number; next !== 0; next = sibling[next] as number) {
      order[tail++] = next;
      if (state === 0) continue;
      let link = fail[state] as number;
      let found = childOf(trie, link, symbol[next] as number);
      while (found === 0 && link !== 0) {
        link = fail[link] as number;
        found = childOf(trie, link, symbol[next] as number);
      }
      fail[next] = found;
      const inherited = outputs.get(found);
      if (inherited !== undefined) outputs.set(next, [...(outputs.get(next) ?? []), ...inherited]);
    }
  }
  return order;
}

/**
 * Gives rows their places, those of quiet states below REPORTING and those of reporting ones above,
 * so that the hot loop tests one bit.
 */
function layOut(trie: Trie, order: Int32Array): Pick<TriggerAutomaton, 'table' | 'endings' | 'firstEnding'> {
  const { states, symbol, child, sibling, fail, outputs } = trie;
  const row = new Uint16Array(states);
  const found: number[][] = [];
  let quiet = 0;
  for (const state of order) {
    const ending = outputs.get(state);
    row[state] = ending === undefined ? quiet++ * STEP : REPORTING + (found.push(ending) - 1) * STEP;
  }
  // A state's row is its failure link's, which is nearer and so done, with the state's own children put in.
  const table = new Uint16Array(UNIT * (REPORTING + found.length * STEP));
  for (const state of order) {
    const at = UNIT * (row[state] as number);
    const from = UNIT * (row[fail[state] as number] as number);
    if (state !== 0) table.copyWithin(at, from, from + WIDTH);
    for (let next = child[state] as number; next !== 0; next = sibling[next] as number)
      table[at + (symbol[next] as number)] = row[next] as number;
  }
  const firstEnding = new Uint32Array(found.length + 1);
  found.forEach((ending, n) => {
    firstEnding[n + 1] = (firstEnding[n] as number) + ending.length;
  });
  return { table, endings: Uint32Array.from(found.flat()), firstEnding };
}
