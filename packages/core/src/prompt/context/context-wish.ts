import type { LineRange } from '../prompt-chunk.js';

/** Lines of one file that would explain a hunk, in forms of which the first that fits is shown. */
export interface ContextWish {
  /** By place in the change. */
  file: number;
  /** Best first: the whole, then less. */
  forms: readonly (readonly LineRange[])[];
  /** Whether the ledger counts it: small files are shown for good measure. */
  isCounted: boolean;
}
