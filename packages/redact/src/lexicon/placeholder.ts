/**
 * The literal that opens every placeholder, numbered or `[REDACTED]`; as a trigger it keeps the
 * engine out of its own marks.
 */
export const PLACEHOLDER_HEAD = '[REDACTED';

/** The mark that takes a secret's place: `n` counts a session's secrets of one rule from 1. */
export function placeholderFor(rule: string, n: number): string {
  return `${PLACEHOLDER_HEAD}:${rule}:${n}]`;
}

const SHAPE = /\[REDACTED(?::[a-z0-9-]{1,48}:[0-9]{1,9})?\]/y;

/** End of the placeholder, numbered or not, that starts at `at`, or -1 when none does. */
export function placeholderEnd(text: string, at: number): number {
  SHAPE.lastIndex = at;
  return SHAPE.test(text) ? SHAPE.lastIndex : -1;
}

const EVERY = /\[REDACTED(?::[a-z0-9-]{1,48}:[0-9]{1,9})?\]/g;

/** The text without its placeholders. */
export function withoutPlaceholders(text: string): string {
  return text.includes(PLACEHOLDER_HEAD) ? text.replace(EVERY, '') : text;
}
