import { checkPage, type Page, type TimeSpan, unknownPlace } from '../../foundation/page.js';
import { createIdTails } from './id-tails.js';

const largestMs = 0xffff_ffff_ffff;

function headAt(ms: number): string {
  const time = Math.min(Math.max(0, Math.floor(ms)), largestMs)
    .toString(16)
    .padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}`;
}

/**
 * Makes UUIDs of version 7 of the store's milliseconds, whose order is the order of making.
 * `uuid` gives the random part; default: the system's.
 */
export function createRowIds(uuid?: () => string): (nowMs: number) => string {
  const idTail = createIdTails(uuid);
  return (nowMs) => {
    const tail = idTail();
    return `${headAt(nowMs)}-${tail.slice(0, 4)}-${tail.slice(4, 8)}-${tail.slice(8)}`;
  };
}

/** The least id that a row of this instant or later can have. */
export function firstRowIdAt(at: Date): string {
  return `${headAt(at.getTime())}-0000-0000-000000000000`;
}

const rowId = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/**
 * The ids of a page of rows that the store named itself: from `from` on, below `below`. As ids begin
 * with `created_at`, the primary key serves order, place and span of time; a place may be that of a
 * row which is gone. Throws `TypeError` naming the option.
 */
export function rowIdRange(filter: Page & TimeSpan): {
  size: number;
  from: string | undefined;
  below: string | undefined;
} {
  const size = checkPage(filter);
  const { since, until } = filter;
  const before = filter.before?.toLowerCase();
  if (before !== undefined && !rowId.test(before)) throw unknownPlace();
  const ends = [before, until === undefined ? undefined : firstRowIdAt(until)].filter((end) => end !== undefined);
  return { size, from: since === undefined ? undefined : firstRowIdAt(since), below: ends.sort()[0] };
}
