const ANYTHING = 'anything';
const WITHIN_NAME = 'within-name';

/** Compiled patterns: those of equal beginnings share nodes. */
interface PatternNode {
  /** The wildcard that this node is: it stays reached while its characters come. */
  wildcard: typeof ANYTHING | typeof WITHIN_NAME | null;
  children: Map<string, PatternNode>;
  endsPattern: boolean;
}

interface PathMatcher {
  matches(path: string): boolean;
  /** Nodes visited so far: the work that all paths took. */
  steps(): number;
}

/**
 * Compiles path patterns to one test: true where any of them matches. `*` stands for any characters
 * within a name, `...` (as Perforce writes it) and `**` for any folders and names. A pattern
 * without a slash is matched with the last name alone. Case counts. A path is read once, whatever
 * the number of patterns; at worst each character costs a step for each of their tokens. No
 * backtracking.
 */
export function compilePathPatterns(patterns: readonly string[]): PathMatcher {
  const [ofPath, ofName] = [createNode(null), createNode(null)];
  for (const pattern of patterns) {
    const tokens = tokenise(pattern);
    insert(pattern.includes('/') || tokens.includes(ANYTHING) ? ofPath : ofName, tokens);
  }
  let steps = 0;
  const visit = (): void => {
    steps += 1;
  };
  return {
    steps: () => steps,
    matches(path) {
      const plain = withoutRevision(path);
      return run(ofPath, plain, visit) || run(ofName, plain.slice(plain.lastIndexOf('/') + 1), visit);
    },
  };
}

function createNode(wildcard: PatternNode['wildcard']): PatternNode {
  return { wildcard, children: new Map(), endsPattern: false };
}

/** Single characters, and wildcards by their names. */
function tokenise(pattern: string): readonly string[] {
  const literal = (part: string): readonly string[] => [...part].map((char) => (char === '*' ? WITHIN_NAME : char));
  return pattern.split(/\.\.\.|\*\*/).flatMap((part, at) => (at === 0 ? literal(part) : [ANYTHING, ...literal(part)]));
}

function insert(root: PatternNode, tokens: readonly string[]): void {
  let node = root;
  for (const token of tokens) {
    const child = node.children.get(token) ?? createNode(token === ANYTHING || token === WITHIN_NAME ? token : null);
    node.children.set(token, child);
    node = child;
  }
  node.endsPattern = true;
}

/** `//depot/a.c#3` and `//depot/a.c@123` are `//depot/a.c`; Windows separators read as slashes. */
function withoutRevision(path: string): string {
  const slashed = path.replaceAll('\\', '/');
  return slashed.replace(/(?:#\d+|@\d+)$/, '');
}

/** Adds a node and the wildcards after it, which may stand for nothing. */
function reach(from: PatternNode, reached: Set<PatternNode>): void {
  for (const pending = [from]; ; ) {
    const node = pending.pop();
    if (node === undefined) return;
    if (reached.has(node)) continue;
    reached.add(node);
    for (const token of [ANYTHING, WITHIN_NAME]) {
      const next = node.children.get(token);
      if (next !== undefined) pending.push(next);
    }
  }
}

function run(root: PatternNode, text: string, visit: () => void): boolean {
  if (root.children.size === 0) return false;
  let reached = new Set<PatternNode>();
  reach(root, reached);
  for (const char of text) {
    const next = new Set<PatternNode>();
    for (const node of reached) {
      visit();
      // A pattern that ends in a wildcard for anything matches whatever follows.
      if (node.wildcard === ANYTHING && node.endsPattern) return true;
      if (node.wildcard === ANYTHING || (node.wildcard === WITHIN_NAME && char !== '/')) reach(node, next);
      const child = node.children.get(char);
      if (child !== undefined) reach(child, next);
    }
    if (next.size === 0) return false;
    reached = next;
  }
  return [...reached].some((node) => node.endsPattern);
}
