import { type Extent, endOfValue } from '../bare-extent.js';
import type { Scan } from '../rule.js';

/** A value without quotes. */
export interface BareValue {
  start: number;
  end: number;
  /**
   * How sure the place makes it that this is a literal and no name: a configuration file, a string,
   * a query or an environment line does; elsewhere the value must look generated to count; in code
   * it must be no identifier.
   */
  literal: 'yes' | 'if generated' | 'no';
}

/** The unquoted value that starts at `from`, or undefined where it is empty. */
export function readBareValue(
  scan: Scan,
  from: number,
  extent: Extent,
  literal: BareValue['literal'],
): BareValue | undefined {
  const end = endOfValue(scan, from, extent);
  return end > from ? { start: from, end, literal } : undefined;
}
