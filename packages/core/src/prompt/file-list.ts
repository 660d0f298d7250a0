import type { RedactedChange, RedactedFile } from '../changes/redacted-change.js';
import { makeVisibleLine } from '../foundation/visible-text.js';
import { rankOf } from './chunks/path-rank.js';

/** A path's folder, with its last slash, and its name. */
function splitPath(path: string): { folder: string; name: string } {
  const shown = makeVisibleLine(path);
  const at = shown.lastIndexOf('/') + 1;
  return { folder: shown.slice(0, at), name: shown.slice(at) };
}

/** What was done to a file, and why the change shows none of its text. */
function describeFile(file: RedactedFile): string {
  const { action, addedLines, removedLines, oldPath, displayPath, skipped } = file;
  const hasCounts = addedLines + removedLines > 0 || skipped === null;
  return [
    action,
    ...(hasCounts ? [`+${addedLines} -${removedLines}`] : []),
    ...(oldPath === null ? [] : [`from ${makeVisibleLine(oldPath)}`]),
    ...(displayPath === null ? [] : [`stands for ${makeVisibleLine(displayPath)}`]),
    ...(skipped === null || (skipped === 'deleted' && action === 'delete') ? [] : [`no text: ${skipped}`]),
  ].join(', ');
}

/** A folder begins its line with what a depot path begins with; a file's row is indented, whatever its name. */
function renderFolder(folder: string): string {
  return folder === '' ? '' : `${folder}\n`;
}

function renderRow(file: RedactedFile, name: string): string {
  return `  ${name}: ${describeFile(file)}\n`;
}

/** The list of the whole change: by folder, each file with what was done to it. */
export function renderFileList(change: RedactedChange, listed: readonly number[]): string {
  const folders = new Map<string, string[]>();
  for (const at of listed) {
    const file = change.files[at];
    if (file === undefined) throw new TypeError('renderFileList: listed: expected files of this change');
    const { folder, name } = splitPath(file.path);
    folders.set(folder, [...(folders.get(folder) ?? []), renderRow(file, name)]);
  }
  return [...folders].map(([folder, rows]) => renderFolder(folder) + rows.join('')).join('');
}

/** The settings keep such a file from the model, its name as well as its text. */
function isKeptFromModel(file: RedactedFile | undefined): boolean {
  return file?.skipped === 'filtered' || file?.skipped === 'unscanned';
}

/**
 * The files that the list names, ascending: those of `named` (default all) but for what the settings
 * keep from the model, source first, as far as `maxBytes` go.
 */
export function chooseListed(
  change: RedactedChange,
  { named, maxBytes }: { named?: ReadonlySet<number> | undefined; maxBytes: number },
): readonly number[] {
  const candidates = [...change.files.keys()].filter(
    (at) => named?.has(at) !== false && !isKeptFromModel(change.files[at]),
  );
  const ranks = change.files.map((file) => rankOf(file.displayPath ?? file.path));
  candidates.sort((a, b) => (ranks[a] ?? 0) - (ranks[b] ?? 0) || a - b);
  const folders = new Set<string>();
  const chosen: number[] = [];
  let free = maxBytes;
  for (const at of candidates) {
    const file = change.files[at];
    if (file === undefined) continue;
    const { folder, name } = splitPath(file.path);
    const heading = folders.has(folder) ? 0 : Buffer.byteLength(renderFolder(folder));
    const bytes = heading + Buffer.byteLength(renderRow(file, name));
    if (bytes > free) continue;
    free -= bytes;
    folders.add(folder);
    chosen.push(at);
  }
  return chosen.sort((a, b) => a - b);
}
