import { nameVariant, type PromptVariant } from '../../prompt/prompt-variant.js';
import { reviewBucketMs, reviewSamples, toSampleCounts } from '../../prompt/rollout/review-counts.js';
import type { SampledCounts } from '../../stores/sample-store.js';
import type { PartReading } from './ask-part.js';
import { countKept, countSent } from './read-reply.js';

const sum = (counts: readonly number[]): number => counts.reduce((a, b) => a + b, 0);

/**
 * What the replies of one review were, by the variant that the job is frozen on (PR-5, PR-6): `jobs`, the
 * `responses` that were read, how many of them the parser rejected, and the findings that it kept and
 * dropped, and the products of these that gates need (`CountSums`). `jobs` is 0 for a run that ends
 * without a review: its replies count, and it runs again.
 */
export function sampleReplies(
  variant: PromptVariant,
  readings: readonly PartReading[],
  jobs: 0 | 1,
): SampledCounts | undefined {
  const responses = sum(readings.map(({ usage }) => usage.length));
  if (responses === 0) return undefined; // no request was sent, so nothing is known of the variant
  const rejected = readings.map(
    ({ diagnostics }) => diagnostics.filter(({ code }) => code === 'response_rejected').length,
  );
  const valid = sum(readings.map(countKept));
  const dropped = sum(readings.map(countSent)) - valid;
  const counts = toSampleCounts({ jobs, responses, rejected: sum(rejected), valid, dropped });
  return { bucketMs: reviewBucketMs, add: [{ name: reviewSamples, variant: nameVariant(variant), counts }] };
}
