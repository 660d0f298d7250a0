import type { LlmProvider, LlmUsage } from '../../llm/llm-provider.js';
import type { Settings } from '../../settings/settings.js';
import type { SampleStore } from '../../stores/sample-store.js';

type BudgetSettings = Settings['llm']['budget'];
type Limits = Pick<BudgetSettings['perDay'], 'requests' | 'inputTokens' | 'outputTokens' | 'cost'>;

/** What requests to models took. */
interface Spent {
  requests: number;
  inputTokens: number;
  outputTokens: number;
  /** In millionths of the currency of `llm.budget.prices`. */
  costMicros: number;
}

/** A budget was spent before a request: not a failure, its chunk is not reviewed. */
export class BudgetSpent extends Error {
  /** `review.requests`, `day.cost`, … */
  readonly budget: string;

  constructor(budget: string) {
    super(`the budget ${budget} is spent`);
    this.budget = budget;
  }
}

/** True for what `ReviewBudget.admit` throws. */
export function isBudgetSpent(error: unknown): error is BudgetSpent {
  return error instanceof BudgetSpent;
}

/** The budget of one run of a review. */
export interface ReviewBudget {
  /** Throws `BudgetSpent` where a limit of the review or of the last 24 hours is reached. */
  admit(): Promise<void>;
  /** Counts one request, answered or not. */
  record(provider: LlmProvider, usage: LlmUsage | null): Promise<void>;
}

const sampleName = 'llm.spent';
const hour = 3_600_000;
const day = 24 * hour;

const nothing = (): Spent => ({ requests: 0, inputTokens: 0, outputTokens: 0, costMicros: 0 });

/** The name of the first limit that is reached; null where there is room. */
function reachedLimit(limits: Limits, spent: Spent): string | null {
  const rows: readonly (readonly [keyof Limits, number])[] = [
    ['requests', spent.requests],
    ['inputTokens', spent.inputTokens],
    ['outputTokens', spent.outputTokens],
    ['cost', spent.costMicros / 1_000_000],
  ];
  return rows.find(([name, value]) => limits[name] !== null && value >= (limits[name] ?? 0))?.[0] ?? null;
}

/** What one request took, at the host's prices. What the vendor does not count costs nothing here. */
function priceOf({ prices }: BudgetSettings, provider: LlmProvider, usage: LlmUsage | null): Spent {
  const { inputTokens, outputTokens, cachedInputTokens } = usage ?? {};
  const [input, output, cached] = [inputTokens ?? 0, outputTokens ?? 0, cachedInputTokens ?? 0];
  const price = prices.find((row) => row.provider === provider.id);
  const rate = price ?? { inputPerMillion: 0, outputPerMillion: 0, cachedInputPerMillion: null };
  const cachedRate = rate.cachedInputPerMillion ?? rate.inputPerMillion;
  // A price for a million tokens is a price in millionths for one.
  const costMicros = Math.round(
    (input - cached) * rate.inputPerMillion + cached * cachedRate + output * rate.outputPerMillion,
  );
  return { requests: 1, inputTokens: input, outputTokens: output, costMicros };
}

function addTo(sum: Spent, more: Partial<Spent>): void {
  sum.requests += more.requests ?? 0;
  sum.inputTokens += more.inputTokens ?? 0;
  sum.outputTokens += more.outputTokens ?? 0;
  sum.costMicros += more.costMicros ?? 0;
}

const hasLimit = (limits: Limits): boolean =>
  [limits.requests, limits.inputTokens, limits.outputTokens, limits.cost].some((limit) => limit !== null);

/**
 * The budgets that a review is asked under: its own, and that of the last 24 hours of all
 * processes, counted in the store by the hour. Requests that are under way at the same time may
 * each pass before the others are counted.
 */
export function createReviewBudget(
  settings: BudgetSettings,
  { samples, clock }: { samples: Pick<SampleStore, 'add' | 'read'>; clock: { monotonicMs(): number } },
): ReviewBudget {
  const own = nothing();
  const began = clock.monotonicMs();

  async function spentToday(): Promise<Spent> {
    const sum = nothing();
    for (const { counts } of await samples.read(sampleName, { sinceMs: day })) addTo(sum, counts);
    return sum;
  }

  return {
    async admit() {
      const { wallMs } = settings.perReview;
      if (wallMs !== null && clock.monotonicMs() - began >= wallMs) throw new BudgetSpent('review.wallMs');
      const ofReview = reachedLimit(settings.perReview, own);
      if (ofReview !== null) throw new BudgetSpent(`review.${ofReview}`);
      if (!hasLimit(settings.perDay)) return;
      const ofDay = reachedLimit(settings.perDay, await spentToday());
      if (ofDay !== null) throw new BudgetSpent(`day.${ofDay}`);
    },
    async record(provider, usage) {
      const spent = priceOf(settings, provider, usage);
      addTo(own, spent);
      if (!hasLimit(settings.perDay)) return;
      await samples.add([{ name: sampleName, variant: provider.id, counts: { ...spent } }], { bucketMs: hour });
    },
  };
}
