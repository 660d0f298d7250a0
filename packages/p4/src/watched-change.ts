import { contentDigest } from './content-digest.js';
import { type DescribedChange, type DescribedFile, parseDescribe } from './describe.js';
import { fieldNumber, fieldText, type P4Fields } from './p4-output.js';

/** A change as its watcher needs it. */
export interface WatchedChange {
  number: number;
  status: 'submitted' | 'pending';
  /** The number it had before it was submitted, where submitting gave it another. */
  renumberedFrom: number | null;
  /** Of the files, shelved or submitted; empty where none may be listed. */
  paths: readonly string[];
  /**
   * SHA-256, hex, over actions, types, contents and the revisions they are based on: a shelf, the same shelf made anew and the change it is
   * submitted as have one digest. Null where the description cannot be read: fetching it will say why.
   */
  digest: string | null;
}

/** Reads a record of `describe`. Null for a record that names no change. */
export function parseWatchedChange(fields: P4Fields): WatchedChange | null {
  const number = fieldNumber(fields, 'change');
  if (number === null || number < 1) return null;
  const renumberedFrom = fieldNumber(fields, 'oldChange');
  const status = fieldText(fields, 'status') === 'pending' ? 'pending' : 'submitted';
  try {
    const change = parseDescribe(fields, number);
    const paths = change.files.map((file) => file.path);
    return { number, status, renumberedFrom: renumberedFrom === number ? null : renumberedFrom, paths, digest: digestOf(change) };
  } catch {
    return { number, status, renumberedFrom: null, paths: [], digest: null };
  }
}

const withoutBase: ReadonlySet<string> = new Set(['add', 'branch', 'import', 'move/add']);

/** A submitted file names its new revision, a shelved one the revision it starts from. */
function baseRevision(file: DescribedFile, status: DescribedChange['status']): number | null {
  if (withoutBase.has(file.action) || file.revision === null) return null;
  return status === 'submitted' ? file.revision - 1 : file.revision;
}

function digestOf(change: DescribedChange): string {
  const files = change.files.map((file) => ({ ...file, revision: baseRevision(file, change.status) }));
  // Where the server tells no digest, only its date tells two contents of one size apart: rather one review too many.
  return contentDigest(files, (file) => (file.bytes === null ? null : `${file.bytes}@${change.changedAt.getTime()}`));
}
