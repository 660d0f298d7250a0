import type { Hunk } from '../changes/change.js';
import type { RedactedFile } from '../changes/redacted-change.js';
import { makeVisible, makeVisibleLine } from '../foundation/visible-text.js';

/** Width of the line number column; longer numbers push the text right. */
const NUMBER_WIDTH = 6;

/** A line as the prompt shows it: hidden characters written out, the carriage return of a Windows line left out. */
function shownText(marked: string): string {
  return makeVisible(marked.endsWith('\r') ? marked.slice(0, -1) : marked).replaceAll('\n', '<U+000A>');
}

/**
 * One hunk: a header, then its lines. Lines of the new side carry their number, lines of the old
 * side none: a finding can cite no line that is not there. Every content line begins with the
 * number column, so none can look like a header.
 */
export function renderHunk(hunk: Hunk, position: number, total: number): string {
  const out = [
    `@@ hunk ${position + 1} of ${total}, new lines ${hunk.newStart}-${hunk.newStart + Math.max(0, hunk.newLines - 1)} @@`,
  ];
  let line = hunk.newStart;
  for (const marked of hunk.lines) {
    const isOld = marked.startsWith('-') || marked.startsWith('\\');
    out.push(`${(isOld ? '' : String(line)).padStart(NUMBER_WIDTH)} ${shownText(marked)}`);
    if (!isOld) line += 1;
  }
  if (hunk.newNoNewline === true) out.push(`${''.padStart(NUMBER_WIDTH)} (no newline at the end of the file)`);
  return `${out.join('\n')}\n`;
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
