import { innermostByLine } from '../../../outline/find-section.js';
import { namesDeclaredOn } from '../../../outline/names/definitions-of.js';
import { isKeyword } from '../../../outline/names/keywords.js';
import type { Declaration, Section } from '../../../outline/section.js';
import type { FileSide, FileSides, HunkLines } from './file-sides.js';
import { isComment, lastNameOf, listKeyWords, listLeadingKeys, listMembers, listPaths } from './key-words.js';
import { allDeclared } from './read-outlines.js';

/** A name that others may use, of one hunk. */
export interface ChangedName {
  name: string;
  /** 0 for the most telling. */
  rank: number;
  /** Place of the hunk in its file. */
  hunk: number;
}

/** A shorter name is on too many lines. */
const MIN_LENGTH = 3;
/** Neighbours of a new name are at most so many lines away. */
const NEIGHBOUR_LINES = 3;
/** Lines of a comment that is read down to what it describes. */
const MAX_COMMENT_LINES = 12;
/** Functions of the same file that use a changed value, whose callers are looked for, and such values. */
const MAX_HOLDERS = 2;
const MAX_HELD = 16;
/** Names of one hunk, the most telling first: far more than are looked for. */
const MAX_NAMES = 64;
/** Kinds of declarations that come in lists: what handles one handles its neighbours. */
const listed: ReadonlySet<Declaration['kind']> = new Set(['member', 'value', 'key', 'macro']);

/** A file's sides, and every name that each declares. */
interface DeclaredSides extends FileSides {
  before: ReadonlySet<string>;
  now: ReadonlySet<string>;
  /** The innermost section of a line of the new side. */
  innermost: (line: number) => Section | undefined;
}

const without = (names: Iterable<string>, others: ReadonlySet<string>): readonly string[] =>
  [...names].filter((name) => !others.has(name));
const within = (names: Iterable<string>, others: ReadonlySet<string>): readonly string[] =>
  [...names].filter((name) => others.has(name));

/** Names that the lines declare. */
function namesOn({ outline }: FileSide, lines: readonly number[]): ReadonlySet<string> {
  return new Set(namesDeclaredOn(outline, lines));
}

const codeOn = ({ lines }: FileSide, numbers: readonly number[]): readonly string[] =>
  numbers.map((line) => lines[line - 1] ?? '').filter((line) => !isComment(line));

/** The lines that comments on these lines describe: the first ones below. */
function describedBy({ lines }: FileSide, changed: readonly number[]): readonly number[] {
  return changed.flatMap((line) => {
    let at = line;
    while (at < line + MAX_COMMENT_LINES && isComment(lines[at - 1] ?? '')) at += 1;
    return at === line ? [] : [at];
  });
}

/** A function by the name that callers write: a constructor by its type's. */
function calledName({ name, outer, kind }: Section): string {
  const isConstructor = kind === 'function' && /^(?:__\w+__|constructor|new|init|~.*)$/.test(name);
  return isConstructor ? (outer.at(-1) ?? name) : name;
}

/** The declarations nearest to new ones, of the same list. */
function neighboursOf({ outline }: FileSide, fresh: ReadonlySet<string>, added: readonly number[]): readonly string[] {
  const known = outline.declarations.filter(({ kind, name }) => listed.has(kind) && !fresh.has(name));
  const lastAt = new Map(known.map(({ endLine }, at) => [endLine, at]));
  const firstAt = new Map(known.map(({ startLine }, at): [number, number] => [startLine, at]).reverse());
  const steps = Array.from({ length: NEIGHBOUR_LINES + 1 }, (_, step) => step);
  const lines = fresh.size === 0 ? [] : added;
  return lines.flatMap((line) => {
    const above = Math.max(...steps.map((step) => lastAt.get(line - step) ?? -1));
    const below = Math.min(...steps.map((step) => firstAt.get(line + step) ?? known.length));
    return [known[above], known[below]].flatMap((one) => (one === undefined ? [] : [one.name]));
  });
}

