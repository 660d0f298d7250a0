/** One literal found: the trigger's index in the list given, and where it starts and ends. */
export type OnTrigger = (trigger: number, start: number, end: number) => void;

/** Finds every occurrence of every literal, overlapping ones included, in one pass. */
export interface TriggerScanner {
  scan(text: string, onTrigger: OnTrigger): void;
}

/**
 * Builds a case-folding (ASCII) Aho-Corasick automaton with a dense transition table: one array look-up per UTF-16 unit,
 * whatever the number of literals. Literals must be non-empty ASCII; a mixed-case literal is found in any case.
 */
export function createTriggerScanner(literals: readonly string[]): TriggerScanner {
  const { classOf, width } = buildAlphabet(literals);
  const trie = buildTrie(literals, classOf, width);
  const order = breadthFirst(trie, width);
  const { table, outputFrom, found } = layOut(trie, order, width);
  const lengths = literals.map((literal) => literal.length);

  return {
    scan(text, onTrigger) {
      // Locals: once there are several scanners, the compiler reads captured variables anew for every character.
      const transitions = table;
      const classes = classOf;
      const firstReporting = outputFrom;
      let state = 0;
      for (let i = 0; i < text.length; i += 1) {
        const code = text.charCodeAt(i);
        state = transitions[state + (code < 128 ? (classes[code] as number) : 0)] as number;
        if (state >= firstReporting) {
          for (const trigger of found[state / width] as readonly number[]) onTrigger(trigger, i + 1 - (lengths[trigger] as number), i + 1);
        }
      }
    },
  };
}

function buildAlphabet(literals: readonly string[]): { classOf: Uint8Array; width: number } {
  const classOf = new Uint8Array(128);
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

interface Trie {
  /** Child state per class, -1 for none. */
  next: number[][];
  outputs: number[][];
}

function buildTrie(literals: readonly string[], classOf: Uint8Array, width: number): Trie {
  const row = (): number[] => new Array<number>(width).fill(-1);
  const trie: Trie = { next: [row()], outputs: [[]] };
  literals.forEach((literal, index) => {
    let state = 0;
    for (let i = 0; i < literal.length; i += 1) {
      const symbol = classOf[literal.charCodeAt(i)] as number;
      const children = trie.next[state] as number[];
      let child = children[symbol] as number;
      if (child < 0) {
        child = trie.next.length;
        children[symbol] = child;
        trie.next.push(row());
        trie.outputs.push([]);
      }
      state = child;
    }
    (trie.outputs[state] as number[]).push(index);
  });
  return trie;
}

/** Completes every transition and output over the failure links; returns the states nearest first. */
function breadthFirst(trie: Trie, width: number): number[] {
  const fail = new Int32Array(trie.next.length);
  const order = [0];
  for (let head = 0; head < order.length; head += 1) {
    const state = order[head] as number;
    const children = trie.next[state] as number[];
    const fallback = trie.next[fail[state] as number] as number[];
    for (let symbol = 0; symbol < width; symbol += 1) {
      const child = children[symbol] as number;
      if (child < 0) {
        children[symbol] = state === 0 ? 0 : (fallback[symbol] as number);
        continue;
      }
      const link = state === 0 ? 0 : (fallback[symbol] as number);
      fail[child] = link;
      (trie.outputs[child] as number[]).push(...(trie.outputs[link] as number[]));
      order.push(child);
    }
  }
  return order;
}

/** Numbers silent states before reporting ones, so that the hot loop asks one comparison, and premultiplies by the row width. */
function layOut(trie: Trie, order: readonly number[], width: number): { table: Int32Array; outputFrom: number; found: number[][] } {
  const silent = order.filter((state) => (trie.outputs[state] as number[]).length === 0);
  const reporting = order.filter((state) => (trie.outputs[state] as number[]).length > 0);
  const sorted = [...silent, ...reporting];
  const place = new Int32Array(sorted.length);
  sorted.forEach((state, index) => {
    place[state] = index;
  });
  const table = new Int32Array(sorted.length * width);
  sorted.forEach((state, index) => {
    const children = trie.next[state] as number[];
    for (let symbol = 0; symbol < width; symbol += 1) table[index * width + symbol] = (place[children[symbol] as number] as number) * width;
  });
  return { table, outputFrom: silent.length * width, found: sorted.map((state) => trie.outputs[state] as number[]) };
}
