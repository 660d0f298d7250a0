import { z } from 'zod';
import type { LlmUsage } from '../../llm/llm-provider.js';

/** What one model was used for in one review: sums over its replies. */
export interface ModelUsage extends LlmUsage {
  provider: string;
  model: string;
  /** How many replies are counted. */
  replies: number;
}

/** The numbers of a usage. */
export const usageKinds = ['inputTokens', 'outputTokens', 'cachedInputTokens', 'reasoningTokens'] as const;

const tokens = z.number().nullable();

/** The usage of one reply as it is stored. */
export const usageSchema = z.object({
  inputTokens: tokens,
  outputTokens: tokens,
  cachedInputTokens: tokens,
  reasoningTokens: tokens,
}) satisfies z.ZodType<LlmUsage>;

/** As a stored review holds it. */
export const modelUsageSchema = usageSchema.extend({
  provider: z.string(),
  model: z.string(),
  replies: z.number(),
}) satisfies z.ZodType<ModelUsage>;

/** Adds up; what no summand says stays null. */
function addUsage(a: LlmUsage, b: LlmUsage): LlmUsage {
  const add = (kind: (typeof usageKinds)[number]): number | null =>
    a[kind] === null && b[kind] === null ? null : (a[kind] ?? 0) + (b[kind] ?? 0);
  return {
    inputTokens: add('inputTokens'),
    outputTokens: add('outputTokens'),
    cachedInputTokens: add('cachedInputTokens'),
    reasoningTokens: add('reasoningTokens'),
  };
}

/** One entry for each provider and model, in the order of their first replies. */
export function sumUsage(all: readonly ModelUsage[]): readonly ModelUsage[] {
  const sums = new Map<string, ModelUsage>();
  for (const one of all) {
    const key = JSON.stringify([one.provider, one.model]);
    const known = sums.get(key);
    sums.set(
      key,
      known === undefined ? one : { ...known, ...addUsage(known, one), replies: known.replies + one.replies },
    );
  }
  return [...sums.values()];
}
