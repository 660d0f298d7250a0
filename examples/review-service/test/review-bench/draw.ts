/** A replayable source of chance: the same seed gives the same draws (mulberry32). */
export interface Draw {
  /** From 0 up to, and without, 1. */
  fraction(): number;
  /** A whole number from `low` to `high`, both included. */
  between(low: number, high: number): number;
  isHit(chance: number): boolean;
  /** Throws for an empty list. */
  pick<T>(list: readonly T[]): T;
  /** A new list in another order. */
  shuffle<T>(list: readonly T[]): T[];
}

export function createDraw(seed: number): Draw {
  let state = seed >>> 0;
  const fraction = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const between = (low: number, high: number): number => low + Math.floor(fraction() * (high - low + 1));
  return {
    fraction,
    between,
    isHit: (chance) => fraction() < chance,
    pick(list) {
      if (list.length === 0) throw new RangeError('pick: the list is empty');
      return list[between(0, list.length - 1)] as (typeof list)[number];
    },
    shuffle(list) {
      const mixed = [...list];
      for (let at = mixed.length - 1; at > 0; at -= 1) {
        const other = between(0, at);
        [mixed[at], mixed[other]] = [mixed[other] as (typeof list)[number], mixed[at] as (typeof list)[number]];
      }
      return mixed;
    },
  };
}
