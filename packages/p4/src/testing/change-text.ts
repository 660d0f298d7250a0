import type { ModelStore, StoredChange } from './model-store.js';

/** Who reads a change, and whether as the shelf of a pending one (`-S`). */
export interface ChangeReader {
  store: Pick<ModelStore, 'access'>;
  user: string;
  shelf: boolean;
}

/** The description as this user sees it. */
export function visibleDescription(change: StoredChange, reader: ChangeReader): string {
  return isHidden(change, reader) ? '<description: restricted, no permission to view>\n' : `${change.description}\n`;
}

/**
 * True where description and files are kept from this user: of a restricted change by its owner
 * alone, or by whoever may list one of its files. Files that are only opened count for nobody.
 */
export function isHidden(change: StoredChange, { store, user, shelf }: ChangeReader): boolean {
  if (change.restricted !== true || change.user === user) return false;
  const isStored = change.status === 'submitted' || (shelf && change.shelved === true);
  return !(isStored && change.files.some(({ path }) => store.access(user, path) !== 'none'));
}

/** What the server says is the directory of the change. */
export function commonPath(change: StoredChange): string {
  return change.path ?? `${(change.files[0]?.path ?? '//depot/x').replace(/\/[^/]*$/, '')}/*`;
}

/** `2023/11/14`, UTC. */
export function dateText(time: number): string {
  return new Date(time * 1000).toISOString().slice(0, 10).replaceAll('-', '/');
}

/** `22:13:20`, UTC. */
export function timeText(time: number): string {
  return new Date(time * 1000).toISOString().slice(11, 19);
}
