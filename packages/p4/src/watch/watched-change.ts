import { type DescribedChange, type DescribedFile, parseDescribe } from '../client/describe.js';
import { fieldNumber, fieldText, type P4Fields } from '../client/p4-output.js';
import type { ContentDigest } from '../fetch/content-digest.js';

/** A change as its watcher needs it. */
export interface WatchedChange {
  number: number;
  status: 'submitted' | 'pending';
  /** Empty where it cannot be read. */
  user: string;
  /** By the server; null where it cannot be read. */
  changedAt: Date | null;
  /** Untrusted. Empty where it cannot be read. */
  description: string;
  /** The number it had before it was submitted, where submitting gave it another. */
  renumberedFrom: number | null;
  /** Shelved or submitted ones; empty where none may be listed. */
  files: readonly Pick<DescribedFile, 'path' | 'unaskable'>[];
  /** Of the files, how many have a path that no rule can judge. */
  malformed: number;
  /**
   * Over actions, types, contents and the revisions they are based on: a shelf, the same shelf made
   * anew and the change it is submitted as have one digest. Null where nobody asked for it, or the
   * description cannot be read: fetching it will say why.
   */
  digest: string | null;
}

/** Reads a record of `describe`. Null for a record that names no change. */
export function parseWatchedChange(fields: P4Fields, contentDigest: ContentDigest | null): WatchedChange | null {
  const number = fieldNumber(fields, 'change');
  if (number === null || number < 1) return null;
  const status = fieldText(fields, 'status') === 'pending' ? 'pending' : 'submitted';
  try {
    const change = parseDescribe(fields, number);
    return {
      number,
      status,
      user: change.user,
      changedAt: change.changedAt,
      description: change.description,
      renumberedFrom: change.originalNumber,
      files: change.files.map(({ path, unaskable }) => ({ path, unaskable })),
      malformed: change.malformed.length,
      digest: digestOf(change, contentDigest),
    };
  } catch {
    return unreadableChange(number, status);
  }
}

/** A change of which nothing but its number can be read. */
export function unreadableChange(number: number, status: WatchedChange['status']): WatchedChange {
  const nothing = { description: '', renumberedFrom: null, files: [], malformed: 0, digest: null };
  return { number, status, user: '', changedAt: null, ...nothing };
}

function digestOf(change: DescribedChange, contentDigest: ContentDigest | null): string | null {
  // Where the server tells no digest, only its date tells two contents of one size apart: rather one review too many.
  return contentDigest === null
    ? null
    : contentDigest(change, (file) => (file.bytes === null ? null : `${file.bytes}@${change.changedAt.getTime()}`));
}
