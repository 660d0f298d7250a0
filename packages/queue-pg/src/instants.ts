/**
 * An instant as a row gives it: whole milliseconds since the epoch. A role or database may have any
 * `DateStyle`, `TimeZone` and `extra_float_digits`, and no session is told another (poolers), so
 * that no timestamp and no float crosses the wire as text. Drivers give an int8 as text.
 */
export type Instant = string | number;

/** SQL of an instant as `Instant`; cheaper to write and to read than a timestamp. */
export const epochMs = (instant: string): string => `(date_part('epoch', ${instant}) * 1000)::int8`;

/** What to select for the instants of a row under an alias, each under its own name. */
export const instantColumns = (alias: string, columns: readonly string[]): string =>
  columns.map((column) => `${epochMs(`${alias}.${column}`)} AS ${column}`).join(', ');

export function toMs(instant: Instant): number {
  return Number(instant);
}

export function toDate(instant: Instant): Date {
  return new Date(Number(instant));
}

export function toDateOrNull(instant: Instant | null): Date | null {
  return instant === null ? null : toDate(instant);
}
