/** The uuid of a row made now, from the expression of its tail; see `createIdTails`. */
export function rowIdSql(tail: string): string {
  return `(lpad(to_hex((extract(epoch FROM {now}) * 1000)::bigint), 12, '0') || ${tail})::uuid`;
}
