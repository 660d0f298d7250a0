import type { StoredFile } from './model-store.js';

/** A revision as `files` and `print` tell it in tags. */
export function fileFields(file: StoredFile): (readonly [string, string | number])[] {
  return [
    ['depotFile', file.path],
    ['rev', file.rev],
    ['change', file.change.number],
    ['action', file.action],
    ['type', file.type],
    ['time', file.change.time],
  ];
}

/** The same as a line. */
export function fileLine({ path, rev, action, change, type }: StoredFile): string {
  return `${path}#${rev} - ${action} change ${change.number} (${type})`;
}
