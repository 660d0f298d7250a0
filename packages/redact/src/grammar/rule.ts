import type { AccountLayout } from './account-layout.js';
import type { LineCursor } from './line-cursor.js';
import type { PathKind } from './path-kind.js';
import type { QuoteCursor } from './quote-cursor.js';

/**
 * `high`: a unique head, a checksum, PEM, JWT or URI credentials; the pre-submit guard blocks on
 * it. `low`: judged by context.
 */
export type Confidence = 'high' | 'low';

/**
 * One secret found. `spans` lists start and end of each piece, ascending: one pair, or one per line
 * for a multi-line secret, so that line breaks and diff marks stay outside.
 */
export interface Hit {
  rule: string;
  confidence: Confidence;
  spans: number[];
}

/** One text under scan, with the amortised look-ups that keep every rule linear. */
export interface Scan {
  readonly text: string;
  /** Whether each character is a byte: such a text holds nothing in another script. */
  readonly isNarrow: boolean;
  readonly kind: PathKind;
  /** Of a file of accounts, by its name. */
  readonly layout: AccountLayout | undefined;
  /** Whether lines start with a diff mark; undefined when the caller did not say. */
  readonly diff: boolean | undefined;
  /** Inside which quote a position stands; ask with ascending positions. */
  readonly quotes: QuoteCursor;
  /** Where lines start. */
  readonly lines: LineCursor;
  /** End of the run of `mask` characters from `from`. Repeated questions about one run cost nothing. */
  runEnd(mask: number, from: number): number;
  /** Start of the run of `mask` characters that ends before `to`, looking back at most `limit` characters. */
  runStart(mask: number, to: number, limit: number): number;
  /** True when a text decoded from this one holds a secret of its own. One level deep. */
  holdsSecret(decoded: string): boolean;
  report(rule: string, start: number, end: number, confidence: Confidence): void;
  reportSpans(rule: string, spans: number[], confidence: Confidence): void;
  /** What one rule keeps for the length of one scan. */
  memo<T>(key: object, create: () => T): T;
}

/**
 * Literal triggers and a confirmer that looks at a bounded window around one of them. The engine
 * calls `confirm` in order of the triggers' ends; work per call must be bounded, or amortised over
 * the scan.
 */
export interface Rule {
  readonly triggers: readonly string[];
  /** Kinds of texts in which the rule finds nothing; the pipeline skips it there. */
  readonly skipKinds?: readonly PathKind[];
  confirm(scan: Scan, start: number, end: number, trigger: string): void;
  /**
   * Looks at an unbroken run of LONG_RUN letters and digits or more, one digit at least, which no
   * literal gives away. Asked after all triggers, in order of the text.
   */
  confirmRun?(scan: Scan, start: number, end: number): void;
  /**
   * Looks at a text as a whole, where no literal gives anything away: a file of accounts in
   * columns, a file that is one key. Quick where it is none.
   */
  confirmText?(scan: Scan): void;
}
