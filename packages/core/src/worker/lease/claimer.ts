import { CriticizerError } from '../../foundation/errors.js';
import type { Clock } from '../../foundation/time/clock.js';
import type { Random } from '../../foundation/time/random.js';
import { withDeadline } from '../../foundation/time/with-deadline.js';
import { leaseLost } from './beats.js';
import type { LeaseSource } from './lease-source.js';
import type { Slots } from './slots.js';

export const shutdown = (): CriticizerError =>
  new CriticizerError('SHUTDOWN', 'The worker is stopping.', { category: 'conflict' });

const givenBack = (): CriticizerError =>
  new CriticizerError('GIVEN_BACK', 'Other work must run alone in this process; this was given back.', {
    category: 'conflict',
  });

export interface ClaimerOptions<Work> {
  name: string;
  source: Pick<LeaseSource<Work>, 'claim'>;
  slots: Slots<Work>;
  /** False while the loop could not renew what it claimed. */
  mayClaim(): boolean;
  runsAlone(work: Work): boolean;
  prefetch: number;
  /** The lease of the next claim. */
  leaseMs(): number;
  /** Aborts when the loop stops: what a claim under way brings is then given back. */
  stopping: AbortSignal;
  clock: Clock;
  random: Random;
}

/** Claims work for one loop and puts it into the slots. */
export interface Claimer {
  /** Unique per loop and process start. */
  readonly owner: string;
  /** How many to claim now. */
  room(): number;
  /**
   * Claims at most `limit` works; gives their number. Rejects with the store's error, with
   * `STORE_TIMEOUT` after a lease, or with the reason of `signal`; what the store gives after that
   * goes to handlers whose signal is aborted.
   */
  claim(limit: number, signal?: AbortSignal): Promise<number>;
}

// long: one claim and what it may bring share the state of one loop
export function createClaimer<Work>(options: ClaimerOptions<Work>): Claimer {
  const { name, source, slots, runsAlone, prefetch, stopping, clock, random } = options;
  const owner = `${name}-${random.uuid()}`;
  /** Work that runs alone runs, or waits in the store until this loop holds nothing. */
  let isDraining = false;

  /** With prefetch, once the next claim is sent, where one follows: the store works on that one while these run. */
  function fill(isClaimNext: boolean): void {
    if (isClaimNext && prefetch > 0) setImmediate(slots.fill);
    else slots.fill();
  }

  type Asked = { askedMs: number; leaseMs: number };

  function takeAll(claimed: readonly Work[], asked: Asked, refusal?: Error): void {
    for (const work of claimed) slots.take(work, asked, refusal);
  }

  const refusalOf = ({ askedMs, leaseMs }: Asked): Error | undefined => {
    if (stopping.aborted) return shutdown(); // its handler gives it back
    return clock.monotonicMs() - askedMs >= leaseMs ? leaseLost() : undefined;
  };

  /**
   * Takes the first work that runs alone once this loop holds nothing else; a process that dies of
   * it then takes no other with it. While it holds something, such work goes back to the store,
   * where no lease of it can be lost, and nothing is claimed until what runs is over.
   */
  async function isolate(claimed: readonly Work[], asked: Asked): Promise<void> {
    isDraining = true;
    const alone = slots.running() === 0 ? claimed.find(runsAlone) : undefined;
    if (alone === undefined) {
      takeAll(
        claimed.filter((work) => !runsAlone(work)),
        asked,
      );
      takeAll(claimed.filter(runsAlone), asked, givenBack());
      return;
    }
    takeAll(
      claimed.filter((work) => work !== alone),
      asked,
      givenBack(),
    );
    await slots.emptied();
    takeAll([alone], asked, refusalOf(asked));
  }

  return {
    owner,
    room() {
      if (!options.mayClaim()) return 0;
      if (isDraining && slots.running() > 0) return 0;
      isDraining = false;
      return slots.room();
    },
    async claim(limit, signal) {
      const asked = { askedMs: clock.monotonicMs(), leaseMs: options.leaseMs() };
      const { leaseMs } = asked;
      const answer = source.claim({ owner, token: random.uuid(), leaseMs, limit });
      const deadline = { clock, ms: leaseMs, call: `${name}.claim`, signal };
      const claimed = await withDeadline(deadline, answer).catch((error: unknown) => {
        // The loop goes on without it. What it takes after all may be another's by the time it answers.
        answer.then(
          (late) => takeAll(late, asked, leaseLost()),
          () => undefined,
        );
        throw error;
      });
      // A call that took a whole lease, an outage survived, say: what it brought may be another's.
      const refusal = refusalOf(asked);
      if (refusal === undefined && claimed.some(runsAlone)) await isolate(claimed, asked);
      else takeAll(claimed, asked, refusal);
      fill(claimed.length >= limit);
      return claimed.length;
    },
  };
}
