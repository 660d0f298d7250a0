import { checkOptions, type OptionShape } from '../../foundation/check-options.js';
import { checkFunction, optional, withMethods } from '../../foundation/option-checks.js';
import { checkMs } from '../../foundation/store-input.js';
import type { AuditDeadLetter, AuditStore } from '../../stores/audit-store.js';
import { type AuditRootCause, rootCauseOf } from './root-cause.js';

/** Open dead letters of one destination that nobody has looked at for too long. */
export interface OverdueAuditLetters {
  destination: string;
  count: number;
  /** Age of the oldest, in milliseconds. */
  oldestMs: number;
  /** How many of each root cause. */
  causes: Readonly<Partial<Record<AuditRootCause, number>>>;
}

/** Where the letters are, and when one is overdue. */
export interface OverdueAuditLettersOptions {
  /** `Stores.audit`. */
  store: Pick<AuditStore<never>, 'listDeadLetters'>;
  /** `Stores.now`: the clock that stamped them. */
  now(): Promise<Date>;
  /** Milliseconds that a letter may be open. Default 300,000 (AUD-16). */
  olderThanMs?: number | undefined;
}

const optionShape: OptionShape<OverdueAuditLettersOptions> = {
  store: withMethods('listDeadLetters'),
  now: checkFunction,
  olderThanMs: optional((option, value) => checkMs(option, value)),
};

const pageSize = 1_000;

/** The code that ended a delivery; null for a letter without one. */
export function codeOfLetter({ errorDetails }: Pick<AuditDeadLetter, 'errorDetails'>): string | null {
  const code = errorDetails?.['code'];
  return typeof code === 'string' ? code : null;
}

/**
 * What an alert is raised for: open dead letters older than 5 minutes, by destination, the oldest
 * first (AUD-16). Reads in pages; empty where there is none. Throws `TypeError` for wrong options.
 */
export async function findOverdueAuditLetters(
  options: OverdueAuditLettersOptions,
): Promise<readonly OverdueAuditLetters[]> {
  checkOptions('findOverdueAuditLetters', options, optionShape);
  const { store, olderThanMs = 300_000 } = options;
  const nowMs = (await options.now()).getTime();
  const until = new Date(nowMs - olderThanMs);
  const found = new Map<string, OverdueAuditLetters>();
  for (let before: string | undefined, isMore = true; isMore; ) {
    const page = await store.listDeadLetters({ operatorStatus: 'open', until, limit: pageSize, before });
    for (const letter of page) {
      const { destination, deadLetteredAt } = letter;
      const known = found.get(destination) ?? { destination, count: 0, oldestMs: 0, causes: {} };
      const cause = rootCauseOf(codeOfLetter(letter));
      found.set(destination, {
        destination,
        count: known.count + 1,
        oldestMs: Math.max(known.oldestMs, nowMs - deadLetteredAt.getTime()),
        causes: { ...known.causes, [cause]: (known.causes[cause] ?? 0) + 1 },
      });
    }
    before = page.at(-1)?.id;
    isMore = page.length === pageSize;
  }
  return [...found.values()].sort((a, b) => b.oldestMs - a.oldestMs || (a.destination < b.destination ? -1 : 1));
}
