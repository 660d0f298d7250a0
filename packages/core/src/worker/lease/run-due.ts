import type { LeaseLoop, LoopDrive } from './lease-loop.js';

export interface DueRunOptions {
  /** Works claimed at most, of all loops together. Default: all that is due. */
  limit?: number | undefined;
  /** Aborting it claims nothing more and aborts what runs with its reason. */
  signal?: AbortSignal | undefined;
}

/** A flag that one waiter waits for; a wake between `clear` and `wait` is kept. */
function createNotice(): { wake(): void; clear(): void; wait(): Promise<void> } {
  let isSet = false;
  let goOn: (() => void) | undefined;
  return {
    wake() {
      isSet = true;
      goOn?.();
    },
    clear() {
      isSet = false;
    },
    wait: () => (isSet ? Promise.resolve() : new Promise((resolve) => (goOn = resolve))),
  };
}

/** One claim of each loop; null where a loop cannot claim now. The first failure, after all have answered. */
async function claimOnce(drives: readonly LoopDrive[], limit: number): Promise<number | null> {
  const answers = await Promise.allSettled(drives.map((drive) => drive.claim(limit)));
  let sum: number | null = 0;
  for (const answer of answers) {
    if (answer.status === 'rejected') throw answer.reason;
    sum = answer.value === null || sum === null ? null : sum + answer.value;
  }
  return sum;
}

/**
 * Runs what is due in loops that were not started, renewing leases meanwhile, until no claim brings
 * anything and nothing runs. Gives the number of works claimed. What the works themselves make due
 * runs too. A handler that ignores the abort holds the run up only in loops without a deadline.
 * Rejects with the first error of a claim, once what runs has ended.
 */
export async function runDue(loops: readonly LeaseLoop[], options: DueRunOptions = {}): Promise<number> {
  const { limit = Number.POSITIVE_INFINITY, signal } = options;
  const notice = createNotice();
  const drives = loops.map((loop) => loop.drive(notice.wake, signal));
  const isBusy = (): boolean => loops.some((loop) => loop.running() > 0);
  let claimed = 0;
  let failure: { error: unknown } | undefined;
  try {
    for (;;) {
      notice.clear();
      const wasBusy = isBusy();
      const isOpen = failure === undefined && claimed < limit && signal?.aborted !== true;
      const got = isOpen
        ? await claimOnce(drives, limit - claimed).catch((error: unknown) => {
            failure = { error };
            return null;
          })
        : 0;
      claimed += got ?? 0;
      if (failure === undefined && got !== 0 && got !== null) continue;
      if (!wasBusy && !isBusy() && (got === 0 || failure !== undefined)) break;
      if (failure === undefined || isBusy()) await notice.wait();
    }
  } finally {
    for (const drive of drives) drive.end();
  }
  if (failure !== undefined && signal?.aborted !== true) throw failure.error;
  return claimed;
}
