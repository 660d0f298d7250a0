import { type ContextReader, silentLogger, systemClock } from '@criticizer/core/ports';
import { createP4Client } from '../client/p4-client.js';
import { parseEncodingLabel } from '../fetch/decode-text.js';
import { checkFetcherOptions, type P4ChangeFetcherOptions } from '../fetch/fetcher-options.js';
import { createServerInfo } from '../policy/server-info.js';
import { P4ContextSession } from './context-session.js';

/**
 * The context reader over the `p4` command line client (GRD-4). Takes the options of the change
 * fetcher, those about a change's own files without effect, so that both read by one allow-list. A
 * submitted change is read as of its number, a shelf as of the newest change when it was shelved.
 * Reads by `fstat` and `print`, finds by `files`, searches by `grep -F`, one command a word; where
 * the server refuses `grep`, it searches what it reads, and a warning says so once. Throws a
 * TypeError for every wrong option.
 */
export function createP4ContextReader(options: P4ChangeFetcherOptions): ContextReader {
  checkFetcherOptions(options, 'createP4ContextReader');
  const client = createP4Client(options);
  const { legacyEncoding, securityEvents, logger = silentLogger, clock = systemClock, allowList, serverId } = options;
  const serverInfo = createServerInfo(client, clock);
  let isRefusalLogged = false;
  const parts = {
    client,
    allowList,
    legacyEncoding: legacyEncoding === undefined ? undefined : parseEncodingLabel(legacyEncoding),
    securityEvents,
    logger,
    readAllowList: async (signal: AbortSignal) => allowList.forServer((await serverInfo.read(signal)).caseHandling),
    onSearchRefused(errorCode: string): void {
      if (isRefusalLogged) return;
      isRefusalLogged = true;
      logger.warn(
        { event: 'p4.grep_refused', serverId, errorCode },
        'the Perforce server refuses p4 grep; users of what a change touches are looked for in files that are read',
      );
    },
  };
  return { contract: 1, serverId, open: (change, request) => new P4ContextSession(parts, change, request) };
}
