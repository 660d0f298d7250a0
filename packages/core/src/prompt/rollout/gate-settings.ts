/** When a candidate is rolled back, and when it may be promoted (PR-4, PR-5, PR-6). Shares and rates are 0 to 1. */
export interface GateSettings {
  /** Milliseconds of the shortest window; windows of 2, 4, 8 and 48 times as much are judged as well. */
  windowMs: number;
  /** Fewer replies on a side say nothing of rejected ones. */
  minResponses: number;
  /** Fewer reviews on a side say nothing of their findings. */
  minJobs: number;
  /** Fails where the share of rejected replies is over so many times that of the baseline; at least 1. */
  rejectedRatio: number;
  /** A baseline below this share of rejected replies counts as this share. */
  rejectedFloor: number;
  /** Fails where valid findings a review are under so much of the baseline's. */
  findingsShare: number;
  /** Fails where they are under this number and the baseline is not; null: no such floor. */
  findingsFloor: number | null;
  /** Passes only where surely no larger share of the findings was dropped. */
  droppedShare: number;
  /** Passes only after so many reviews of the candidate. */
  promoteJobs: number;
}
