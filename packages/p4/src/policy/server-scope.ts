import { isUint8Array } from 'node:util/types';
import type { AllowList } from './allow-list.js';

/** The highest number of a changelist. */
export const maxChangeNumber = 2_147_483_647;

export function isChangeNumber(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 1 && value <= maxChangeNumber;
}

/** Which server, which of its paths, and how its contents are told apart. */
export interface ServerScope {
  /** Names the server in every key, `^[a-z0-9][a-z0-9.-]{0,62}$`; keep it when the port changes. */
  serverId: string;
  /** What may be read. Its case handling is replaced by the server's. */
  allowList: AllowList;
  /**
   * 16 bytes or more that only the host knows; the redactor's may serve. What rows hold of a
   * change's content leads nowhere without it (RED-8). The same for fetcher, watcher and intake, in
   * every process: under another key every open shelf is new content and is reviewed once more.
   */
  fingerprintKey: Uint8Array | string;
}

const minKeyBytes = 16;

/** Throws TypeErrors that name the option. */
export function checkServerScope({ serverId, allowList, fingerprintKey }: ServerScope): void {
  if (typeof serverId !== 'string' || !/^[a-z0-9][a-z0-9.-]{0,62}$/.test(serverId))
    throw new TypeError('serverId: expected lower-case letters, digits, dots and dashes, 63 at most');
  if (typeof allowList?.forServer !== 'function')
    throw new TypeError('allowList: expected the result of createAllowList()');
  const bytes =
    typeof fingerprintKey === 'string'
      ? Buffer.byteLength(fingerprintKey)
      : isUint8Array(fingerprintKey)
        ? fingerprintKey.byteLength
        : 0;
  if (bytes < minKeyBytes) throw new TypeError('fingerprintKey: expected a Uint8Array or string of at least 16 bytes');
}
