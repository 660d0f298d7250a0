import { makeVisible } from '../foundation/visible-text.js';

/** Breaks what a viewer would act on, and reads the same. */
const BREAK = '\u200b';

/**
 * Untrusted text for a viewer that may take it for Markdown or HTML: every hidden character is
 * written out, and mentions, links, images, tags and addresses are broken by a zero-width space, so
 * that nobody is notified and nothing is fetched or drawn. Idempotent in effect.
 */
export function makeInert(text: string): string {
  return makeVisible(text)
    .replace(/@(?=[\p{L}\p{N}_])/gu, `@${BREAK}`)
    .replace(/\](?=[([:])/g, `]${BREAK}`)
    .replace(/<(?=[a-z!/?])/gi, `<${BREAK}`)
    .replace(/:(?=\/\/)/g, `:${BREAK}`)
    .replace(/\b(www)\./gi, `$1${BREAK}.`);
}

/** Every character that Markdown gives a meaning, at any place of a line. */
const MARKDOWN = /[\\`*_{}[\]()#+\-.!|<>~&$=:"'^]/g;

/** Untrusted text that Markdown shows letter for letter, on one line. */
export function escapeMarkdownLine(text: string): string {
  const line = makeInert(text).replace(/\s+/gu, ' ').trim();
  return line.replace(MARKDOWN, '\\$&');
}

/** The same over several lines, each a line of its own; blank lines part paragraphs. */
export function escapeMarkdown(text: string): string {
  return text
    .split(/\r\n?|\n/)
    .map(escapeMarkdownLine)
    .join('  \n')
    .replace(/(?: {2}\n){2,}/g, '\n\n')
    .trim();
}

/** Code as a fenced block that no line of it can close. */
export function fenceCode(code: string): string {
  const longest = Math.max(0, ...Array.from(code.matchAll(/`+/g), ([run]) => run.length));
  const fence = '`'.repeat(Math.max(3, longest + 1));
  return `${fence}\n${makeVisible(code)}\n${fence}`;
}
