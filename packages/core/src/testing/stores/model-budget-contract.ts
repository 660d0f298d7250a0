import assert from 'node:assert/strict';
import { noUsage } from '../../llm/llm-provider.js';
import { resolveSettings } from '../../settings/settings.js';
import { compilePathBudgets } from '../../stages/llm/spending/path-budgets.js';
import { createReviewBudget, isBudgetSpent, type ReviewBudget } from '../../stages/llm/spending/review-budget.js';
import { createSpendingLedger } from '../../stages/llm/spending/spending-ledger.js';
import type { Stores } from '../../stores/stores.js';
import { createMemorySecurityEvents } from '../../telemetry/memory-security-events.js';
import { noTelemetry } from '../../telemetry/telemetry.js';
import { contractCases } from '../support/contract-cases.js';
import type { Runner } from '../support/runner.js';
import type { StoresHarness } from './stores-harness.js';

const hourMs = 3_600_000;
const provider = { id: 'house' };
const { budget: settings } = resolveSettings({
  llm: {
    budget: {
      perDay: { inputTokens: 1_000 },
      perPath: [{ name: 'engine', paths: ['//depot/engine/...'], requests: 2 }],
    },
  },
}).llm;
const truePaths = ['//depot/Engine/a.c', '//depot/game/b.c'].map((path) => ({ path, oldPath: null }));

/** One process's budgets over the stores; `reports` is what all of them raised. */
function openBudgets<Tx>(stores: Stores<Tx>) {
  const securityEvents = createMemorySecurityEvents();
  const open = (): ReviewBudget =>
    createReviewBudget({
      settings,
      pathBudgets: compilePathBudgets(settings.perPath),
      truePaths,
      ledger: createSpendingLedger({ ...stores, storeNow: () => stores.now() }),
      securityEvents,
      telemetry: noTelemetry,
      clock: { monotonicMs: () => 0 },
      about: { jobId: 'j', changelistId: 'main/7' },
    });
  return { open, reports: () => securityEvents.events.map(({ details }) => details['budget']) };
}

/** The name of the budget that refuses a request; null where it may go. */
async function refusal(budget: ReviewBudget, files: readonly number[]): Promise<string | null> {
  try {
    await budget.admit(files);
    return null;
  } catch (error) {
    if (!isBudgetSpent(error)) throw error;
    return error.budget;
  }
}

/** What budgets that all processes share need of the stores. */
export function describeModelBudgetContract<Tx>(runner: Runner, harness: StoresHarness<Tx>): void {
  runner.describe('Model budget contract', () => {
    const it = contractCases(runner, harness);

    it('OUT-9: processes share the budget of a path; other files go on, and it is reported once', async ({
      stores,
    }) => {
      const { open, reports } = openBudgets(stores);
      const processes = [open(), open(), open()];
      await Promise.all(processes.slice(0, 2).map((one) => one.countRequest(provider, [0, 1])));
      const answers = await Promise.all(processes.map((one) => refusal(one, [0])));
      assert.deepEqual(answers, Array(3).fill('path.engine.requests'));
      assert.equal(await refusal(open(), [1]), null);
      assert.deepEqual(reports(), ['path.engine.requests']);
    });

    it('OUT-9: what was spent within 24 hours counts by the store’s clock, then no more', async ({ stores, clock }) => {
      const { open, reports } = openBudgets(stores);
      // Late in an hour, so that its bucket began long before.
      const intoHourMs = (await stores.now()).getTime() % hourMs;
      await clock.advance(hourMs - intoHourMs - 1_000);
      await open().countUsage(provider, { ...noUsage, inputTokens: 1_000 }, [1]);
      await clock.advance(24 * hourMs - 60_000);
      assert.equal(await refusal(open(), [1]), 'day.inputTokens');
      await clock.advance(hourMs + 120_000);
      assert.equal(await refusal(open(), [1]), null);
      await open().countUsage(provider, { ...noUsage, inputTokens: 1_000 }, [1]);
      assert.equal(await refusal(open(), [1]), 'day.inputTokens');
      assert.deepEqual(reports(), ['day.inputTokens']);
      await clock.advance(23 * hourMs);
      assert.equal(await refusal(open(), [1]), 'day.inputTokens');
      // More than a day after the first report, so there is a second.
      assert.deepEqual(reports(), ['day.inputTokens', 'day.inputTokens']);
    });
  });
}
