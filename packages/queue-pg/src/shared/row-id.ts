/** What the uuid of a row made at an instant begins with; its tail follows, see `createIdTails`. */
const headSql = (instant: string): string => `lpad(to_hex((extract(epoch FROM ${instant}) * 1000)::bigint), 12, '0')`;

/** As of a row that is made now. */
export const rowIdHeadSql = headSql('{now}');

/** The uuid of a row from the expression of its tail and the instant of its `created_at`. */
export function rowIdSql(tail: string, createdAt = '{now}'): string {
  return `(${headSql(createdAt)} || ${tail})::uuid`;
}
