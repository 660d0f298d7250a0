/** Wildcard for any characters, none included. */
export const ANYTHING = 'anything';
/** Wildcard for any characters but `/`, none included. */
export const WITHIN_STEP = 'within-step';

/** One pattern, and the number that a match of it gives. */
export interface TriePattern {
  /** Single characters (code points) to match literally, and wildcards. */
  tokens: readonly string[];
  /** 0 or more. */
  value: number;
}

/** Many patterns, matched together. */
export interface PatternTrie {
  /** The highest value of a pattern that matches the whole text; -1 where none does. */
  match(text: string): number;
  /** Nodes visited so far: the work that all matches took. */
  steps(): number;
}

interface Node {
  /** The wildcard that this node is: it stays reached while its characters come. */
  wildcard: typeof ANYTHING | typeof WITHIN_STEP | null;
  children: Map<string, Node>;
  /** Highest value of a pattern that ends here; -1: none does. */
  value: number;
  /** Highest value in this node's part of the trie. */
  highest: number;
  /** The last visit that reached it. */
  visit: number;
}

const isWildcard = (token: string): token is typeof ANYTHING | typeof WITHIN_STEP =>
  token === ANYTHING || token === WITHIN_STEP;

function createNode(token: string): Node {
  return { wildcard: isWildcard(token) ? token : null, children: new Map(), value: -1, highest: -1, visit: 0 };
}

function insert(root: Node, { tokens, value }: TriePattern): void {
  let node = root;
  node.highest = Math.max(node.highest, value);
  for (const token of tokens) {
    let child = node.children.get(token);
    if (child === undefined) {
      child = createNode(token);
      node.children.set(token, child);
    }
    child.highest = Math.max(child.highest, value);
    node = child;
  }
  node.value = Math.max(node.value, value);
}

// long: insertion and walk share the nodes of one trie
/**
 * Compiles patterns to one trie. A text is read once and without backtracking, however many
 * patterns there are: each character costs a step for each node that is reached then. Patterns
 * share the nodes of equal beginnings, so that these are few; at worst there is one for each token.
 */
export function createPatternTrie(patterns: readonly TriePattern[]): PatternTrie {
  const root = createNode('');
  for (const pattern of patterns) insert(root, pattern);
  let visit = 0;
  let steps = 0;

  /** Nodes reached by one text, character by character. */
  function createRun() {
    let reached: Node[] = [];
    /** Highest value of a reached pattern that ends in `...`: it matches whatever follows. */
    let certain = -1;
    /**
     * Adds a node and the wildcards after it, which may stand for nothing. Nodes that cannot raise
     * the result are left out.
     */
    const reach = (from: Node, into: Node[]): void => {
      for (const pending = [from]; ; ) {
        const node = pending.pop();
        if (node === undefined) return;
        if (node.visit === visit || node.highest <= certain) continue;
        steps += 1;
        node.visit = visit;
        into.push(node);
        if (node.wildcard === ANYTHING) certain = Math.max(certain, node.value);
        for (const token of [ANYTHING, WITHIN_STEP]) {
          const next = node.children.get(token);
          if (next !== undefined) pending.push(next);
        }
      }
    };
    return {
      begin() {
        visit += 1;
        reach(root, reached);
      },
      /** False where no later character can change the result. */
      read(char: string): boolean {
        visit += 1;
        const next: Node[] = [];
        for (const node of reached) {
          steps += 1;
          if (node.wildcard === ANYTHING || (node.wildcard === WITHIN_STEP && char !== '/')) reach(node, next);
          const child = node.children.get(char);
          if (child !== undefined) reach(child, next);
        }
        reached = next;
        return reached.length > 0;
      },
      result: () => reached.reduce((best, node) => Math.max(best, node.value), certain),
    };
  }

  return {
    steps: () => steps,
    match(text) {
      const run = createRun();
      run.begin();
      for (const char of text) if (!run.read(char)) break;
      return run.result();
    },
  };
}
