import { CriticizerError } from '../../foundation/errors.js';
import type { Clock } from '../../foundation/time/clock.js';
import { errorFacts } from '../../telemetry/error-facts.js';
import type { Logger } from '../../telemetry/logger.js';
import type { HeldWork } from './slots.js';

/** How long a handler may take after its signal was aborted, in milliseconds. */
export const abortGraceMs = 5_000;

const ended = new Error('ended');

/**
 * Gives the handler a deadline: after `deadlineMs` its signal aborts with `WORK_TIMEOUT`, and its
 * lease is renewed no more. A handler that ignores its aborted signal, whatever the reason, is let
 * go `abortGraceMs` later: it keeps no slot, and its lease runs out.
 */
export function boundWork<Work>(
  handle: (work: Work, held: HeldWork<Work>) => Promise<void>,
  { name, deadlineMs, clock, logger }: { name: string; deadlineMs: number; clock: Clock; logger: Logger },
): (work: Work, held: HeldWork<Work>) => Promise<void> {
  const late = (): CriticizerError =>
    new CriticizerError('WORK_TIMEOUT', `${name}: work took longer than ${deadlineMs} ms.`, { category: 'upstream' });
  return async (work, held) => {
    const over = new AbortController();
    const quiet = (): undefined => undefined;
    clock.sleep(deadlineMs, over.signal).then(() => held.abort(late()), quiet);
    const abandoned = new Promise<never>((_resolve, reject) => {
      const abandon = (): void => {
        logger.error(
          { event: 'lease.handler_let_go', loop: name, ...errorFacts(held.reason) },
          'a handler ignores its aborted signal and is let go; its lease will run out',
        );
        reject(held.reason);
      };
      const onAbort = (): void => void clock.sleep(abortGraceMs, over.signal).then(abandon, quiet);
      if (held.signal.aborted) onAbort();
      else held.signal.addEventListener('abort', onAbort, { once: true });
    });
    const handled = handle(work, held);
    handled.catch(quiet);
    try {
      await Promise.race([handled, abandoned]);
    } finally {
      over.abort(ended);
    }
  };
}
