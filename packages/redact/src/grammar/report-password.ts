import { isLocation, isStandIn } from '../lexicon/benign-values.js';
import type { Scan } from './rule.js';

/** Reports what stands where a file's layout says the password does, unless it only says where that is. */
export function reportPassword(scan: Scan, start: number, value: string): void {
  if (!isStandIn(value) && !isLocation(value)) scan.report('password', start, start + value.length, 'low');
}
