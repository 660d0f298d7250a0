import { isCriticizerError } from '../../foundation/errors.js';
import { classifyFailure } from '../../foundation/failures/failure.js';
import type { Clock } from '../../foundation/time/clock.js';
import { withDeadline } from '../../foundation/time/with-deadline.js';
import type { JobStore, Settlement, SettleOutcome } from '../../stores/job-store.js';
import { deletesRow } from '../../stores/job-transitions.js';

/** The lease that a settlement is made under, as its loop knows it. */
export interface SettleHold {
  /** Why the lease is no longer to be used; undefined while it is kept up. */
  readonly reason: Error | undefined;
  /** The settlement waits for the store: the lease is to be renewed until it is written. */
  holdUp(): void;
}

export interface SettleBatcherOptions {
  jobs: Pick<JobStore<never>, 'settle'>;
  leaseMs: number;
  clock: Clock;
  /** The store took no settlement; called for each call that failed so. */
  onOutage(code: string): void;
  /** The store took settlements. Called after an outage only, once. */
  onHealed(): void;
}

/**
 * Writes a settlement. Rejects with what the settlement itself caused, such as a value that the
 * store does not take. An outage of the store is not that: the settlement is tried again for as
 * long as its lease is kept up, then it rejects with the reason why it is not.
 */
export type Settle = (settlement: Settlement, hold: SettleHold) => Promise<SettleOutcome>;

interface Waiting {
  settlement: Settlement;
  hold: SettleHold;
  /**
   * How often it failed alone for a cause that does not say whose it is, and how much had been
   * settled at the first time.
   */
  unclear: { failures: number; settledBefore: number } | undefined;
  resolve(outcome: SettleOutcome): void;
  reject(reason: unknown): void;
}

/** Settlements in one call at most. */
const maxBatch = 500;
/** Calls under way at most: what comes meanwhile goes together into the next. */
const maxCalls = 2;
/** Pauses between tries of what an outage held up: the first, doubled up to the longest. */
const firstPauseMs = 100;
const longestPauseMs = 2_000;
/** A settlement that failed alone so often for an unclear cause, while others went through, is taken for the cause. */
const maxUnclearFailures = 5;

type Blame = 'own' | 'unclear' | 'store';

/** Whose fault a rejected settlement is; see `JobStore.settle`. */
function judge(error: unknown): Blame {
  if (error instanceof TypeError) return 'own';
  const { code, category } = classifyFailure(error);
  if (code === 'ARTIFACT_NOT_PENDING' || code.endsWith('_CONSTRAINT')) return 'own';
  if (category === 'validation' || category === 'not_found' || category === 'policy') return 'own';
  return category === 'bug' || category === 'auth' ? 'unclear' : 'store';
}

/** A try before this one whose answer was lost has settled, too. */
function readOutcome(outcome: SettleOutcome | undefined): Exclude<SettleOutcome, 'settled-before'> {
  return outcome === 'settled-before' ? 'settled' : (outcome ?? 'lease-lost');
}

const isLost = ({ reason }: SettleHold): boolean => isCriticizerError(reason) && reason.code === 'LEASE_LOST';

/**
 * True where the failure of a batch may be the fault of one settlement in it: each is then tried
 * alone, so that one fares no worse among others.
 */
function mayBeCausedByOne(error: unknown): boolean {
  return judge(error) !== 'store';
}

// long: the steps of a settlement, each short, over the same queues
/**
 * Settlements of one process that are ready at the same time leave in one call, so that many share
 * one commit. Without load each leaves at once.
 */
export function createSettleBatcher(options: SettleBatcherOptions): Settle {
  const { jobs, leaseMs, clock } = options;
  // What deletes rows is one statement, what keeps them another, and a store commits a call whole.
  const keeping: Waiting[] = [];
  const deleting: Waiting[] = [];
  let heldUp: Waiting[] = [];
  let inTurn = keeping;
  let calls = 0;
  let isScheduled = false;
  let isPausing = false;
  let pauseMs = firstPauseMs;
  let isOut = false;
  let settledCalls = 0;

  const isWaiting = (): boolean => keeping.length + deleting.length > 0;
  const queueFor = ({ settlement }: Waiting): Waiting[] => (deletesRow(settlement) ? deleting : keeping);

  // Half a lease: then the settlement is held up, and its lease renewed before it is over. The
  // store has a deadline of its own and reads back what a lost answer left open; this one is for a
  // store that never answers.
  const call = (batch: readonly Waiting[]): Promise<readonly SettleOutcome[]> => {
    const settlements = batch.map(({ settlement }) => settlement);
    return withDeadline(
      { clock, ms: 0.6 * leaseMs, call: 'jobs.settle' },
      jobs.settle(settlements, { leaseMs: leaseMs / 2 }),
    );
  };

  function passed(): void {
    settledCalls++;
    pauseMs = firstPauseMs;
    if (isOut) options.onHealed();
    isOut = false;
  }

  function retryLater(): void {
    if (isPausing) return;
    isPausing = true;
    const ms = pauseMs;
    pauseMs = Math.min(longestPauseMs, pauseMs * 2);
    void clock.sleep(ms).then(() => {
      isPausing = false;
      const again = heldUp;
      heldUp = [];
      for (const one of again) {
        if (isLost(one.hold)) one.reject(one.hold.reason);
        else queueFor(one).push(one); // once more where the worker stops, whose job then need not run again
      }
      schedule();
    });
  }

  /** For as long as the lease is kept up; a job that is given back or was lost is not waited for. */
  function holdUp(batch: readonly Waiting[], error: unknown): void {
    isOut = true;
    options.onOutage(classifyFailure(error).code);
    for (const one of batch) {
      if (one.hold.reason === undefined) {
        one.hold.holdUp();
        heldUp.push(one);
      } else one.reject(one.hold.reason);
    }
    if (heldUp.length > 0) retryLater();
  }

  /** One that failed alone. */
  function blame(one: Waiting, error: unknown): void {
    one.unclear ??= { failures: 0, settledBefore: settledCalls };
    one.unclear.failures++;
    const othersPassed = settledCalls > one.unclear.settledBefore;
    const isOwn = judge(error) === 'own' || (othersPassed && one.unclear.failures >= maxUnclearFailures);
    if (isOwn) one.reject(error);
    else holdUp([one], error);
  }

  async function settleAll(batch: readonly Waiting[]): Promise<void> {
    try {
      const outcomes = await call(batch);
      passed();
      for (const [n, one] of batch.entries()) one.resolve(readOutcome(outcomes[n]));
    } catch (error) {
      const [first] = batch;
      if (!mayBeCausedByOne(error)) holdUp(batch, error);
      else if (first !== undefined && batch.length === 1) blame(first, error);
      else for (const one of batch) await settleAll([one]);
    }
  }

  /** Of the two in turn. */
  function takeBatch(): Waiting[] {
    const other = inTurn === keeping ? deleting : keeping;
    if (other.length > 0) inTurn = other;
    return inTurn.splice(0, maxBatch);
  }

  function send(): void {
    isScheduled = false;
    while (isWaiting() && calls < maxCalls) {
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
    if (isScheduled || !isWaiting() || calls >= maxCalls) return;
    isScheduled = true;
    setImmediate(send);
  }

  return (settlement, hold) =>
    new Promise((resolve, reject) => {
      const one: Waiting = { settlement, hold, unclear: undefined, resolve, reject };
      queueFor(one).push(one);
      schedule();
    });
}
