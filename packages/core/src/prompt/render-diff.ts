import type { Hunk } from '../changes/change.js';
import type { RedactedFile } from '../changes/redacted-change.js';
import { makeVisible, makeVisibleLine } from '../foundation/visible-text.js';
import { clip } from './prompt-blocks.js';

/** Width of the line number column; longer numbers push the text right. */
const NUMBER_WIDTH = 6;

/** A line as the prompt shows it: hidden characters written out, the carriage return of a Windows line left out. */
function shownText(marked: string): string {
  return makeVisible(marked.endsWith('\r') ? marked.slice(0, -1) : marked).replaceAll('\n', '<U+000A>');
}

/** Longest heading shown, in bytes. */
const MAX_HEADING_BYTES = 160;

/** The heading of a section as a hunk's header shows it. */
export function shownHeading(heading: string): string {
  return clip(makeVisibleLine(heading).trim(), MAX_HEADING_BYTES);
}

function numbered(line: number | '', marked: string): string {
  return `${String(line).padStart(NUMBER_WIDTH)} ${marked}`;
}

/** How a hunk is named above its lines. */
export interface HunkHeader {
  /** From 0. */
  position: number;
  /** Hunks of the file. */
  total: number;
  /** Of the section that the hunk is in. Left out: none is shown. */
  heading?: string | undefined;
}

/**
 * One hunk: a header, then its lines. Lines of the new side carry their number, lines of the old
 * side none: a finding can cite no line that is not there. Every content line begins with the
 * number column, so none can look like a header.
 */
export function renderHunk(hunk: Hunk, { position, total, heading }: HunkHeader): string {
  const lines = `new lines ${hunk.newStart}-${hunk.newStart + Math.max(0, hunk.newLines - 1)}`;
  const within = heading === undefined ? '' : `, in ${shownHeading(heading)}`;
  const out = [`@@ hunk ${position + 1} of ${total}, ${lines}${within} @@`];
  let line = hunk.newStart;
  for (const marked of hunk.lines) {
    const isOld = marked.startsWith('-') || marked.startsWith('\\');
    out.push(numbered(isOld ? '' : line, shownText(marked)));
    if (!isOld) line += 1;
  }
  if (hunk.newNoNewline === true) out.push(numbered('', '(no newline at the end of the file)'));
  return `${out.join('\n')}\n`;
}

/** Longest header of context lines, with its line feed. */
export const MAX_CONTEXT_HEADER_BYTES = 60;

function contextLine(text: string, line: number): string {
  return numbered(line, `|${shownText(text)}`);
}

/** Bytes of one line of context, with its line feed. */
export function contextLineBytes(text: string, line: number): number {
  return Buffer.byteLength(contextLine(text, line)) + 1;
}

/** Lines that are no part of what is reviewed, numbered as lines of their file, each behind a bar. */
export function renderContextLines(lines: readonly string[], startLine: number, what: string): string {
  const header = `@@ context, ${what} ${startLine}-${startLine + lines.length - 1} @@`;
  const rows = lines.map((text, at) => contextLine(text, startLine + at));
  return `${[header, ...rows].join('\n')}\n`;
}

/** What stands above a file's hunks. Paths are as untrusted as code. */
export function renderFileHead(file: RedactedFile): string {
  const lines = [`file: ${makeVisibleLine(file.path)}`];
  if (file.displayPath !== null) lines.push(`stands for: ${makeVisibleLine(file.displayPath)}`);
  if (file.oldPath !== null) lines.push(`came from: ${makeVisibleLine(file.oldPath)}`);
  if (file.displayOldPath !== null) lines.push(`which stands for: ${makeVisibleLine(file.displayOldPath)}`);
  lines.push(`action: ${file.action}; type: ${makeVisibleLine(file.fileType)}`);
  return `${lines.join('\n')}\n`;
}
