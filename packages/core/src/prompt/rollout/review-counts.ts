/** Name of the samples that reviews leave, one variant for each prompt variant (`nameVariant`). */
export const reviewSamples = 'prompt.review';
/** Length of their buckets, in milliseconds. */
export const reviewBucketMs = 5 * 60_000;

/** What one run of an llm stage counts. */
export interface ReviewCounts {
  /** 1 for a review, 0 for a run that ended without one. */
  jobs: number;
  /** Replies of the model that were read. */
  responses: number;
  /** Those of them that the parser rejected. */
  rejected: number;
  /** Findings that the parser kept. */
  valid: number;
  /** Findings that it dropped. */
  dropped: number;
}

/**
 * Sums over runs, and of products within each run. Replies of one review tend to fail together and
 * findings to come together, so the plain sums alone would look surer than they are.
 */
export interface CountSums extends ReviewCounts {
  responsesSquared: number;
  rejectedSquared: number;
  responsesByRejected: number;
  validSquared: number;
  droppedSquared: number;
  validByDropped: number;
}

/** The name of each sum in a sample. */
const counters: Readonly<Record<keyof CountSums, string>> = {
  jobs: 'jobs',
  responses: 'responses',
  rejected: 'response_rejected',
  valid: 'findings_valid',
  dropped: 'findings_dropped',
  responsesSquared: 'responses_squared',
  rejectedSquared: 'response_rejected_squared',
  responsesByRejected: 'responses_by_rejected',
  validSquared: 'findings_valid_squared',
  droppedSquared: 'findings_dropped_squared',
  validByDropped: 'findings_valid_by_dropped',
};
const keys = Object.keys(counters) as (keyof CountSums)[];

/** The sums of one run. */
export function squareCounts(counts: ReviewCounts): CountSums {
  const { jobs, responses, rejected, valid, dropped } = counts;
  return {
    ...{ jobs, responses, rejected, valid, dropped },
    responsesSquared: responses ** 2,
    rejectedSquared: rejected ** 2,
    responsesByRejected: responses * rejected,
    validSquared: valid ** 2,
    droppedSquared: dropped ** 2,
    validByDropped: valid * dropped,
  };
}

/** One run as the counts of its sample: whole numbers from 0. */
export function toSampleCounts(counts: ReviewCounts): Record<string, number> {
  const sums = squareCounts(counts);
  return Object.fromEntries(keys.map((key) => [counters[key], sums[key]]));
}

/** The sums of the counts of several samples; a counter that a sample lacks is 0. */
export function sumSampleCounts(samples: Iterable<Readonly<Record<string, number>>>): CountSums {
  const sums = squareCounts({ jobs: 0, responses: 0, rejected: 0, valid: 0, dropped: 0 });
  for (const sample of samples) for (const key of keys) sums[key] += sample[counters[key]] ?? 0;
  return sums;
}

/** The sums of both sides together. */
export function addSums(one: CountSums, other: CountSums): CountSums {
  const sums = { ...one };
  for (const key of keys) sums[key] += other[key];
  return sums;
}

/** Events that come together have heavier tails than their variance says: its excess counts this many times. */
const heavyTail = 1.5;

/** Variance of a ratio of sums over runs, over that of independent events; at least 1. */
function computeFactor(variance: number, independent: number): number {
  return independent > 0 ? Math.max(1, 1 + heavyTail * (variance / independent - 1)) : 1;
}

/** By what each count is divided to have the evidence of independent events; each at least 1. */
export interface Clustering {
  rejected: number;
  valid: number;
  dropped: number;
}

/** How much less rejected replies, valid and dropped findings prove than as many independent events. */
export function measureClustering(sums: CountSums): Clustering {
  const { jobs, responses, rejected, valid, dropped } = sums;
  const rejectedRate = responses > 0 ? rejected / responses : 0;
  const sent = valid + dropped;
  const droppedRate = sent > 0 ? dropped / sent : 0;
  const sentSquared = sums.validSquared + 2 * sums.validByDropped + sums.droppedSquared;
  const sentByDropped = sums.validByDropped + sums.droppedSquared;
  return {
    rejected: computeFactor(
      sums.rejectedSquared - 2 * rejectedRate * sums.responsesByRejected + rejectedRate ** 2 * sums.responsesSquared,
      rejected * (1 - rejectedRate),
    ),
    valid: computeFactor(sums.validSquared - (jobs > 0 ? valid ** 2 / jobs : 0), valid),
    dropped: computeFactor(
      sums.droppedSquared - 2 * droppedRate * sentByDropped + droppedRate ** 2 * sentSquared,
      dropped * (1 - droppedRate),
    ),
  };
}
