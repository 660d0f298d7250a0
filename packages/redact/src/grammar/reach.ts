import type { Scan } from './rule.js';

/** How far one rule has read. */
export interface Reach {
  end: number;
}

/**
 * What `rule` has read of the text so far: a trigger inside it is passed over, so that triggers in
 * a row cost no more than their text.
 */
export function reachOf(scan: Scan, rule: object): Reach {
  return scan.memo(rule, () => ({ end: 0 }));
}
