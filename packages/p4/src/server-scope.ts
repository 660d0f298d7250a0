import type { AllowList } from './allow-list.js';

/** The highest number of a changelist. */
export const maxChangeNumber = 2_147_483_647;

export function isChangeNumber(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 1 && value <= maxChangeNumber;
}

/** Which server, and which of its paths. Throws TypeErrors that name the option. */
export function checkServerScope({ serverId, allowList }: { serverId: string; allowList: Pick<AllowList, 'forServer'> }): void {
  if (typeof serverId !== 'string' || !/^[a-z0-9][a-z0-9.-]{0,62}$/.test(serverId))
    throw new TypeError('serverId: expected lower-case letters, digits, dots and dashes, 63 at most');
  if (typeof allowList?.forServer !== 'function') throw new TypeError('allowList: expected the result of createAllowList()');
}