/** Functions of the file that use one of the names. */
function functionsUsing({ new: { lines }, innermost }: DeclaredSides, kept: readonly string[]): readonly string[] {
  const names = kept.slice(0, MAX_HELD);
  if (names.length === 0) return [];
  const found = new Set<string>();
  for (const [at, line] of lines.entries()) {
    if (found.size >= MAX_HOLDERS) break;
    if (!names.some((name) => line.includes(name))) continue;
    const section = innermost(at + 1);
    if (section?.kind === 'function') found.add(calledName(section));
  }
  return [...found];
}

/** The functions round the lines, and the types round those or round the lines. */
function namesRound({ innermost }: DeclaredSides, lines: readonly number[]): { functions: string[]; types: string[] } {
  const sections = new Set(lines.map(innermost));
  const known = [...sections].filter((section) => section !== undefined && section.kind !== 'key') as Section[];
  return {
    functions: known.filter(({ kind }) => kind === 'function').map(calledName),
    types: known.flatMap(({ kind, name, outer }) => (kind === 'type' ? [name] : outer.slice(-1))),
  };
}

/** The names of a hunk in groups, the most telling first. */
function nameHunk(sides: DeclaredSides, { removed, added, touched }: HunkLines): readonly (readonly string[])[] {
  const { old, new: now } = sides;
  const [oldCode, newCode] = [codeOn(old, removed), codeOn(now, added)];
  const [oldNames, newNames] = [namesOn(old, removed), namesOn(now, added)];
  const [oldKeys, newKeys] = [listKeyWords(oldCode), listKeyWords(newCode)];
  const fresh = new Set(without(newNames, sides.before));
  const kept = [...within(oldNames, sides.now), ...within(newNames, sides.before)];
  const described = describedBy(now, added);
  const { functions, types } = namesRound(sides, [...touched, ...described]);
  const gone = [...without(oldNames, sides.now), ...without(oldKeys, newKeys)];
  const paths = without(listPaths(oldCode), listPaths(newCode)).flatMap((path) => lastNameOf(path) ?? []);
  const changed = [...kept, ...within(listLeadingKeys(newCode), listLeadingKeys(oldCode)), ...paths];
  const declaresAny = fresh.size > 0 || kept.length > 0;
  // A new function has no callers yet.
  const called = functions.filter((name) => sides.before.has(name));
  const round = [...called, ...namesOn(now, described), ...(declaresAny ? types : [])];
  const near = [...without(newKeys, oldKeys), ...without(listMembers(newCode), listMembers(oldCode))];
  return [
    gone,
    changed,
    [...round, ...neighboursOf(now, fresh, added)],
    [...near, ...functionsUsing(sides, kept), ...types],
  ];
}

/**
 * Names by which code elsewhere may depend on what a file's hunks change, each once a hunk, the most
 * telling of every hunk first: (0) what is no longer declared, or no longer a key; (1) what is declared
 * otherwise, or gets another value; (2) the function round the change, and the neighbours of what is
 * new; (3) new keys and members, functions that use a changed value, the type round the change.
 */
export function listChangedNames(sides: FileSides): readonly ChangedName[] {
  const declared = {
    ...sides,
    before: allDeclared(sides.old.outline),
    now: allDeclared(sides.new.outline),
    innermost: innermostByLine(sides.new.outline, sides.new.lines.length),
  };
  const names = sides.hunks.flatMap((lines, hunk) => {
    const known = new Set<string>();
    return nameHunk(declared, lines).flatMap((group, rank) =>
      group.flatMap((name) => {
        if (known.size >= MAX_NAMES || known.has(name) || name.length < MIN_LENGTH || isKeyword(name, sides.language))
          return [];
        known.add(name);
        return [{ name, rank, hunk, order: known.size }];
      }),
    );
  });
  return names
    .sort((a, b) => a.rank - b.rank || a.order - b.order || a.hunk - b.hunk)
    .map(({ name, rank, hunk }) => ({ name, rank, hunk }));
}
