// What merges, typing and tools do to a function.

/** Lines `first` to `last`, from 0, are the body of a function without its braces. */
export interface Body {
  first: number;
  last: number;
}

/** A text after damage, with the place, from 0, after which lines move, and by how many. */
export interface Damaged {
  lines: readonly string[];
  from: number;
  shift: number;
}

type Damage = (lines: readonly string[], body: Body, at: number) => Damaged;

const insert =
  (...added: readonly string[]): Damage =>
  (lines, _body, at) => {
    const indent = /^\s*/.exec(lines[at] ?? '')?.[0] ?? '';
    const own = added.map((line) => (/^[<=>]{7}/.test(line) ? line : indent + line));
    return { lines: [...lines.slice(0, at), ...own, ...lines.slice(at)], from: at, shift: own.length };
  };

/** Ways to break a function of a language with braces, by name. `at` is a line of its body. */
export const damages: Readonly<Record<string, Damage>> = {
  'closing line deleted': (lines, { last }) => ({
    lines: [...lines.slice(0, last + 1), ...lines.slice(last + 2)],
    from: last + 1,
    shift: -1,
  }),
  'file cut off': (lines, _body, at) => ({ lines: lines.slice(0, at + 1), from: lines.length, shift: 0 }),
  'block never closed': insert('if (x) {'),
  'stray else': insert('} else {'),
  'extra brace': insert('}'),
  'call never closed': insert('foo(a, (b;'),
  'text never closed': insert('"abc;'),
  'conflict markers': insert('<<<<<<< ours', 'if (a) {', '=======', 'if (b) {', '>>>>>>> theirs'),
  'comment never closed': insert('/* abc'),
};
