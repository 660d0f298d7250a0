/**
 * So much of a literal's end is read by the automaton: what it says of longer ones is held against the text. A literal of a hundred characters would cost it
 * a hundred states, which nearly no text leads to.
 */
export const LONGEST_TAIL = 24;

/**
 * The ends of literals as a case-folding (ASCII) Aho-Corasick automaton with a dense table: one look-up per character, whatever the number of literals.
 */
export interface TriggerAutomaton {
  /** By byte; 0 for what no literal holds. */
  readonly classOf: Uint8Array;
  /** The next state by a state and a class: a state is where its row starts, in bytes. State 0 is the first. */
  readonly table: Int32Array;
  /** The bit that all states have that end literals, and no other: the states of several texts are asked in one. */
  readonly reporting: number;
  /** The literals whose tails end in such a state, the longest first. */
  endingIn(state: number): readonly number[];
}

/** Builds the automaton. Throws a TypeError for an empty literal and for one that is not ASCII. */
export function buildTriggerAutomaton(literals: readonly string[]): TriggerAutomaton {
  const { classOf, width } = buildAlphabet(literals);
  const trie = buildTrie(literals, classOf);
  return { classOf, ...layOut(trie, breadthFirst(trie), width) };
}

function buildAlphabet(literals: readonly string[]): { classOf: Uint8Array; width: number } {
  const classOf = new Uint8Array(256);
  let width = 1;
  for (const literal of literals) {
    if (literal.length === 0) throw new TypeError('createTriggerScanner: expected non-empty literals');
    for (let i = 0; i < literal.length; i += 1) {
      const code = literal.charCodeAt(i);
      if (code >= 128) throw new TypeError('createTriggerScanner: expected ASCII literals');
      const lower = code >= 65 && code <= 90 ? code + 32 : code;
      if (classOf[lower] !== 0) continue;
      classOf[lower] = width;
      if (lower >= 97 && lower <= 122) classOf[lower - 32] = width;
      width += 1;
    }
  }
  return { classOf, width };
}

/** States in arrays, each with the list of its children: building touches only transitions that literals have. */
interface Trie {
  states: number;
  /** The symbol that leads to a state, its first child and its next sibling; 0 for none. */
  symbol: Uint8Array;
  child: Int32Array;
  sibling: Int32Array;
  /** The state of the longest proper suffix. */
  fail: Int32Array;
  /** Literals that end in a state; most states have none. */
  outputs: Map<number, number[]>;
}

function childOf({ child, sibling, symbol }: Trie, state: number, wanted: number): number {
  let at = child[state] as number;
  while (at !== 0 && symbol[at] !== wanted) at = sibling[at] as number;
  return at;
}

function buildTrie(literals: readonly string[], classOf: Uint8Array): Trie {
  const most = literals.reduce((sum, literal) => sum + Math.min(literal.length, LONGEST_TAIL), 1);
  const symbol = new Uint8Array(most);
  const child = new Int32Array(most);
  const sibling = new Int32Array(most);
  const trie: Trie = { states: 1, symbol, child, sibling, fail: new Int32Array(most), outputs: new Map() };
  literals.forEach((literal, index) => {
    let state = 0;
    for (let i = Math.max(0, literal.length - LONGEST_TAIL); i < literal.length; i += 1) {
      const wanted = classOf[literal.charCodeAt(i)] as number;
      let next = childOf(trie, state, wanted);
      if (next === 0) {
        next = trie.states++;
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
  for (const ending of trie.outputs.values()) ending.sort((a, b) => (literals[b] as string).length - (literals[a] as string).length);
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

/** Puts the rows of silent states below a power of two and those of reporting ones above, so that the hot loop asks one bit. */
function layOut(trie: Trie, order: Int32Array, width: number): Pick<TriggerAutomaton, 'table' | 'reporting' | 'endingIn'> {
  const { states, symbol, child, sibling, fail, outputs } = trie;
  const bytes = 4 * width;
  const row = new Int32Array(states);
  const found: number[][] = [];
  let reporting = 1;
  while (reporting < Math.max(states - outputs.size, outputs.size + 1) * bytes) reporting *= 2;
  const firstReporting = Math.ceil(reporting / bytes) * bytes;
  let quiet = 0;
  for (const state of order) {
    const ending = outputs.get(state);
    row[state] = ending === undefined ? quiet++ * bytes : firstReporting + (found.push(ending) - 1) * bytes;
  }
  // A state's row is its failure link's, which is nearer and so done, with the state's own children put in.
  const table = new Int32Array((firstReporting + found.length * bytes) >> 2);
  for (const state of order) {
    const at = (row[state] as number) >> 2;
    const from = (row[fail[state] as number] as number) >> 2;
    if (state !== 0) table.copyWithin(at, from, from + width);
    for (let next = child[state] as number; next !== 0; next = sibling[next] as number)
      table[at + (symbol[next] as number)] = row[next] as number;
  }
  return { table, reporting, endingIn: (state) => found[(state - firstReporting) / bytes] as readonly number[] };
}
