import { z } from 'zod';
import type { PromptChunk } from '../../prompt/prompt-chunk.js';
import { splitChunk } from '../../prompt/split-chunk.js';
import type { AskedAgain, Diagnostic } from '../../review/diagnostics.js';
import type { LlmStageOptions, ReviewUnderWay } from './ask-model.js';
import { askPart, findPart, nameResize, type Part, type PartReading } from './ask-part.js';
import type { PlannedChunk } from './plan-review.js';
import { isUsable } from './read-reply.js';
import { largerOutput, outputTokens } from './review-request.js';

/**
 * Reads one chunk of the plan: stored replies to the same questions (GRD-1), or new ones. A reply
 * whose output budget was spent before anything could be used is asked for once more with more
 * room, or in two halves where the model has no more; a request that is longer than the model's
 * context is asked in two halves, or without its context. Gives what became of the chunk, or of each half.
 */
export async function reviewChunk(
  options: LlmStageOptions,
  review: ReviewUnderWay,
  planned: PlannedChunk,
): Promise<readonly PartReading[]> {
  const plan = planParts(options, review, planned);
  const { context } = review;
  const found = await findPart(options, review, plan.whole);
  if (found !== null) return [found];
  const marker = nameResize(review, plan.whole);
  const earlier = resizedSchema.safeParse(context.outputs()[marker]);
  // Limits may have changed since: where the chunk can be made no smaller now, it is asked whole.
  if (earlier.success && partsFor(earlier.data, plan).length > 0)
    return readParts(options, review, plan, earlier.data, null);
  const whole = await askPart(options, review, plan.whole);
  const reason = explainFailure(whole);
  if (reason === null || partsFor(reason, plan).length === 0) return [whole];
  // A worker that takes over goes on with the parts; what failed is not asked and paid for again.
  await context.checkpoint({ outputs: { [marker]: reason } });
  return readParts(options, review, plan, reason, whole);
}

type ResizeReason = Extract<AskedAgain['reason'], 'output_exhausted' | 'context_overflow'>;

const resizedSchema = z.enum(['output_exhausted', 'context_overflow'] satisfies ResizeReason[]);

/** Every question that may be asked about a chunk. Those that few chunks need are made when they are. */
interface ChunkPlan {
  whole: Part;
  /** The same with more output room; null where there is none. */
  larger(): Part | null;
  /** Null where the chunk can be made no smaller. */
  halves(): readonly Part[] | null;
}

function planParts(
  { settings }: LlmStageOptions,
  { variant, guide, rates }: ReviewUnderWay,
  { share, chunk }: PlannedChunk,
): ChunkPlan {
  const { provider, change } = share;
  const budget = outputTokens(provider, settings.llm);
  const guidance = guide(chunk.files.map(({ file }) => file));
  const room = { provider, variant, settings: settings.llm, guidance };
  const half = (part: PromptChunk): Part => ({
    share,
    chunk: part,
    maxOutputTokens: largerOutput(room, part) ?? budget,
  });
  return {
    whole: { share, chunk, maxOutputTokens: budget },
    larger() {
      const more = largerOutput(room, chunk);
      return more === null ? null : { share, chunk, maxOutputTokens: more };
    },
    halves() {
      const halves = splitChunk(change, chunk, variant.template, rates(provider));
      return halves?.map(half) ?? null;
    },
  };
}

/** What is asked instead of the whole; nothing where the chunk can be made no smaller. */
function partsFor(reason: ResizeReason, plan: ChunkPlan): readonly Part[] {
  const larger = reason === 'output_exhausted' ? plan.larger() : null;
  if (larger !== null) return [larger];
  const halves = plan.halves() ?? [];
  if (reason === 'output_exhausted') return halves;
  const half = Math.floor(plan.whole.chunk.estimatedTokens / 2);
  return halves.map((part) => ({ ...part, maxUserTokens: Math.max(half, part.chunk.estimatedTokens) }));
}

/** What became of the parts, the first with the diagnostics and the usage of what was asked before. */
async function readParts(
  options: LlmStageOptions,
  review: ReviewUnderWay,
  plan: ChunkPlan,
  reason: ResizeReason,
  before: PartReading | null,
): Promise<readonly PartReading[]> {
  const readings: PartReading[] = [];
  for (const part of partsFor(reason, plan))
    readings.push((await findPart(options, review, part)) ?? (await askPart(options, review, part)));
  const earlier: readonly Diagnostic[] = [...(before?.diagnostics ?? []), { code: 'asked_again', reason }];
  return readings.map((reading, n) =>
    n === 0
      ? {
          ...reading,
          diagnostics: [...earlier, ...reading.diagnostics],
          usage: [...(before?.usage ?? []), ...reading.usage],
        }
      : reading,
  );
}

/** Why an unusable reply may come out better in another size; null where it is usable, or would not. */
function explainFailure(reading: PartReading): ResizeReason | null {
  if (isUsable(reading)) return null;
  const states = new Set(reading.documents.map(({ state }) => state));
  if (states.has('context_overflow')) return 'context_overflow';
  return states.has('truncated_output') ? 'output_exhausted' : null;
}
