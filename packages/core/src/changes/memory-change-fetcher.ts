import { CriticizerError } from '../foundation/errors.js';
import type { Change, ChangedFile, SkipReason } from './change.js';
import type { ChangeFetcher } from './change-fetcher.js';

/** Changes given by the host: for tests, and for reviews of changes that come from elsewhere. */
export function createMemoryChangeFetcher(options: {
  serverId: string;
  changes: ReadonlyMap<number, Change | { skipped: SkipReason; detail: string }>;
}): ChangeFetcher {
  const { serverId, changes } = options;
  return {
    contract: 1,
    serverId,
    async fetch(number, { limits, signal }) {
      signal.throwIfAborted();
      const found = changes.get(number);
      if (found === undefined)
        throw new CriticizerError('P4_CHANGE_NOT_FOUND', `There is no change ${number}.`, {
          category: 'not_found',
          details: { number },
        });
      if ('skipped' in found) return { kind: 'skipped', reason: found.skipped, detail: found.detail };
      const files = found.files.map((file) => limitNewText(file, limits.maxNewTextBytes));
      return { kind: 'change', change: structuredClone({ ...found, files }) };
    },
  };
}

/** The file without its whole text where that is longer than the limit. */
function limitNewText(file: ChangedFile, maxBytes: number): ChangedFile {
  const { newText, ...rest } = file;
  return newText !== undefined && maxBytes > 0 && Buffer.byteLength(newText) <= maxBytes ? file : rest;
}
