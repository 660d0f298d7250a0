import { join } from 'node:path';
import { isCriticizerError, type Stores } from '@criticizer/core';
import type { SqliteTx } from '@criticizer/queue-sqlite';
import { UsageError } from './demo-arguments.js';

/** A torn file opens, and fails somewhere in the middle of the work. Throws `UsageError` where SQLite finds a page amiss. */
export async function checkQueue(stores: Stores<SqliteTx>, directory: string): Promise<void> {
  const found = await stores
    .transaction(async (tx) => JSON.stringify(tx.prepare('PRAGMA quick_check(1)').all()))
    .catch((error: unknown) => {
      if (isCriticizerError(error)) throw error;
      return error instanceof Error ? error.message : 'unreadable';
    });
  if (!/^\[\{"\w+":"ok"\}\]$/.test(found))
    throw new UsageError(
      `SQLITE_CORRUPT: ${join(directory, 'queue.sqlite')} is damaged. Start over with --fresh, or choose another folder with --state DIR.`,
    );
}
