import type { PagerAction } from '../pager/call-pager.js';

/** One call under way. */
export interface PageClaim {
  token: string;
  untilMs: number;
  action: PagerAction;
  /** What was known before it began. */
  before: PageState['open'];
  /** True where a call that had lost its claim ended meanwhile: which of the two came last is not known. */
  isDoubted: boolean;
}

/** What one pager knows of one alert, as far as we can tell. */
export interface PageState {
  /** Whether an incident is open at the far end. `maybe`: bytes left, and no answer said what became of them. */
  open: 'no' | 'maybe' | 'yes';
  /** Who is calling the pager now, and until when nobody else may. */
  claim: PageClaim | null;
  /** Calls in a row that were not taken. */
  attempts: number;
  /** Nothing is sent before. */
  nextAtMs: number;
  /** Code of the last call that was not taken; null after one that was. */
  code: string | null;
}

/** Of a pager that was never called for the alert. */
export const freshPage: PageState = { open: 'no', claim: null, attempts: 0, nextAtMs: 0, code: null };
