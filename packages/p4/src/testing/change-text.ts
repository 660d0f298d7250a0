import type { StoredChange } from './model-store.js';

/** The description as this user sees it. */
export function shownDescription(change: StoredChange, user: string): string {
  return isHidden(change, user) ? '<description: restricted, no permission to view>\n' : `${change.description}\n`;
}

/** True where description and files are kept from this user. */
export function isHidden(change: StoredChange, user: string): boolean {
  return change.restricted === true && change.user !== user;
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
