import type { FindingIdentity } from '../merge/identity.js';
import type { Category } from '../review-result.js';

/** What findings of two versions of a change are compared by; a finding of a stored review fits. */
export interface ComparableFinding {
  id: string;
  /** Null: about no file (a credential in the description). */
  file: string | null;
  identity: FindingIdentity;
  /** `line`: 1-based, on the new side of its version; null: about the file as a whole. */
  place: { line: number | null };
  category: Category;
  rule_id?: string | undefined;
  title: string;
  message: string;
}

/**
 * How sure a match is. `same`: the same place in like words. `moved`: the same line in other
 * surroundings. `reworded`: the same place in other words. `uncertain`: the place or the words fit,
 * and not enough of both to call them one issue.
 */
export type MatchGrade = 'same' | 'moved' | 'reworded' | 'uncertain';

/** One pair; `earlier` and `present` are indices of the two lists. */
export interface FindingMatch {
  earlier: number;
  present: number;
  grade: MatchGrade;
}
