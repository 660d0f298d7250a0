import type { ReviewMailLabels } from './review-mail-input.js';
import { visibleLine } from './visible-text.js';

/** A file's path on one line, or what the labels call the change itself. */
export function nameFile(file: string | null, labels: ReviewMailLabels, maxChars: number): string {
  return file === null ? labels.changeItself : visibleLine(file, maxChars);
}

/** `//depot/a.ts, line 12`, or the file alone where there is no line. */
export function nameLine(file: string | null, line: number | null, labels: ReviewMailLabels): string {
  return `${nameFile(file, labels, 400)}${line === null ? '' : `, ${labels.line} ${line}`}`;
}
