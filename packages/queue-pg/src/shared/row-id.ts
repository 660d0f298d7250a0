/** What the uuid of a row made now begins with; its tail follows, see `createIdTails`. */
export const rowIdHeadSql = "lpad(to_hex((extract(epoch FROM {now}) * 1000)::bigint), 12, '0')";

/** The uuid of a row made now, from the expression of its tail. */
export function rowIdSql(tail: string): string {
  return `(${rowIdHeadSql} || ${tail})::uuid`;
}
