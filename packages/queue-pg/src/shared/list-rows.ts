import { checkPage, rowIdRange, unknownPlace } from '@criticizer/core/internal';
import type { Page, TimeSpan } from '@criticizer/core/ports';
import type { PgGate } from './pg-gate.js';
import { asUuid } from './pg-session.js';

/**
 * One condition of a list: SQL in which each `?` stands for the value, or SQL alone. Where the value
 * is undefined there is no condition.
 */
export type Condition = readonly [sql: string] | readonly [sql: string, value: unknown];

interface ListSql {
  /** All of the statement before WHERE. */
  select: string;
  orderBy: string;
}

/** The WHERE of the conditions that have a value, or nothing, and its values, `$1` first. */
export function whereOf(conditions: readonly Condition[]): { where: string; values: unknown[] } {
  const texts: string[] = [];
  const values: unknown[] = [];
  for (const [sql, ...value] of conditions) {
    if (value.length > 0 && value[0] === undefined) continue;
    values.push(...value);
    texts.push(sql.replaceAll('?', `$${values.length}`));
  }
  return { where: texts.length === 0 ? '' : ` WHERE ${texts.join(' AND ')}`, values };
}

/**
 * A page of rows. Only the filters that were given stand in the statement: each combination has a
 * text, and so a plan, of its own, and an index can serve it.
 */
async function listRows<Row>(
  gate: PgGate,
  { select, orderBy }: ListSql,
  conditions: readonly Condition[],
  size: number,
): Promise<Row[]> {
  const { where, values } = whereOf(conditions);
  const text = `${select}${where} ORDER BY ${orderBy} LIMIT $${values.length + 1}`;
  return gate.single(undefined, (session) => session.all<Row>(text, ...values, size));
}

/** A page of rows that the store named itself: `id`, a uuid column, carries order, place and time. */
export async function listByRowId<Row>(
  gate: PgGate,
  list: { select: string; id: string },
  filter: Page & TimeSpan,
  conditions: readonly Condition[],
): Promise<Row[]> {
  const { size, from, below } = rowIdRange(filter);
  const range: Condition[] = [
    [`${list.id} < ?::uuid`, below],
    [`${list.id} >= ?::uuid`, from],
  ];
  return listRows<Row>(gate, { select: list.select, orderBy: `${list.id} DESC` }, [...range, ...conditions], size);
}

/** A page of rows that somebody else named. They stay, so the row of `before` is looked up. */
export async function listByPlace<Row>(
  gate: PgGate,
  list: ListSql & {
    /** Finds the row of `before`, `$1`. */
    find: string;
    /** True of the rows behind that row. */
    behind: string;
    /** The instant that `since` and `until` compare. */
    at: string;
  },
  filter: Page & TimeSpan,
  conditions: readonly Condition[],
): Promise<Row[]> {
  const size = checkPage(filter);
  const { before, since, until } = filter;
  const found = before === undefined || (await gate.single(undefined, (session) => session.first(list.find, before)));
  if (found === undefined) throw unknownPlace();
  const range: Condition[] = [
    [list.behind, before],
    [`${list.at} >= ?::timestamptz`, since?.toISOString()],
    [`${list.at} < ?::timestamptz`, until?.toISOString()],
  ];
  return listRows<Row>(gate, list, [...range, ...conditions], size);
}

/** As `asUuid`, where there is an id. */
export function asUuidOrNone(id: string | undefined): string | undefined {
  return id === undefined ? undefined : asUuid(id);
}
