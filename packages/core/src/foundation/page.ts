import { checkDate, checkText, pageLimit } from './store-input.js';

/** Which part of a list to read. Every list of a store gives its newest rows first. */
export interface Page {
  /**
   * Id of the last row of the page before; the rows behind it follow. The place stays where it is
   * while rows are added. Default: from the newest. An id that no row of the list can have is a
   * `TypeError`.
   */
  before?: string | undefined;
  /** Rows of a page, 1 to 1,000, default 100; `TypeError` beyond. */
  limit?: number | undefined;
}

/** Rows of a span of time by the store's clock. */
export interface TimeSpan {
  /** Rows of this instant or later. */
  since?: Date | undefined;
  /** Rows before this instant. */
  until?: Date | undefined;
}

/** What every list checks before it reads, and the size of its page. Throws `TypeError` naming the option. */
export function checkPage({ before, limit, since, until }: Page & TimeSpan): number {
  if (before !== undefined) checkText('filter.before', before);
  if (since !== undefined) checkDate('filter.since', since);
  if (until !== undefined) checkDate('filter.until', until);
  return pageLimit(limit);
}

/** The `TypeError` for a `before` that names no row of the list. */
export function unknownPlace(): TypeError {
  return new TypeError('filter.before: expected the id of a row of this list');
}
