/** Where a session may read: a list of folders with all below them, and of files. */
export interface ContextRoots {
  readonly patterns: readonly string[];
  /** True for a path that one of the roots holds. Compares exactly. */
  holds(path: string): boolean;
  /** True for a root, or a folder pattern below one. */
  holdsScope(pattern: string): boolean;
}

/** `//depot/dir/...` or `//depot/dir/file`: no other wildcard, no revision, no empty, `.` or `..` step. */
const rootShape = /^\/\/(?:(?!\.{1,2}\/)[^/@#*]+\/)+(?:\.\.\.|(?!\.{1,2}$)[^/@#*]+)$/;

/** True for `//depot/dir/...` and `//depot/dir/file`. */
export function isContextRoot(pattern: string): boolean {
  const folder = pattern.endsWith('/...') ? pattern.slice(0, -4) : pattern;
  return rootShape.test(pattern) && !/\.\.\.|%%|\p{Cc}/u.test(folder);
}

/** Throws `TypeError` that names the first pattern that is none. */
export function createContextRoots(patterns: readonly string[]): ContextRoots {
  const wrong = patterns.find((pattern) => !isContextRoot(pattern));
  if (wrong !== undefined)
    throw new TypeError(`roots: expected //depot/dir/... or //depot/dir/file, got ${JSON.stringify(wrong)}`);
  const folders = patterns.filter((one) => one.endsWith('/...')).map((one) => one.slice(0, -3));
  const files = new Set(patterns.filter((one) => !one.endsWith('/...')));
  const holds = (path: string): boolean => files.has(path) || folders.some((folder) => path.startsWith(folder));
  return {
    patterns,
    holds,
    holdsScope: (pattern) =>
      patterns.includes(pattern) || (isContextRoot(pattern) && folders.some((folder) => pattern.startsWith(folder))),
  };
}

/** True for a file of this name, or whose path ends in these steps: `mesh.h`, `render/mesh.h`. */
export function endsInSteps(path: string, tail: string): boolean {
  return path.endsWith(`/${tail}`);
}
