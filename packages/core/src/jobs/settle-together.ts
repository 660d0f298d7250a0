import { isCriticizerError } from '../errors.js';
import type { JobStore, Settlement, SettleOutcome } from './job-store.js';
import { deletesRow } from './job-transitions.js';

interface Waiting {
  settlement: Settlement;
  resolve(outcome: SettleOutcome): void;
  reject(reason: unknown): void;
}

/** Settlements in one call at most. */
const mostTogether = 500;
/** Calls under way at most: what comes meanwhile goes together into the next. */
const mostCalls = 2;

/** One settlement among others must not fare worse than alone: what only one of them may have caused is tried again one by one. */
function isOnesOwnFault(error: unknown): boolean {
  return !isCriticizerError(error) || error.category !== 'network';
}

/**
 * Settlements of one process that are ready at the same time leave in one call, so that many share one commit. Without load each leaves at once.
 */
export function createSettleTogether(jobs: Pick<JobStore<never>, 'settle'>): (settlement: Settlement) => Promise<SettleOutcome> {
  // What deletes rows is one statement, what keeps them another, and a store commits a call whole.
  const keeping: Waiting[] = [];
  const deleting: Waiting[] = [];
  let inTurn = keeping;
  let calls = 0;
  let isScheduled = false;

  const isWaiting = (): boolean => keeping.length + deleting.length > 0;

  async function settleAlone(one: Waiting): Promise<void> {
    try {
      const [outcome = 'lease-lost'] = await jobs.settle([one.settlement]);
      one.resolve(outcome);
    } catch (error) {
      one.reject(error);
    }
  }

  async function settleAll(batch: readonly Waiting[]): Promise<void> {
    const [first] = batch;
    if (first !== undefined && batch.length === 1) return settleAlone(first);
    try {
      const outcomes = await jobs.settle(batch.map(({ settlement }) => settlement));
      for (const [n, one] of batch.entries()) one.resolve(outcomes[n] ?? 'lease-lost');
    } catch (error) {
      if (isOnesOwnFault(error)) for (const one of batch) await settleAlone(one);
      else for (const one of batch) one.reject(error);
    }
  }

  /** Of the two in turn. */
  function takeBatch(): Waiting[] {
    const other = inTurn === keeping ? deleting : keeping;
    if (other.length > 0) inTurn = other;
    return inTurn.splice(0, mostTogether);
  }

  function send(): void {
    isScheduled = false;
    while (isWaiting() && calls < mostCalls) {
      const batch = takeBatch();
      calls++;
      void settleAll(batch).finally(() => {
        calls--;
        schedule();
      });
    }
  }

  /** After what runs in this turn: works that end together are sent together. */
  function schedule(): void {
    if (isScheduled || !isWaiting() || calls >= mostCalls) return;
    isScheduled = true;
    setImmediate(send);
  }

  return (settlement) =>
    new Promise((resolve, reject) => {
      (deletesRow(settlement) ? deleting : keeping).push({ settlement, resolve, reject });
      schedule();
    });
}
