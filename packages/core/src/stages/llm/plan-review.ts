import type { HostRule } from '../../egress/check-host.js';
import { type ChunkPlan, planChunks } from '../../prompt/plan-chunks.js';
import type { PromptChunk } from '../../prompt/prompt-chunk.js';
import type { PromptVariant } from '../../prompt/prompt-variant.js';
import type { Settings } from '../../settings/settings.js';
import type { Guide } from './guidance/guidance.js';
import type { ReadBefore } from './history/read-before.js';
import type { ProviderShare } from './provider-shares.js';
import { userTextTokens } from './review-request.js';
import { chooseContextLevel } from './share-context.js';
import type { TokenRates } from './token-rates/choose-rates.js';

/** One request's part of a change, and whose share it is of. */
export interface PlannedChunk {
  share: ProviderShare;
  chunk: PromptChunk;
}

export interface ReviewPlan {
  /** Numbered through over all shares. */
  chunks: readonly PlannedChunk[];
  /** Hunks with no room; the coverage ledger counts them as `budget`. */
  unsent: ChunkPlan['unsent'];
}

/** Takes chunks from whoever has most until all fit; the first in order of preference keeps its own longest. */
function grantChunks(needs: readonly number[], maxChunks: number): readonly number[] {
  const granted = [...needs];
  const total = (): number => granted.reduce((sum, one) => sum + one, 0);
  while (total() > maxChunks) {
    const largest = granted.lastIndexOf(Math.max(...granted));
    granted[largest] = (granted[largest] ?? 0) - 1;
  }
  return granted;
}

function planNothing({ change, files }: ProviderShare, readBefore: ReadBefore): ChunkPlan {
  const unsent = [...files].flatMap((file) => {
    const hunks = [...(change.files[file]?.hunks.keys() ?? [])].filter((hunk) => !readBefore.get(file)?.has(hunk));
    return change.files[file]?.skipped === null && hunks.length > 0 ? [{ file, hunks }] : [];
  });
  return { chunks: [], unsent };
}

/** What a plan of a review depends on. */
export interface PlanReviewOptions extends Pick<HostRule, 'isInternal'> {
  variant: PromptVariant;
  guide: Guide;
  rates: TokenRates;
  /** Hunks that need no request. */
  readBefore: ReadBefore;
  settings: Pick<Settings, 'llm' | 'review'>;
}

/**
 * How a change is split for its providers: each share under what is left of its model's context
 * after system text, schema, output and margin, and all of them under `llm.maxChunks`. The system
 * text is taken with the guidance for all files of the share, which no chunk's exceeds.
 * Deterministic.
 */
export function planReview(shares: readonly ProviderShare[], options: PlanReviewOptions): ReviewPlan {
  const { variant, guide, rates, readBefore } = options;
  const settings = options.settings.llm;
  const planShare = (share: ProviderShare, maxChunks: number): ChunkPlan =>
    planChunks(share.change, {
      template: variant.template,
      files: share.files,
      readBefore,
      named: share.named,
      budgetTokens: userTextTokens({ provider: share.provider, variant, settings, guidance: guide(share.files) }),
      contextLevel: chooseContextLevel(options, share.provider),
      maxChunks,
      bytesPerToken: rates(share.provider),
    });
  const wanted = shares.map((share) => planShare(share, settings.maxChunks));
  const needs = wanted.map((plan) => plan.chunks.length);
  const granted = grantChunks(needs, settings.maxChunks);
  const plans = shares.flatMap((share, n) => {
    const [plan, need = 0, count = 0] = [wanted[n], needs[n], granted[n]];
    if (plan === undefined) return [];
    if (count === need) return [{ share, plan }];
    return [{ share, plan: count === 0 ? planNothing(share, readBefore) : planShare(share, count) }];
  });
  const chunks = plans.flatMap(({ share, plan }) => plan.chunks.map((chunk) => ({ share, chunk })));
  return {
    chunks: chunks.map(({ share, chunk }, index) => ({ share, chunk: { ...chunk, index, count: chunks.length } })),
    unsent: plans.flatMap(({ plan }) => plan.unsent).sort((a, b) => a.file - b.file),
  };
}
