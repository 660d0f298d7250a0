// Runs reviewers over the changes and sums up.
import type { SettingsInput } from '@criticizer/core';
import type { LlmFallback, LlmProvider } from '@criticizer/core/llm';
import {
  type BuiltInReviewer,
  createBuiltInReviewer,
  type RecordedReviewer,
  reviewerHost,
} from './built-in-reviewers.js';
import { type ContextLevel, withContext } from './context-levels.js';
import type { BenchChange } from './make-changes.js';
import { type EvidenceReport, measureEvidence } from './measure-evidence.js';
import { type BenchReview, reviewChanges } from './review-changes.js';
import { type JudgedReview, judgeReview, type Score, scoreReviews } from './score-findings.js';

/** Who reviews. */
export interface Reviewer {
  name: string;
  llm: LlmProvider | LlmFallback;
  settings: SettingsInput;
  /** Per million tokens, by provider; a provider that is missing has no known price. */
  prices: Readonly<Record<string, { input: number; output: number }>>;
  atOnce: number;
}

/** One row of the bench's table. */
export interface BenchRow {
  reviewer: string;
  level: ContextLevel;
  score: Score;
  /** Changes without a review. */
  failed: number;
  tokens: { input: number; output: number } | null;
  /** In the currency of the prices; null where a price is not known. */
  cost: number | null;
  seconds: number;
  /** What the prompts held; null for a model of an endpoint, whose prompts are those of the oracle. */
  evidence: EvidenceReport | null;
  reviews: readonly (JudgedReview & Pick<BenchReview, 'failure' | 'verdict'>)[];
}

function sumTokens(reviews: readonly BenchReview[]): BenchRow['tokens'] {
  const usages = reviews.flatMap(({ usage }) => usage);
  if (usages.every(({ inputTokens }) => inputTokens === null)) return null;
  const sum = (kind: 'inputTokens' | 'outputTokens'): number => usages.reduce((so, one) => so + (one[kind] ?? 0), 0);
  return { input: sum('inputTokens'), output: sum('outputTokens') };
}

function sumCost(reviews: readonly BenchReview[], prices: Reviewer['prices']): number | null {
  const costs = reviews
    .flatMap(({ usage }) => usage)
    .map(({ provider, inputTokens, outputTokens }) => {
      const price = Object.hasOwn(prices, provider) ? prices[provider] : undefined;
      if (price === undefined || inputTokens === null || outputTokens === null) return null;
      return (inputTokens * price.input + outputTokens * price.output) / 1_000_000;
    });
  return costs.length === 0 || costs.includes(null) ? null : costs.reduce<number>((sum, cost) => sum + (cost ?? 0), 0);
}

/** What `runReviewer` takes beside the reviewer. */
export interface RunOptions {
  changes: readonly BenchChange[];
  level: ContextLevel;
  onReview?: ((ended: number) => void) | undefined;
  /** Gives the prompts that were sent, where they were recorded. */
  prompts?: RecordedReviewer['prompts'] | undefined;
}

/** Reviews all changes with one reviewer at one level of context. */
export async function runReviewer(reviewer: Reviewer, options: RunOptions): Promise<BenchRow> {
  const { changes, level, onReview, prompts } = options;
  const from = performance.now();
  const settings = withContext(reviewer.settings, level);
  const reviews = await reviewChanges(changes, { llm: reviewer.llm, settings, atOnce: reviewer.atOnce, onReview });
  const seconds = (performance.now() - from) / 1_000;
  const judged = changes.map((change, at) => {
    const { findings = [], failure = null, verdict = 'none' } = reviews[at] ?? {};
    return { ...judgeReview(change, findings), failure, verdict };
  });
  return {
    ...{ reviewer: reviewer.name, level, seconds, reviews: judged },
    score: scoreReviews(judged),
    failed: reviews.filter(({ failure }) => failure !== null).length,
    tokens: sumTokens(reviews),
    cost: sumCost(reviews, reviewer.prices),
    evidence: prompts === undefined ? null : measureEvidence(changes, (number) => prompts.get(number) ?? []),
  };
}

/** The same with a built-in reviewer, whose prompts are looked at. */
export function runBuiltIn(
  name: BuiltInReviewer,
  { changes, level, onReview }: Omit<RunOptions, 'prompts'>,
): Promise<BenchRow> {
  const { provider, prompts } = createBuiltInReviewer(name, changes);
  const settings: SettingsInput = { egress: { internalHosts: [reviewerHost] } };
  const reviewer: Reviewer = { name, llm: provider, settings, prices: {}, atOnce: 4 };
  return runReviewer(reviewer, { changes, level, onReview, prompts });
}
