import { checkPage, rowIdRange, unknownPlace } from '@criticizer/core/internal';
import type { Page, TimeSpan } from '@criticizer/core/ports';
import type { SqliteValue } from './sqlite-database.js';
import type { SqliteSession } from './sqlite-session.js';

/**
 * One condition of a list: SQL in which each `?` stands for the value, or SQL alone. Where the value
 * is undefined there is no condition.
 */
export type Condition = readonly [sql: string] | readonly [sql: string, value: SqliteValue | undefined];

interface ListSql {
  /** All of the statement before WHERE. */
  select: string;
  orderBy: string;
}

/** The WHERE of the conditions that have a value, or nothing, and its values. */
export function whereOf(conditions: readonly Condition[]): { where: string; values: SqliteValue[] } {
  const texts: string[] = [];
  const values: SqliteValue[] = [];
  for (const [sql, ...given] of conditions) {
    const [value] = given;
    if (given.length > 0 && value === undefined) continue;
    texts.push(sql);
    if (value === undefined) continue;
    // Not by number, as in the twin: not every driver binds numbered parameters by place.
    for (let n = sql.split('?').length; n > 1; n--) values.push(value);
  }
  return { where: texts.length === 0 ? '' : ` WHERE ${texts.join(' AND ')}`, values };
}

/**
 * A page of rows. Only the filters that were given stand in the statement: each combination has a
 * text, and so a plan, of its own, and an index can serve it.
 */
function listRows<Row>(
  session: SqliteSession,
  { select, orderBy }: ListSql,
  conditions: readonly Condition[],
  size: number,
): Row[] {
  const { where, values } = whereOf(conditions);
  return session.all<Row>(`${select}${where} ORDER BY ${orderBy} LIMIT ? + 0`, ...values, size);
}

/** A page of rows that the store named itself: the column `id` carries order, place and time. */
export function listByRowId<Row>(
  session: SqliteSession,
  select: string,
  filter: Page & TimeSpan,
  conditions: readonly Condition[],
): Row[] {
  const { size, from, below } = rowIdRange(filter);
  const range: Condition[] = [
    ['id < ?', below],
    ['id >= ?', from],
  ];
  return listRows<Row>(session, { select, orderBy: 'id DESC' }, [...range, ...conditions], size);
}

/** A page of rows that somebody else named. They stay, so the row of `before` is looked up. */
export function listByPlace<Row>(
  session: SqliteSession,
  list: ListSql & {
    /** Finds the row of `before`. */
    find: string;
    /** True of the rows behind that row. */
    behind: string;
    /** The instant that `since` and `until` compare. */
    at: string;
  },
  filter: Page & TimeSpan,
  conditions: readonly Condition[],
): Row[] {
  const size = checkPage(filter);
  const { before, since, until } = filter;
  if (before !== undefined && session.first(list.find, before) === undefined) throw unknownPlace();
  const range: Condition[] = [
    [list.behind, before],
    [`${list.at} >= ?`, since?.getTime()],
    [`${list.at} < ?`, until?.getTime()],
  ];
  return listRows<Row>(session, list, [...range, ...conditions], size);
}
