import type { Severity } from '../review-result.js';

/** A suppression took a finding out of the review (GRD-8). Both ids are ours. */
export interface FindingSuppressed {
  code: 'finding_suppressed';
  index: null;
  findingId: string;
  suppression: string;
  severity: Severity;
}

/** A suppression names a withheld credential and does not cover secrets: the finding stays (GRD-8). */
export interface SuppressionRefused {
  code: 'suppression_refused';
  index: null;
  findingId: string;
  suppression: string;
}
