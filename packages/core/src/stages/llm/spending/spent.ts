import type { LlmProvider, LlmUsage } from '../../../llm/llm-provider.js';
import type { Settings } from '../../../settings/settings.js';

/** `settings.llm.budget`. */
export type BudgetSettings = Settings['llm']['budget'];

/** What a budget limits; null: no limit. */
export type Limits = Pick<BudgetSettings['perDay'], 'requests' | 'inputTokens' | 'outputTokens' | 'cost'>;

/** What requests to models took. */
export interface Spent {
  requests: number;
  inputTokens: number;
  outputTokens: number;
  /** In millionths of the currency of `llm.budget.prices`. */
  costMicros: number;
}

/** No request yet. */
export const nothingSpent = (): Spent => ({ requests: 0, inputTokens: 0, outputTokens: 0, costMicros: 0 });

/** The name of the first limit that is reached; null where there is room. */
export function findReachedLimit(limits: Limits, spent: Spent): keyof Limits | null {
  const rows: readonly (readonly [keyof Limits, number])[] = [
    ['requests', spent.requests],
    ['inputTokens', spent.inputTokens],
    ['outputTokens', spent.outputTokens],
    ['cost', spent.costMicros / 1_000_000],
  ];
  return rows.find(([name, value]) => limits[name] !== null && value >= (limits[name] ?? 0))?.[0] ?? null;
}

/** Whether anything is limited. */
export function hasLimit({ requests, inputTokens, outputTokens, cost }: Limits): boolean {
  return [requests, inputTokens, outputTokens, cost].some((limit) => limit !== null);
}

/** What the tokens of one reply cost, at the host's prices. What the vendor does not count costs nothing here. */
export function priceUsage({ prices }: BudgetSettings, provider: Pick<LlmProvider, 'id'>, usage: LlmUsage): Spent {
  const [input, output, cached] = [usage.inputTokens ?? 0, usage.outputTokens ?? 0, usage.cachedInputTokens ?? 0];
  const price = prices.find((row) => row.provider === provider.id);
  const rate = price ?? { inputPerMillion: 0, outputPerMillion: 0, cachedInputPerMillion: null };
  const cachedRate = rate.cachedInputPerMillion ?? rate.inputPerMillion;
  // A price for a million tokens is a price in millionths for one.
  const costMicros = Math.round(
    (input - cached) * rate.inputPerMillion + cached * cachedRate + output * rate.outputPerMillion,
  );
  return { requests: 0, inputTokens: input, outputTokens: output, costMicros };
}

/** Adds `more` to `sum`; what `more` does not name stays. */
export function addSpent(sum: Spent, more: Partial<Spent>): void {
  sum.requests += more.requests ?? 0;
  sum.inputTokens += more.inputTokens ?? 0;
  sum.outputTokens += more.outputTokens ?? 0;
  sum.costMicros += more.costMicros ?? 0;
}
