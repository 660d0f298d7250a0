import type { ReviewMailFinding } from '@criticizer/core/ports';
import { inline } from './html-style.js';
import { escapeHtml, visibleText } from './visible-text.js';

type Excerpt = NonNullable<ReviewMailFinding['excerpt']>;

/** Code on one line: tabs as spaces, since a mail aligns none, and a line break is made visible. */
function showCode(text: string): string {
  return visibleText(text.replaceAll('\t', '    ').replaceAll('\n', '\u2424')).trimEnd();
}

function numberWidth(excerpt: Excerpt): number {
  return String(excerpt.at(-1)?.line ?? 0).length;
}

/** The code for a text part: `> 12  code` for cited lines, a space for the others. */
export function excerptText(excerpt: Excerpt): string {
  const width = numberWidth(excerpt);
  return excerpt
    .map(({ line, text, isCited }) =>
      `${isCited ? '>' : ' '} ${String(line).padStart(width)}  ${showCode(text)}`.trimEnd(),
    )
    .join('\n');
}

/** The same as HTML: monospaced, wrapped on a narrow screen, the cited lines in bold behind a mark. */
export function excerptHtml(excerpt: Excerpt): string {
  const lines = excerptText(excerpt)
    .split('\n')
    .map((line, at) => {
      const shown = escapeHtml(line);
      return excerpt[at]?.isCited === true ? `<b>${shown}</b>` : shown;
    });
  return `<div dir="ltr" class="x" style="${inline.box};margin-top:8px">${lines.join('\n')}</div>`;
}
