import { visibleText } from '../rendering/visible-text.js';

/** What Markdown of the server takes as its own, and a backslash keeps as it is. */
const markdown = /[\\`*_{}[\]()>#+\-.!|~]/g;
/** Breaks a word for the server and not for the reader. */
const breaker = '\u200B';
/** What the server makes a link of: a job, or the number behind one of its words. */
const reference = /\b(jobs?|changes?|changelists?|reviews?)([ \t]*)(?=\d)/giu;

/** Whom and what is acted on by name: people, groups, jobs, changes, and a comment of ours. */
function breakNames(text: string): string {
  return text
    .replaceAll('@', `@${breaker}`)
    .replaceAll('[crz:', `[crz${breaker}:`)
    .replaceAll(reference, `$1$2${breaker}`);
}

/**
 * Text of a model or a change as P4 Code Review shows it and does nothing with: no mention, which would add
 * reviewers though the comment is silent and though it is in code; no link, picture, heading or code; no
 * reference that a comment is looked up by.
 * Characters that hide or reorder text are shown by their numbers.
 */
export function makeInert(text: string): string {
  return visibleText(text)
    .split('\n')
    .map((line) =>
      breakNames(line)
        .trim() // four spaces would begin a block of code, in which a backslash is shown
        // No backslash keeps these: a link of any scheme, a tag, a sign by its name or number.
        .replaceAll('<', `<${breaker}`)
        .replaceAll(/&(?=[#\p{L}])/gu, `&${breaker}`)
        .replaceAll(markdown, '\\$&')
        .replaceAll(/(https?|ftp|mailto|file|ssh|p4):/giu, `$1${breaker}:`)
        // Under a line of text these would make a heading of it.
        .replace(/^=/, `${breaker}=`),
    )
    .join('\n');
}

/**
 * The same as a block of code, indentation kept. Code does not protect from mentions; a fence longer than
 * any in the text keeps it whole.
 */
export function makeInertCode(text: string): string {
  const code = breakNames(visibleText(text));
  const longest = Math.max(2, ...[...code.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}\n${code.replace(/\n+$/, '')}\n${fence}`;
}
