import { newestSubmitted, shelvedChanges } from '../client/list-changes.js';
import { createPageSize, listWithinLimit } from '../client/server-limits.js';
import { buildCursorName, readShelvedCursor, type ShelvedCursor, shortDigest } from './watch-cursor.js';
import { createLimitWarning, type WatchParts } from './watch-submitted.js';

/**
 * One poll for shelves: all of them are described and those whose content differs from what the
 * cursor remembers are submitted. At the very first poll older ones are only remembered.
 */
export function createShelfWatch<Tx>(parts: WatchParts<Tx>): (signal: AbortSignal) => Promise<void> {
  const { client, intake, cursors, serverId, settings } = parts;
  const pageSize = createPageSize(settings.maxShelves);
  const warnOfLimit = createLimitWarning(parts);
  const name = buildCursorName(serverId, 'shelved');

  return async (signal) => {
    const text = await cursors.get(name);
    const known: ShelvedCursor = text === null ? { shelves: {} } : readShelvedCursor(name, text);
    const begin =
      text !== null ? 0 : settings.startAt === 'head' ? (await newestSubmitted(client, signal)) + 1 : settings.startAt;
    const numbers = await listWithinLimit(pageSize, (max) => shelvedChanges(client, max, signal), warnOfLimit);
    const shelves: Record<string, string> = {};
    for (const change of await intake.describe(numbers, { shelved: true, signal })) {
      if (change.status !== 'pending') continue; // submitted since it was listed
      // With the policy's word: a tag that is added later brings in the same content.
      const digest = `${shortDigest(change.digest)}${intake.decide(change) === null ? '' : '-'}`;
      const isKnown = known.shelves[change.number] === digest || change.number < begin;
      if (isKnown || (await intake.submit(change, signal)).outcome !== 'out-of-scope') shelves[change.number] = digest;
    }
    const next = JSON.stringify({ shelves });
    // Where another process was faster its memory stands; what it does not know is a duplicate at the next poll.
    if (next !== text) await cursors.advance(name, text, next);
  };
}
