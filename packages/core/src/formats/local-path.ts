import { makeVisible } from '../foundation/visible-text.js';
import { decodeDepotPath } from '../review/merge/reconcile.js';

/** The place of what is about the change itself, for formats in which all needs a path. */
export const CHANGE_PATH = 'change';

/** Where a depot file lies for a tool that knows folders and no depots: relative, as the file's own name. */
export interface LocalPaths {
  /** `//depot/main/src/a%40b.c` below the root `//depot/main` gives `src/a@b.c`; elsewhere `depot/main/src/a@b.c`. */
  of(depotPath: string): string;
}

/** `root`: the depot folder that a workspace or repository holds, without a slash at its end; null: none. */
export function createLocalPaths(root: string | null): LocalPaths {
  const prefix = root === null ? null : `${root}/`;
  return {
    of(depotPath) {
      const path = prefix !== null && depotPath.startsWith(prefix) ? depotPath.slice(prefix.length) : depotPath;
      // A segment `..` would leave the folder; a slash at the front would be an absolute path.
      const segments = decodeDepotPath(path)
        .split('/')
        .filter((segment) => !['', '.', '..'].includes(segment));
      return segments.join('/');
    },
  };
}

/** The same as a relative reference of RFC 3986. */
export function toUriReference(localPath: string): string {
  const segments = makeVisible(localPath).split('/').map(encodeURIComponent);
  return segments.join('/');
}
