import type { ChangeSummary } from '../../changes/change.js';
import { parseRecipient } from '../../outbox/recipient-key.js';
import { errorFacts } from '../../telemetry/error-facts.js';
import { type Logger, silentLogger } from '../../telemetry/logger.js';
import type { OwnersOptions } from './check-recipient-rules.js';
import { findOwners } from './find-owners.js';

/** The part of an address behind its @, as its key has it; null for what is no address. */
function readAddress(text: string): { key: string; domain: string } | null {
  try {
    const { recipientKey: key } = parseRecipient(text);
    return { key, domain: key.slice(key.lastIndexOf('@') + 1) };
  } catch {
    return null;
  }
}

/**
 * Finds the owners of paths whose addresses lie in the domains. Never rejects but with the signal's
 * reason: what cannot be read adds nobody. The log says so once, and again after a change that was
 * read whole. It has counts and codes, no path and no address.
 */
export function createOwnersFinder(
  options: OwnersOptions,
  logger: Logger = silentLogger,
): (wanted: { change: ChangeSummary; paths: readonly string[] }, signal: AbortSignal) => Promise<readonly string[]> {
  const { reader, domains, fileName = 'OWNERS' } = options;
  const readers = new Map([reader].flat().map((one) => [one.serverId, one]));
  const inside = new Set(domains.map((domain) => readAddress(`a@${domain}`)?.domain));
  let isReported = false;
  const report = (facts: object): void => {
    if (!isReported)
      logger.warn({ event: 'recipients.owners_unread', ...facts }, 'owners of changed files were left out of the mail');
    isReported = true;
  };

  return async ({ change, paths }, signal) => {
    const own = readers.get(change.serverId);
    if (own === undefined) return [];
    try {
      const { owners, unread } = await findOwners(own, { change, paths, fileName }, signal);
      const addresses = owners.map(readAddress);
      const kept = addresses.flatMap((one) => (one !== null && inside.has(one.domain) ? one.key : []));
      const outside = owners.length - kept.length;
      if (outside > 0 || Object.keys(unread).length > 0)
        report({ changelistId: change.changelistId, ...unread, outside });
      else isReported = false;
      return [...new Set(kept)];
    } catch (error) {
      signal.throwIfAborted();
      report({ changelistId: change.changelistId, ...errorFacts(error) });
      return [];
    }
  };
}
