import type { LlmProvider, LlmUsage } from '../../../llm/llm-provider.js';
import { attribute, metric } from '../../../telemetry/names.js';
import { raiseSecurityEvent } from '../../../telemetry/raise-security-event.js';
import type { SecurityEvents } from '../../../telemetry/security-events.js';
import type { Telemetry } from '../../../telemetry/telemetry.js';
import type { TruePaths } from '../../job/change-snapshot.js';
import type { PathBudget } from './path-budgets.js';
import type { SpendingLedger } from './spending-ledger.js';
import {
  addSpent,
  type BudgetSettings,
  findReachedLimit,
  hasLimit,
  type Limits,
  nothingSpent,
  priceUsage,
  type Spent,
} from './spent.js';

/** A budget was spent before a request: not a failure, its chunk is not reviewed. */
export class BudgetSpent extends Error {
  /** `review.requests`, `day.cost`, `path.NAME.requests`, … */
  readonly budget: string;
  /** Files under the budget, by their place in the change; null: all. */
  readonly files: ReadonlySet<number> | null;

  constructor(budget: string, files: ReadonlySet<number> | null) {
    super(`the budget ${budget} is spent`);
    this.budget = budget;
    this.files = files;
  }
}

/** True for what `ReviewBudget.admit` throws. */
export function isBudgetSpent(error: unknown): error is BudgetSpent {
  return error instanceof BudgetSpent;
}

/** The budgets of one run of a review. Files are indexes into its change. */
export interface ReviewBudget {
  /**
   * Throws `BudgetSpent` where a limit of the review, of the last 24 hours, or of a path among `files`
   * is reached. A shared budget that is spent is reported once a day by one process.
   */
  admit(files: readonly number[]): Promise<void>;
  /** Counts one request, before it is sent. */
  countRequest(provider: Pick<LlmProvider, 'id'>, files: readonly number[]): Promise<void>;
  /** Counts what the vendor counted of its reply. */
  countUsage(provider: Pick<LlmProvider, 'id'>, usage: LlmUsage, files: readonly number[]): Promise<void>;
}

/** What a review's budget is made of. */
export interface ReviewBudgetOptions {
  settings: BudgetSettings;
  /** Of `settings.perPath`. */
  pathBudgets: readonly PathBudget[];
  /** Of the change, in its order. */
  truePaths: readonly TruePaths[];
  ledger: SpendingLedger;
  securityEvents: SecurityEvents;
  telemetry: Pick<Telemetry, 'count'>;
  clock: { monotonicMs(): number };
  /** For the report. */
  about: { jobId: string; changelistId: string };
}

/** A limit that is shared by all processes, under its name in the ledger. */
interface SharedBudget {
  name: string;
  limits: Limits;
  files: ReadonlySet<number> | null;
}

function listShared({ settings, pathBudgets, truePaths }: ReviewBudgetOptions): readonly SharedBudget[] {
  const byPath = pathBudgets.map(({ name, limits, covers }) => ({
    name: `path.${name}`,
    limits,
    files: new Set([...truePaths.entries()].flatMap(([at, paths]) => (covers(paths) ? [at] : []))),
  }));
  return [{ name: 'day', limits: settings.perDay, files: null }, ...byPath].filter(({ limits }) => hasLimit(limits));
}

/**
 * The budgets of a review: its own, that of the last 24 hours and those of paths, the latter two
 * counted over all processes. A request counts in full under each budget that a file of
 * it is under. Requests that are under way at the same time may each pass before the tokens of the
 * others are counted.
 */
export function createReviewBudget(options: ReviewBudgetOptions): ReviewBudget {
  const { settings, ledger, securityEvents, telemetry, clock, about } = options;
  const own = nothingSpent();
  const began = clock.monotonicMs();
  const shared = listShared(options);
  const sharedFor = (files: readonly number[]): readonly SharedBudget[] =>
    shared.filter((budget) => budget.files === null || files.some((file) => budget.files?.has(file)));

  async function count(provider: Pick<LlmProvider, 'id'>, spent: Spent, files: readonly number[]): Promise<void> {
    addSpent(own, spent);
    const names = sharedFor(files).map(({ name }) => name);
    await ledger.add(names, provider.id, spent);
  }

  async function refuse(budget: string, by: SharedBudget | null): Promise<never> {
    telemetry.count(metric.llmBudgetSpent, 1, { [attribute.budget]: budget });
    if (by !== null && (await ledger.claimReport(by.name)))
      raiseSecurityEvent(securityEvents, {
        type: 'llm.budget_spent',
        reason: 'a budget of requests to models is spent; what is under it is not reviewed until it has room again',
        details: { budget },
        ...about,
      });
    throw new BudgetSpent(budget, by?.files ?? null);
  }

  return {
    async admit(files) {
      const { wallMs } = settings.perReview;
      if (wallMs !== null && clock.monotonicMs() - began >= wallMs) await refuse('review.wallMs', null);
      const ofReview = findReachedLimit(settings.perReview, own);
      if (ofReview !== null) await refuse(`review.${ofReview}`, null);
      for (const budget of sharedFor(files)) {
        const reached = findReachedLimit(budget.limits, await ledger.read(budget.name));
        if (reached !== null) await refuse(`${budget.name}.${reached}`, budget);
      }
    },
    countRequest: (provider, files) => count(provider, { ...nothingSpent(), requests: 1 }, files),
    countUsage: (provider, usage, files) => count(provider, priceUsage(settings, provider, usage), files),
  };
}
