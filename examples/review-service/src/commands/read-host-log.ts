// The log of a host, one JSON object a line, as entries to compare with the trail.
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import type { PrimaryAuditEntry } from '@criticizer/core/audit';
import { UsageError } from '../config/usage-error.js';

function toEntry(line: string, place: string): PrimaryAuditEntry {
  try {
    const { occurredAt, ...entry } = JSON.parse(line) as Record<string, unknown>;
    // What is no time, no action or no actor is counted by the comparison, which names it.
    return { ...entry, occurredAt: new Date(String(occurredAt)) } as PrimaryAuditEntry;
  } catch {
    throw new UsageError([`${place}: expected one JSON object a line`]);
  }
}

/**
 * Reads a file of JSON lines: each the fields of an audit entry, and `occurredAt` in ISO 8601. Empty lines are
 * skipped. Throws `UsageError` for a file that cannot be read and a line that is no JSON.
 */
export async function* readHostLog(
  file: string,
  accepts: (entry: PrimaryAuditEntry) => boolean,
): AsyncGenerator<PrimaryAuditEntry, void, undefined> {
  const input = createReadStream(file, 'utf8');
  let number = 0;
  try {
    for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
      number += 1;
      if (line.trim() === '') continue;
      const entry = toEntry(line, `FILE: line ${number}`);
      if (accepts(entry)) yield entry;
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw ['ENOENT', 'EACCES', 'EISDIR'].includes(code ?? '') ? new UsageError([`FILE ${file}: ${code}`]) : error;
  } finally {
    input.destroy();
  }
}
