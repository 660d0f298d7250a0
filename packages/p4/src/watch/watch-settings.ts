import { checkedElsewhere, type OptionShape } from '@criticizer/core/internal';
import { maxChangeNumber } from '../policy/server-scope.js';

/** What a watcher looks for, and how often. */
export interface WatchSettings {
  /**
   * Default `submitted` alone. `shelved` also takes in the shelves of pending changes, each content
   * once. A pending change without a shelf holds nothing that the server could show, so it is not
   * watched.
   */
  watch?: readonly ('submitted' | 'shelved')[] | undefined;
  /** Pause after a poll, with 10 % jitter to either side. Default 30 000, from 1 000 to a day. */
  pollMs?: number | undefined;
  /**
   * Where the very first poll begins: changes with lower numbers are taken for seen. Default
   * `head`, behind the newest submitted change. Afterwards the stored cursor counts.
   */
  startAt?: number | 'head' | undefined;
  /**
   * Most change numbers that one command asks about: the size of a page when catching up. Default 1
   * 000, at most 100 000.
   */
  pageSize?: number | undefined;
  /** How many shelves are looked at in each poll, the ones with the highest numbers. Default 100, at most 1 000. */
  maxShelves?: number | undefined;
}

export type ResolvedWatchSettings = { [K in keyof WatchSettings]-?: Exclude<WatchSettings[K], undefined> };

/** Checked by `checkWatchSettings`. */
export const watchShape: OptionShape<WatchSettings> = {
  watch: checkedElsewhere,
  pollMs: checkedElsewhere,
  startAt: checkedElsewhere,
  pageSize: checkedElsewhere,
  maxShelves: checkedElsewhere,
};

/** Fills in defaults. Throws TypeErrors that name the option. */
export function checkWatchSettings(given: WatchSettings): ResolvedWatchSettings {
  const { watch = ['submitted'], startAt = 'head' } = given;
  const kinds: readonly unknown[] = Array.isArray(watch) ? watch : [];
  if (kinds.length === 0 || kinds.some((kind) => kind !== 'submitted' && kind !== 'shelved'))
    throw new TypeError("watch: expected 'submitted', 'shelved' or both");
  if (startAt !== 'head') checkWithin('startAt', startAt, 1, maxChangeNumber);
  return {
    watch,
    startAt,
    pollMs: checkWithin('pollMs', given.pollMs ?? 30_000, 1_000, 86_400_000),
    pageSize: checkWithin('pageSize', given.pageSize ?? 1_000, 1, 100_000),
    maxShelves: checkWithin('maxShelves', given.maxShelves ?? 100, 1, 1_000),
  };
}

function checkWithin(option: string, value: unknown, min: number, max: number): number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < min || value > max)
    throw new TypeError(`${option}: expected a whole number from ${min} to ${max}`);
  return value;
}
