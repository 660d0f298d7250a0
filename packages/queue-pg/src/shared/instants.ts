/**
 * SQL of an instant as milliseconds since the epoch. A role or database may have any `DateStyle`,
 * `TimeZone` and `extra_float_digits`, and no session is told another (poolers), so that no
 * timestamp and no float crosses the wire as text; cheaper to write and to read than a timestamp.
 */
export const epochMs = (instant: string): string => `(date_part('epoch', ${instant}) * 1000)::int8`;

/** What to select for the instants of a row under an alias, each under its own name. */
export const instantColumns = (alias: string, columns: readonly string[]): string =>
  columns.map((column) => `${epochMs(`${alias}.${column}`)} AS ${column}`).join(', ');

/** A span in milliseconds from parameter `$n`, as an interval: durations cross the wire, instants do not. */
export function span(parameter: string): string {
  return `(${parameter} * interval '1 millisecond')`;
}
