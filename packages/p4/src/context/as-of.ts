import type { Change, ChangeSummary } from '@criticizer/core/ports';
import type { P4Client } from '../client/p4-client.js';
import { fieldNumber } from '../client/p4-output.js';
import { readRecords } from '../client/read-records.js';
import { isOverRowLimit } from '../client/server-limits.js';

/** How many of the newest changes are looked at, in turn. */
const pages = [20, 500];

/**
 * The submitted change as of which the files beside a change are read: a submitted change itself; for
 * a shelf the newest one that was submitted when it was shelved, by the server's own times. Where
 * so many were submitted since that it is not among the newest 500, or the server lists none, the
 * number of the shelf, which is older than its content.
 */
export async function findAsOf(
  client: P4Client,
  change: ChangeSummary & Pick<Change, 'files'>,
  signal: AbortSignal,
): Promise<number> {
  if (change.kind === 'submitted') return change.number;
  const shelvedAtS = Math.floor(change.changedAt.getTime() / 1000);
  for (const max of pages) {
    const listed = await listNewest(client, max, signal);
    const before = listed.find(({ timeS }) => timeS <= shelvedAtS);
    if (before !== undefined) return before.number;
    if (listed.length < max) break;
  }
  return change.number;
}

async function listNewest(
  client: P4Client,
  max: number,
  signal: AbortSignal,
): Promise<readonly { number: number; timeS: number }[]> {
  const command = { name: 'changes', flags: ['-s', 'submitted', '-m', String(max)], operands: [] } as const;
  try {
    const records = await readRecords(client, command, { signal });
    const listed = records.flatMap((fields) => {
      const [number, timeS] = [fieldNumber(fields, 'change'), fieldNumber(fields, 'time')];
      return number === null || timeS === null ? [] : [{ number, timeS }];
    });
    return listed.sort((one, other) => other.number - one.number);
  } catch (error) {
    if (isOverRowLimit(error)) return [];
    throw error;
  }
}
