import type { PreparedRoot } from './prepared-root.js';
import { containmentUnavailable } from './unavailable.js';

interface Slot {
  root: Promise<PreparedRoot>;
  running: number;
  isReplaced: boolean;
}

/** A root while a process runs in it. */
export interface UsedRoot {
  root: PreparedRoot;
  /** Call when the process has ended: a replaced root is then removed. */
  release(): void;
}

/** How often the pool prepares a root whose files change while they are copied. */
const maxTries = 3;

/**
 * One root for each key, made when it is first used and replaced once its files are no longer those
 * of the host. `use` rejects with `P4_CONTAINMENT_UNAVAILABLE` where it cannot be made; the next
 * call tries again.
 */
export function createRootPool(prepare: (key: string) => Promise<PreparedRoot>): {
  use(key: string): Promise<UsedRoot>;
} {
  const slots = new Map<string, Slot>();
  const open = (key: string): Slot => {
    const slot: Slot = { root: prepare(key), running: 0, isReplaced: false };
    slots.set(key, slot);
    slot.root.catch(() => slots.get(key) === slot && slots.delete(key));
    return slot;
  };
  const release = (slot: Slot): void => {
    slot.running -= 1;
    if (slot.isReplaced && slot.running === 0) void slot.root.then((root) => root.remove());
  };
  const use = async (key: string, triesLeft: number): Promise<UsedRoot> => {
    if (triesLeft === 0) throw containmentUnavailable('its files change while they are copied');
    const slot = slots.get(key) ?? open(key);
    slot.running += 1;
    const root = await slot.root.catch((error: unknown) => {
      throw containmentUnavailable('the root of the client cannot be prepared', {}, error);
    });
    if (await root.isCurrent()) return { root, release: () => release(slot) };
    if (slots.get(key) === slot) {
      slot.isReplaced = true;
      open(key);
    }
    release(slot);
    return use(key, triesLeft - 1);
  };
  return { use: (key) => use(key, maxTries) };
}
