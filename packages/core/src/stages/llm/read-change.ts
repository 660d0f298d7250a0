import type { LlmProvider } from '../../llm/llm-provider.js';
import type { BudgetWasSpent, ProviderFailed } from '../../review/diagnostics.js';
import { attribute, metric } from '../../telemetry/names.js';
import type { LlmStageOptions, ReviewUnderWay } from './ask-model.js';
import type { PartReading } from './ask-part.js';
import { planReview } from './plan-review.js';
import type { ProviderShare } from './provider-shares.js';
import { type ChunksRead, readChunks } from './read-chunks.js';
import { shareWithContext } from './share-context.js';
import { findStandIns } from './stand-ins.js';

/** A step off the straight way: another provider took over, or a budget was spent. */
export type ReadingStep = ProviderFailed | BudgetWasSpent;

/** What was read of a change, and the steps that led there, in their order. */
export interface ChangeReading {
  readings: readonly PartReading[];
  steps: readonly ReadingStep[];
}

/** Files that are still to be read, and who may read them; null: all files. */
interface Round {
  providers: readonly LlmProvider[];
  files: ReadonlySet<number> | null;
}

/**
 * Reads a change by its providers, `llm.concurrency` chunks at a time. Where a provider of a
 * fallback fails, the files that are left are planned again for those that may take over; where one
 * refuses, so are the refused files if `onRefusal` is `next`. Where the budget of some files is spent
 * these are left unread and the others are planned again; any other spent budget ends the reading.
 * Rejects with the first failure that nobody can stand in for, once every request under way has
 * ended.
 */
export async function readChange(options: LlmStageOptions, review: ReviewUnderWay): Promise<ChangeReading> {
  const readings: PartReading[] = [];
  const steps: ReadingStep[] = [];
  const unaffordable = new Set<number>();
  const rounds: Round[] = [{ providers: options.providers, files: null }];
  for (let round = rounds.shift(); round !== undefined; round = rounds.shift()) {
    const isFirst = round.providers === options.providers;
    const all = isFirst ? review.shares : shareWithContext({ ...options, ...review, providers: round.providers });
    const shares = keepFiles(all, round.files, unaffordable);
    const { chunks } = planReview(shares, { ...options, ...review });
    const read = await readChunks(options, review, chunks);
    const refusals = followRefusals(options, review, round, read);
    // The usage and diagnostics of a refusal stay; its documents give way to the next provider's.
    readings.push(...read.readings.map((one) => (refusals.replaced.has(one) ? { ...one, documents: [] } : one)));
    steps.push(...refusals.steps);
    rounds.push(...refusals.rounds);
    if (read.spent !== null) {
      const { budget, files } = read.spent;
      steps.push({ code: 'budget_spent', budget });
      if (files === null) break;
      for (const file of files) unaffordable.add(file);
      rounds.push({ providers: round.providers, files: read.left });
    } else if (read.failed !== null) {
      const { provider, error, code } = read.failed;
      const others = findStandIns(options, review, round.providers, provider);
      if (others.length === 0) throw error;
      steps.push(reportStep(options, review, provider, code, others));
      rounds.push({ providers: others, files: read.left });
    }
  }
  return { readings, steps };
}

/** What follows from refusals, where the fallback goes on after one. */
interface FollowedRefusals {
  rounds: readonly Round[];
  steps: readonly ProviderFailed[];
  /** Readings that others' take the place of. */
  replaced: ReadonlySet<PartReading>;
}

/** The rounds in which others read what a provider refused; none where a refusal is the answer. */
function followRefusals(
  options: LlmStageOptions,
  review: ReviewUnderWay,
  { providers }: Round,
  { refused }: ChunksRead,
): FollowedRefusals {
  const rounds: Round[] = [];
  const steps: ProviderFailed[] = [];
  const replaced = new Set<PartReading>();
  if (options.onRefusal === 'stop') return { rounds, steps, replaced };
  for (const provider of new Set(refused.map((one) => one.provider))) {
    const others = findStandIns(options, review, providers, provider);
    if (others.length === 0) continue;
    const parts = refused.flatMap((one) => (one.provider === provider ? [one.part] : []));
    for (const part of parts) replaced.add(part);
    rounds.push({ providers: others, files: new Set(parts.flatMap(({ files }) => files.map(({ file }) => file))) });
    steps.push(reportStep(options, review, provider, 'LLM_REFUSED', others));
  }
  return { rounds, steps, replaced };
}

/** Counts and logs that others take over from a provider; gives the diagnostic. */
function reportStep(
  { telemetry }: LlmStageOptions,
  { context }: ReviewUnderWay,
  provider: LlmProvider,
  reason: string,
  others: readonly LlmProvider[],
): ProviderFailed {
  const next = others.map(({ id }) => id);
  telemetry.count(metric.llmFallback, 1, { [attribute.llmProvider]: provider.id, [attribute.errorType]: reason });
  context.logger.warn(
    { event: 'llm.fallback', provider: provider.id, errorCode: reason, next },
    'a model provider failed or refused; another one reads what is left of the change',
  );
  return { code: 'provider_failed', provider: provider.id, reason, next };
}

/** Only `files` (null: all) that can be paid for. */
function keepFiles(
  shares: readonly ProviderShare[],
  files: ReadonlySet<number> | null,
  unaffordable: ReadonlySet<number>,
): readonly ProviderShare[] {
  if (files === null && unaffordable.size === 0) return shares;
  const isKept = (file: number): boolean => (files === null || files.has(file)) && !unaffordable.has(file);
  return shares
    .map((share) => ({ ...share, files: new Set([...share.files].filter(isKept)) }))
    .filter(({ files: kept }) => kept.size > 0);
}
