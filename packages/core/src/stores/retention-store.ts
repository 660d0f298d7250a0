import { checkMs, checkOneOf, checkText } from '../foundation/store-input.js';

/**
 * What has an age of its own (OPS-4). `jobs`: ended ones, with their mails and closed letters.
 * `mails`: ended rows whose job is gone or never was. `dead_letters`: closed ones.
 * `egress_log`, `samples`, `cursors`: all rows. `documents`: those whose name begins with `prefix`.
 * `artifact_rows`: manifest rows whose bytes are proven gone. `suppressions`: expired and withdrawn ones.
 */
export const retainedTables = [
  'jobs',
  'mails',
  'dead_letters',
  'egress_log',
  'samples',
  'documents',
  'cursors',
  'artifact_rows',
  'suppressions',
] as const;

/** The name of something that has an age. */
export type RetainedTable = (typeof retainedTables)[number];

/** What is past its age. */
export interface RetentionRequest {
  /** By the store's clock, in milliseconds. */
  olderThanMs: number;
  /** Of `documents` alone, which need it: only names that begin so. */
  prefix?: string | undefined;
}

/**
 * Removes what is past its age, page by page (OPS-4, ruling R18). Nothing of a change under a legal
 * hold is ever past its age (ruling R24). Audit events are not here: only their own verb removes them.
 */
export interface RetentionStore {
  readonly storeId: string;
  /** Deletes at most `limit` rows, oldest first where there is an order; gives the count. */
  prune(table: RetainedTable, request: RetentionRequest & { limit: number }): Promise<number>;
  /** Rows past their age that are still there, 10,000 at most: after a sweep it must be 0. */
  countExpired(table: RetainedTable, request: RetentionRequest): Promise<number>;
}

/** The most that `countExpired` tells. */
export const mostExpired = 10_000;

/** Bad input to `RetentionStore`, for every store. Throws `TypeError` naming the argument. */
export function checkRetention(table: RetainedTable, { olderThanMs, prefix }: RetentionRequest): void {
  checkOneOf('table', table, retainedTables);
  checkMs('request.olderThanMs', olderThanMs);
  if (table === 'documents') checkText('request.prefix', prefix, 128);
  else if (prefix !== undefined) throw new TypeError('request.prefix: expected of documents alone');
}
