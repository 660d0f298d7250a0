import {
  findFailure,
  type GateExcess,
  type GateReport,
  judgePromotion,
  longestLook,
  measureExcess,
  type PromotionReport,
  type ReadSums,
} from '../../prompt/rollout/gates.js';
import type { PromptRollout } from '../../prompt/rollout/prompt-rollout.js';
import { reviewBucketMs, reviewSamples, sumSampleCounts } from '../../prompt/rollout/review-counts.js';
import type { Settings } from '../../settings/settings.js';
import type { SampleStore, SampleWindow } from '../../stores/sample-store.js';

type Sides = Pick<PromptRollout, 'baseline' | 'candidate' | 'since'>;

/** Where the counts are, and by what they are judged. */
export interface GateParts {
  samples: Pick<SampleStore, 'read'>;
  gates: Settings['prompts']['gates'];
}

/**
 * The end of the last closed bucket. Gates are evaluated over closed buckets alone: every process then sees
 * the same counts, and looks as often as the simulation does.
 */
export function findLastBucketEnd(now: Date): number {
  return Math.floor(now.getTime() / reviewBucketMs) * reviewBucketMs;
}

/** The counts of both sides in closed buckets since the slice began. */
interface Counted {
  read: ReadSums;
  elapsedMs: number;
}

function countSides(windows: readonly SampleWindow[], sides: Sides, endMs: number): Counted {
  const startMs = Math.ceil(Date.parse(sides.since) / reviewBucketMs) * reviewBucketMs;
  const sum = (variant: string, ms: number) => {
    const fromMs = Math.max(startMs, endMs - ms);
    const isWithin = ({ bucket }: SampleWindow) => bucket.getTime() >= fromMs && bucket.getTime() < endMs;
    return sumSampleCounts(
      windows.filter((window) => window.variant === variant && isWithin(window)).map(({ counts }) => counts),
    );
  };
  return {
    read: (ms) => ({ candidate: sum(sides.candidate, ms), baseline: sum(sides.baseline, ms) }),
    elapsedMs: Math.max(0, endMs - startMs),
  };
}

async function readSides({ samples }: GateParts, sides: Sides, now: Date, atMostMs: number): Promise<Counted> {
  const sinceMs = Math.min(Math.max(0, now.getTime() - Date.parse(sides.since)), atMostMs) + reviewBucketMs;
  return countSides(await samples.read(reviewSamples, { sinceMs }), sides, findLastBucketEnd(now));
}

/** What the watch makes of the counts now. */
export interface GateWatch {
  /** The gate that rolls the candidate back; null: none. */
  failure: GateReport | null;
  /** How far the candidate is from each limit over the shortest window. */
  excess: readonly GateExcess[];
}

/** Evaluates the gates that roll back, over closed buckets. Rejects with the store's error. */
export async function readWatch(parts: GateParts, sides: Sides, now: Date): Promise<GateWatch> {
  const longestMs = longestLook * parts.gates.windowMs;
  const { read, elapsedMs } = await readSides(parts, sides, now, longestMs);
  if (elapsedMs === 0) return { failure: null, excess: [] };
  const failure = findFailure(read, Math.min(elapsedMs, longestMs), parts.gates);
  return { failure, excess: measureExcess(read(parts.gates.windowMs), parts.gates) };
}

/** Longest time of a slice that a promotion is judged by. */
const mostPromotionMs = 30 * 86_400_000;

/** What the gates say of a promotion now. Rejects with the store's error. */
export async function readPromotion(parts: GateParts, sides: Sides, now: Date): Promise<PromotionReport> {
  const { read, elapsedMs } = await readSides(parts, sides, now, mostPromotionMs);
  return judgePromotion(read, Math.min(elapsedMs, mostPromotionMs), parts.gates);
}
