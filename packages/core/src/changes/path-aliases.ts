import type { RedactionSession } from '../foundation/redactor.js';
import { makeVisibleLine } from '../foundation/visible-text.js';

/** How a path stands in a redacted change. */
export interface PathName {
  /** The path itself, or its alias where it may not be shown (ruling R15). */
  name: string;
  /** The redacted path, where `name` is an alias. */
  displayPath: string | null;
}

/** No stored depot path has a step like this: Perforce writes `@` as `%40`. */
const STEP = '@alias-';
const LIKE_AN_ALIAS = /(?:^|[\\/])(?:@|%40)alias-/i;
const EXTENSION = /\.[A-Za-z][A-Za-z0-9]{0,7}$/;
const MAX_SHOWN = 1_000;

/** One line, no hidden character, not mistakable for an alias. */
function isPlain(text: string): boolean {
  return makeVisibleLine(text) === text && !LIKE_AN_ALIAS.test(text);
}

/** What `redacted` leaves of the path, step by step; the steps it does not leave become `@alias-<place>`. */
function aliasOf(path: string, redacted: string, place: number): { alias: string; bare: string } {
  const step = `${STEP}${place}`;
  const ending = EXTENSION.exec(path)?.[0] ?? '';
  const extension = redacted.endsWith(ending) ? ending : '';
  const bare = `//${step}${extension}`;
  const [given, left] = [path.split('/'), redacted.split('/')];
  // A secret that ran over several steps leaves no telling which is which.
  if (given.length !== left.length || path.length > MAX_SHOWN) return { alias: bare, bare };
  const steps = left.map((one, at) => (one === given[at] && isPlain(one) ? one : step));
  if (!steps.includes(step)) return { alias: bare, bare };
  if (steps.at(-1) === step) steps[steps.length - 1] = step + extension;
  return { alias: steps.join('/'), bare };
}

/** Numbers every path of a change once: files by their order, then the sources of renames and branches, then others. */
function placesOf(
  files: readonly { path: string; oldPath: string | null }[],
  others: readonly string[],
): ReadonlyMap<string, number> {
  const places = new Map<string, number>();
  const paths = [
    ...files.map((file) => file.path),
    ...files.flatMap(({ oldPath }) => (oldPath === null ? [] : [oldPath])),
    ...others,
  ];
  for (const path of paths) if (!places.has(path)) places.set(path, places.size + 1);
  return places;
}

/**
 * Names the paths of one change for the prompt: a path with nothing to hide stands as it is; any
 * other gets an alias that keeps its depth, its harmless steps and its extension. Aliases depend on
 * the change and the rules alone, name one path each whatever the case, and equal no path that is
 * shown and no path that Perforce can store. `others` are paths outside the change, its context's.
 * `redact` is the change's session; what it counts is the caller's.
 */
export function createPathNames(
  files: readonly { path: string; oldPath: string | null }[],
  session: RedactionSession,
  others: readonly string[] = [],
): (path: string, redacted: string) => PathName {
  const places = placesOf(files, others);
  return (path, redacted) => {
    if (redacted === path && isPlain(path) && path.length <= MAX_SHOWN) return { name: path, displayPath: null };
    const { alias, bare } = aliasOf(path, redacted, places.get(path) ?? 0);
    return { name: session.redact(alias).text === alias ? alias : bare, displayPath: redacted };
  };
}
