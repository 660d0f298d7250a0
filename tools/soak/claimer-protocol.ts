// What the conductor and a process of claimers say to each other.

export const limitedKind = 'limited';

export interface ClaimerOptions {
  url: string;
  schema: string;
  claimers: number;
  seed: number;
  /** Shifts `Date`; 0 where the clock is right, or where libfaketime does it. */
  offsetMs: number;
}

export interface Round {
  leaseMs: number;
  /** The share of claims that are left to expire. */
  abandoned: number;
  /** The share of claimers that beat or settle only after their lease is over. */
  overslept: number;
}

export interface RoundReport {
  /** Jobs claimed; heartbeats and settlements refused because another claim had the job by then. */
  claimed: number;
  refused: number;
}
