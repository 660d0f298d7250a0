// Changes whose meaning shows only in a file that they leave alone, written as text.
import { readdirSync, readFileSync } from 'node:fs';
import type { Change, ChangedFile, Hunk } from '../../src/changes/change.js';
import { contextSample } from '../../src/testing/support/context-sample.js';

/** One change, the tree round it, and what a reviewer must see of that tree. */
export interface EvidenceCase {
  title: string;
  change: Change;
  /** Files that the change leaves alone, by depot path. */
  files: ReadonlyMap<string, string>;
  evidence: readonly { path: string; text: string }[];
}

const stream = '//depot/main/';
const folder = new URL('./cases/', import.meta.url);
/** Unchanged lines on each side of a hunk. */
const around = 3;
/** Placeholder of lines that keep what is above it from being shown with what is below. */
const gap = '\n'.repeat(20);

/** Cuts a whole file, written as a diff, into hunks. */
function cutHunks(lines: readonly string[]): readonly Hunk[] {
  const changed = lines.flatMap((line, at) => (line.startsWith(' ') ? [] : [at]));
  const ranges: { first: number; last: number }[] = [];
  for (const at of changed) {
    const open = ranges.at(-1);
    if (open !== undefined && at - around <= open.last + 1) open.last = Math.min(lines.length - 1, at + around);
    else ranges.push({ first: Math.max(0, at - around), last: Math.min(lines.length - 1, at + around) });
  }
  const count = (some: readonly string[], mark: string): number => some.filter((line) => !line.startsWith(mark)).length;
  return ranges.map(({ first, last }) => {
    const [before, own] = [lines.slice(0, first), lines.slice(first, last + 1)];
    return {
      ...{ oldStart: count(before, '+') + 1, oldLines: count(own, '+') },
      ...{ newStart: count(before, '-') + 1, newLines: count(own, '-'), lines: own },
    };
  });
}

function toChangedFile(path: string, oldPath: string | null, lines: readonly string[]): ChangedFile {
  const newLines = lines.flatMap((line) => (line.startsWith('-') ? [] : [line.slice(1)]));
  const [sample] = contextSample.change.files;
  if (sample === undefined) throw new Error('the sample has no file');
  return {
    ...sample,
    ...{ path: stream + path, oldPath, action: oldPath === null ? 'edit' : 'move', hunks: cutHunks(lines) },
    newText: `${newLines.join('\n')}\n`,
  };
}

function readCase(text: string): EvidenceCase {
  const [title = '', ...sections] = text.split(/^@@ (?=change |move |file |see )/m);
  const files = new Map<string, string>();
  const changed: ChangedFile[] = [];
  const evidence: { path: string; text: string }[] = [];
  for (const section of sections) {
    const [head = '', ...lines] = section.trimEnd().split('\n');
    const [, kind, path = '', rest = ''] = /^(\w+) ([^\s:]+)(?:: | -> )?(.*)$/.exec(head) ?? [];
    if (kind === 'file') files.set(stream + path, `${lines.join('\n').replaceAll(/^~~~$/gm, gap)}\n`);
    else if (kind === 'see') evidence.push({ path: stream + path, text: rest });
    else if (kind === 'move') changed.push(toChangedFile(rest, stream + path, lines));
    else
      changed.push(
        toChangedFile(
          path,
          null,
          lines.map((line) => (line === '' ? ' ' : line)),
        ),
      );
  }
  for (const { path, text: line } of evidence)
    if (files.get(path)?.includes(line) !== true) throw new Error(`${title.trim()}: ${path} has no line ${line}`);
  return { title: title.trim(), change: { ...contextSample.change, files: changed }, files, evidence };
}

/** Every case of the folder `cases`, in the order of its files. Throws for evidence that no file holds. */
export function readCases(): readonly EvidenceCase[] {
  return readdirSync(folder)
    .sort()
    .flatMap((name) =>
      readFileSync(new URL(name, folder), 'utf8')
        .split(/^@@ case /m)
        .slice(1),
    )
    .map(readCase);
}
