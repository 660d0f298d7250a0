import type { GateSettings } from '../../src/prompt/rollout/gate-settings.js';
import { findFailure, type GateReport, type ReadSums } from '../../src/prompt/rollout/gates.js';
import { type CountSums, reviewBucketMs, squareCounts } from '../../src/prompt/rollout/review-counts.js';

/** Numbers from 0 to 1. */
type Dice = () => number;

/** How reviews of one side come out. */
export interface Side {
  reviewsAnHour: number;
  /** Chance that a reply is rejected. */
  rejected: number;
  /** Valid findings a review, on average; negative binomial with a variance of three times the mean. */
  findings: number;
  /** True: one to eight replies a review, which tend to be rejected together. Otherwise one reply a review. */
  isClustered?: boolean;
}

/** Chances of 0, 1, 2, … findings: their variance is three times their mean. */
function spreadFindings(mean: number): readonly number[] {
  if (mean <= 0) return [1];
  const r = mean / 2;
  const p = 1 / 3;
  const chances = [p ** r];
  for (let k = 0; k < 127; k++) chances.push((chances[k] ?? 0) * ((k + r) / (k + 1)) * (1 - p));
  return chances;
}

/** Chances of 0, 1, … rejected replies among so many. */
function spreadRejected(replies: number, rate: number): readonly number[] {
  let chances = [1];
  for (let n = 0; n < replies; n++)
    chances = [...chances, 0].map((chance, k) => chance * (1 - rate) + (chances[k - 1] ?? 0) * rate);
  return chances;
}

/** How replies come: so many a review, rejected at this rate, with this chance. */
function spreadReplies({
  rejected: rate,
  isClustered,
}: Side): readonly [replies: number, rate: number, chance: number][] {
  if (isClustered !== true) return [[1, rate, 1]];
  // Two reviews in three have half the rate and one twice of it, so that rejected replies come together.
  return [1, 2, 3, 4, 5, 6, 7, 8].flatMap((replies): [number, number, number][] => [
    [replies, rate / 2, 1 / 12],
    [replies, 2 * rate, 1 / 24],
  ]);
}

/** Entries of an index of cumulated chances, so that a draw looks at one or two of them. */
const indexed = 4_096;

/** How reviews of a side come out, with cumulated chances. */
interface Outcomes {
  reviews: readonly CountSums[];
  until: Float64Array;
  index: Uint32Array;
}

function tabulateOutcomes(side: Side): Outcomes {
  const found: { review: CountSums; chance: number }[] = [];
  for (const [responses, rate, chance] of spreadReplies(side))
    for (const [rejected, ofRejected] of spreadRejected(responses, rate).entries())
      for (const [valid, ofValid] of spreadFindings(side.findings).entries())
        found.push({
          review: squareCounts({ jobs: 1, responses, rejected, valid, dropped: 0 }),
          chance: chance * ofRejected * ofValid,
        });
  found.sort((one, other) => other.chance - one.chance);
  const until = new Float64Array(found.length);
  let sum = 0;
  for (const [n, { chance }] of found.entries()) {
    sum += chance;
    until[n] = sum;
  }
  until[found.length - 1] = 1;
  const index = new Uint32Array(indexed);
  for (let slot = 0, n = 0; slot < indexed; slot++) {
    while ((until[n] ?? 1) < slot / indexed) n++;
    index[slot] = n;
  }
  return { reviews: found.map(({ review }) => review), until, index };
}

function drawPoisson(mean: number, dice: Dice): number {
  let left = dice();
  let chance = Math.exp(-mean);
  let k = 0;
  while (left > chance && k < 10_000) {
    left -= chance;
    k++;
    chance *= mean / k;
  }
  return k;
}

function drawReview({ reviews, until, index }: Outcomes, dice: Dice): CountSums {
  const chance = dice();
  let n = index[Math.floor(chance * indexed)] ?? 0;
  while ((until[n] ?? 1) < chance) n++;
  return reviews[n] ?? none;
}

const nothingDropped = { dropped: 0, droppedSquared: 0, validByDropped: 0 };
const none = squareCounts({ jobs: 0, responses: 0, rejected: 0, valid: 0, dropped: 0 });

/** Adds in place: millions of reviews are drawn. */
function accumulate(sums: CountSums, more: CountSums): void {
  sums.jobs += more.jobs;
  sums.responses += more.responses;
  sums.rejected += more.rejected;
  sums.valid += more.valid;
  sums.responsesSquared += more.responsesSquared;
  sums.rejectedSquared += more.rejectedSquared;
  sums.responsesByRejected += more.responsesByRejected;
  sums.validSquared += more.validSquared;
}

