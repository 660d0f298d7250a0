import { lowerBound } from '../lower-bound.js';

/** What a model's path names among the changed files. */
export type PathMatch = { kind: 'one'; path: string } | { kind: 'several'; count: number } | { kind: 'none' };

/** A model's path, matched to the change's (OUT-8). */
export interface PathIndex {
  /** The path as the review names it, where exactly one changed file fits. */
  resolve(file: string): PathMatch;
}

const ENCODED: Readonly<Record<string, string>> = { '%40': '@', '%23': '#', '%2A': '*', '%2a': '*', '%25': '%' };

/** A stored depot path as the names of its files and folders: Perforce's four escapes decoded. */
export function decodeDepotPath(path: string): string {
  return path.replace(/%(?:40|23|2A|2a|25)/g, (code) => ENCODED[code] ?? code);
}

/**
 * The form under which two spellings of one depot path meet: `/` separators, no leading `./` or
 * `/`, Perforce's escapes decoded.
 */
export function normalisePath(path: string): string {
  const trimmed = path
    .trim()
    .replaceAll('\\', '/')
    .replace(/^(?:\.?\/)+/, '');
  return decodeDepotPath(trimmed);
}

/** Longer than any path that Perforce stores; only the exact form of a longer text is looked up. */
const MAX_PATH = 4_096;
const WRAPPING = '`"\'*<>()[]“”‘’«»,; \t';
const LINK = /^\[([^\]]*)\]\([^)]*\)$/;
/** A line, a range, a revision or a changelist behind a path. */
const POSITION = /(?:#L?\d+(?:-L?\d+)?|#head|@=?\d+|:\d+(?:[:-]\d+)?| ?,? ?\(?lines? \d+(?:-\d+)?\)?)$/i;

function trimWrapping(text: string): string {
  let [start, end] = [0, text.length];
  while (start < end && WRAPPING.includes(text.charAt(start))) start += 1;
  while (end > start && WRAPPING.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(start, end);
}

/** The path without what models write round it: quotes, Markdown, a position, a revision. */
function stripDecoration(file: string): string {
  const trimmed = file.trim();
  const unwrapped = trimWrapping(LINK.exec(trimmed)?.[1] ?? trimmed);
  return trimWrapping(unwrapped.replace(POSITION, ''));
}

/** Equal for two spellings that differ in Unicode normal form alone. */
function canonicalForm(path: string): string {
  return normalisePath(path).normalize('NFC');
}

function groupBy(paths: Iterable<string>, keyOf: (path: string) => string): ReadonlyMap<string, readonly string[]> {
  const groups = new Map<string, string[]>();
  for (const path of paths) {
    const key = keyOf(path);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [path]);
    else group.push(path);
  }
  return groups;
}

/** A path's forms, computed once. */
interface PathForms {
  path: string;
  canonical: string;
  /** In lower case behind a `/`, back to front: paths with one ending are neighbours when sorted. */
  reversed: string;
}

function reverse(text: string): string {
  return text.split('').reverse().join('');
}

function computeForms(path: string): PathForms {
  const canonical = canonicalForm(path);
  return { path, canonical, reversed: reverse(`/${canonical.toLowerCase()}`) };
}

function compareReversed(a: PathForms, b: PathForms): number {
  return a.reversed < b.reversed ? -1 : a.reversed > b.reversed ? 1 : 0;
}

/** First place in `sorted` whose reversed form is not below `key`. */
function findPlace(sorted: readonly PathForms[], key: string): number {
  return lowerBound(sorted.length, (at) => (sorted[at] as PathForms).reversed < key);
}

/** The changed files that a path may mean by one comparison. */
type Lookup = (file: string) => readonly string[];

function createLookups(paths: ReadonlySet<string>): readonly Lookup[] {
  const byForm = groupBy(paths, normalisePath);
  let known: readonly PathForms[] | undefined;
  const inAnyCase = (file: string): readonly PathForms[] => {
    known ??= [...paths].map(computeForms).sort(compareReversed);
    const sorted = known;
    const key = reverse(`/${canonicalForm(file).toLowerCase()}`);
    const start = findPlace(sorted, key);
    const ending = sorted.slice(start, findPlace(sorted, `${key}\uffff`));
    const whole = ending.filter((one) => one.reversed === key);
    if (whole.length > 0) return whole;
    // A full depot path is no tail of another one.
    return file.startsWith('//') ? [] : ending;
  };
  const inThisCase = (file: string): readonly PathForms[] => {
    const form = canonicalForm(file);
    const matches = inAnyCase(file);
    const whole = matches.filter((one) => one.canonical === form);
    return whole.length > 0 ? whole : matches.filter((one) => one.canonical.endsWith(form));
  };
  const withoutDiffPrefix = (file: string): string => file.replace(/^[ab]\//, '');
  const steps = [
    inThisCase,
    (file: string) => inThisCase(withoutDiffPrefix(file)),
    inAnyCase,
    (file: string) => inAnyCase(withoutDiffPrefix(file)),
  ];
  return [
    (file) => byForm.get(normalisePath(file)) ?? [],
    ...steps.map(
      (step): Lookup =>
        (file) =>
          step(stripDecoration(file)).map(({ path }) => path),
    ),
  ];
}

/**
 * Indexes `changedFiles`, the names the prompt used. The first comparison that fits any file
 * decides, and only where it fits exactly one: the exact name, its normal form, the name without
 * quotes, position or revision, the end of a path, a diff's `a/` or `b/` left out, and all of these
 * in another letter case or Unicode form. A name in `aliases` (alias to path) resolves to its path
 * (ruling R15).
 */
export function createPathIndex(
  changedFiles: readonly string[],
  aliases: Readonly<Record<string, string>> = {},
): PathIndex {
  const exact = new Set(changedFiles);
  const lookups = createLookups(exact);
  const known = new Map<string, PathMatch>();
  const find = (file: string): PathMatch => {
    if (exact.has(file)) return { kind: 'one', path: file };
    for (const lookup of file.length > MAX_PATH ? lookups.slice(0, 1) : lookups) {
      const [path, ...others] = lookup(file);
      if (others.length > 0) return { kind: 'several', count: others.length + 1 };
      if (path !== undefined) return { kind: 'one', path };
    }
    return { kind: 'none' };
  };
  return {
    resolve(file) {
      const match = known.get(file) ?? find(file);
      known.set(file, match);
      if (match.kind !== 'one' || !Object.hasOwn(aliases, match.path)) return match;
      return { kind: 'one', path: aliases[match.path] ?? match.path };
    },
  };
}
