/**
 * An instant as a row gives it: whole milliseconds since the epoch, as a number or, where a driver
 * gives an int8 so, as text.
 */
export type Instant = string | number;

/** A truth value as a row gives it: SQLite has none of its own. */
export type Truth = boolean | 0 | 1;

/** Milliseconds since 1970, as either database gives an instant. */
export function toMs(instant: Instant): number {
  return Number(instant);
}

/** A `Date`, from an instant as either database gives it. */
export function toDate(instant: Instant): Date {
  return new Date(Number(instant));
}

/** Null stays null. */
export function toDateOrNull(instant: Instant | null): Date | null {
  return instant === null ? null : toDate(instant);
}

/** A truth value, as either database gives it. */
export function isTrue(value: Truth): boolean {
  return value === true || value === 1;
}

/** JSON text of a row that a store wrote; null stays null. */
export function parsed<T>(text: string | null): T | null {
  return text === null ? null : (JSON.parse(text) as T);
}

/** A map of a row as JSON text. Most maps of most rows are empty. */
export function parsedMap<T>(text: string): Record<string, T> {
  return text === '{}' ? {} : (JSON.parse(text) as Record<string, T>);
}

/** A span from the caller in whole milliseconds. */
export function wholeMs(ms: number): number {
  return Math.round(ms);
}