/** Sums of all buckets before each, so that those of a window are one difference. */
type Timeline = CountSums[];

const tables = new Map<Side, Outcomes>();

/** Draws one more bucket. */
function extendTimeline(timeline: Timeline, side: Side, dice: Dice): void {
  const outcomes = tables.get(side) ?? tabulateOutcomes(side);
  tables.set(side, outcomes);
  const total = { ...(timeline.at(-1) ?? none) };
  for (let n = drawPoisson((side.reviewsAnHour * reviewBucketMs) / 3_600_000, dice); n > 0; n--)
    accumulate(total, drawReview(outcomes, dice));
  timeline.push(total);
}

/** The sums from a bucket on, up to another; whole timelines are read hundreds of times, so nothing is copied twice. */
function sumBetween(timeline: Timeline, from: number, until: number): CountSums {
  const [before, after] = [timeline[from] ?? none, timeline[until] ?? none];
  return {
    jobs: after.jobs - before.jobs,
    responses: after.responses - before.responses,
    rejected: after.rejected - before.rejected,
    valid: after.valid - before.valid,
    responsesSquared: after.responsesSquared - before.responsesSquared,
    rejectedSquared: after.rejectedSquared - before.rejectedSquared,
    responsesByRejected: after.responsesByRejected - before.responsesByRejected,
    validSquared: after.validSquared - before.validSquared,
    ...nothingDropped,
  };
}

/** Both sides over the last so many milliseconds. */
function readLast(ms: number, candidate: Timeline, baseline: Timeline): ReturnType<ReadSums> {
  const until = candidate.length - 1;
  const from = Math.max(0, until - Math.round(ms / reviewBucketMs));
  return { candidate: sumBetween(candidate, from, until), baseline: sumBetween(baseline, from, until) };
}

/** One rollout: how both sides come out in each bucket of five minutes, and how long it is watched. */
export interface Scene {
  candidate: (bucket: number) => Side;
  baseline: Side;
  buckets: number;
  /** The first bucket after which gates are evaluated. Default 0. */
  watchFrom?: number;
}

/** Plays a rollout and evaluates its gates after each bucket; the bucket in which it is rolled back, or null. */
export function playRollout(
  scene: Scene,
  gates: GateSettings,
  dice: Dice,
): { bucket: number; report: GateReport } | null {
  const candidate: Timeline = [none];
  const baseline: Timeline = [none];
  for (let bucket = 0; bucket < scene.buckets; bucket++) {
    extendTimeline(candidate, scene.candidate(bucket), dice);
    extendTimeline(baseline, scene.baseline, dice);
    if (bucket < (scene.watchFrom ?? 0)) continue;
    const now = bucket + 1;
    const failed = findFailure((ms) => readLast(ms, candidate, baseline), now * reviewBucketMs, gates);
    if (failed !== null) return { bucket, report: failed };
  }
  return null;
}

const hour = 12;

/** A slice of a tenth: the baseline has nine times the reviews of the candidate. */
const enlarge = (side: Side): Side => ({ ...side, reviewsAnHour: 9 * side.reviewsAnHour });

/** Share of rollouts that are rolled back within 24 hours although both sides are equal. */
export function measureFalse(side: Side, gates: GateSettings, runs: number, dice: Dice): number {
  const scene: Scene = { candidate: () => side, baseline: enlarge(side), buckets: 24 * hour };
  let rolledBack = 0;
  for (let run = 0; run < runs; run++) if (playRollout(scene, gates, dice) !== null) rolledBack++;
  return rolledBack / runs;
}

/** A candidate that turns from `good` to `bad` at a random time of the first six hours. */
export interface Turn {
  good: Side;
  bad: Side;
  /** Minutes after the turn, multiples of 5: the shares found within each are measured. */
  within: readonly number[];
}

/** Share of such rollouts that is rolled back within each time after the turn. */
export function measureFound({ good, bad, within }: Turn, gates: GateSettings, runs: number, dice: Dice): number[] {
  const found = within.map(() => 0);
  const last = Math.max(...within) / 5;
  const baseline = enlarge(good);
  for (let run = 0; run < runs; run++) {
    const turn = Math.floor(dice() * 6 * hour);
    const scene: Scene = {
      candidate: (bucket) => (bucket < turn ? good : bad),
      baseline,
      buckets: turn + last,
      watchFrom: turn,
    };
    const end = playRollout(scene, gates, dice);
    for (const [n, minutes] of within.entries())
      if (end !== null && end.bucket < turn + minutes / 5) found[n] = (found[n] ?? 0) + 1;
  }
  return found.map((times) => times / runs);
}
