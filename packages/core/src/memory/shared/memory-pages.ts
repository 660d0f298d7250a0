import { checkPage, type Page, type TimeSpan, unknownPlace } from '../../foundation/page.js';
import { rowIdRange } from '../../stores/rows/row-ids.js';
import { leastOf } from '../jobs/memory-job-rows.js';

/** A page of rows that the store named itself, copied: newest first by id. */
export function pageOfRows<Row extends { id: string }>(
  rows: readonly Row[],
  filter: Page & TimeSpan,
  isWanted: (row: Row) => boolean,
): Row[] {
  const { size, from, below } = rowIdRange(filter);
  const found = rows.filter(
    (row) => (from === undefined || row.id >= from) && (below === undefined || row.id < below) && isWanted(row),
  );
  return structuredClone(leastOf(found, size, (a, b) => (a.id < b.id ? 1 : a.id > b.id ? -1 : 0)));
}

/**
 * A page of rows that somebody else named, copied. `newestFirst` are all rows in their order: the row
 * that `filter.before` names may have ceased to match the filter since its page was read.
 */
export function pageOfList<Row extends { id: string }>(
  newestFirst: readonly Row[],
  filter: Page & TimeSpan,
  timeOf: (row: Row) => Date,
  isWanted: (row: Row) => boolean,
): Row[] {
  const size = checkPage(filter);
  const { before, since, until } = filter;
  const place = before === undefined ? -1 : newestFirst.findIndex(({ id }) => id === before);
  if (before !== undefined && place < 0) throw unknownPlace();
  const found = newestFirst
    .slice(place + 1)
    .filter(
      (row) =>
        (since === undefined || timeOf(row) >= since) && (until === undefined || timeOf(row) < until) && isWanted(row),
    );
  return structuredClone(found.slice(0, size));
}
