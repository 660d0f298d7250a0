import { checkFields, checkWhole, createOutboxWorker, createPeriodic, optional } from '@criticizer/core/internal';
import type { MessageStore } from '@criticizer/core/ports';
import type { DueParts } from './deliver-due.js';

/** How a mail outbox delivers while it runs. */
export interface StartMailsOptions {
  /** Mails that are sent at a time, 1 to 100. Default 5. */
  concurrency?: number | undefined;
  /** Of a mail that is being sent, renewed meanwhile: 3,000 ms or more. Default 60 s. */
  leaseMs?: number | undefined;
  /** The longest wait, in milliseconds, until a mail is found that another process wrote; at least 50. Default 5 s. */
  pollMs?: number | undefined;
}

/** How a mail outbox stops. */
export interface StopMailsOptions {
  /** Milliseconds that mails under way may take; then they are stopped as a crash would. Default 10 s. */
  graceMs?: number | undefined;
}

/** The worker behind `start` and `stop`. */
export interface MailWorker {
  start(options?: StartMailsOptions): Promise<void>;
  stop(options?: StopMailsOptions): Promise<void>;
  /** Looks at once, where it runs. */
  wake(): void;
}

const pruneEveryMs = 3_600_000;
const prunedAtATime = 1_000;

/** Removes old messages in pages, so that no statement holds many rows. */
async function pruneMessages(messages: Pick<MessageStore<never>, 'prune'>, olderThanMs: number, signal: AbortSignal) {
  for (let pruned = prunedAtATime; pruned === prunedAtATime && !signal.aborted; )
    pruned = await messages.prune({ olderThanMs, limit: prunedAtATime });
}

/**
 * A worker that may be started again after a stop. `keep` are messages that rest in the database and
 * how long; null where another vault has them.
 */
export function createMailWorker<Tx>(
  parts: DueParts<Tx>,
  keep: { messages: Pick<MessageStore<Tx>, 'prune'>; olderThanMs: number } | null,
): MailWorker {
  let running: { worker: ReturnType<typeof createOutboxWorker<Tx>>; pruning: { stop(): Promise<void> } } | undefined;
  return {
    async start(options = {}) {
      checkFields<StartMailsOptions>('start: options', options, {
        concurrency: optional((option, value) => checkWhole(option, value, 1, 100)),
        leaseMs: optional((option, value) => checkWhole(option, value, 3_000)),
        pollMs: optional((option, value) => checkWhole(option, value, 50)),
      });
      if (running !== undefined) return running.worker.start();
      const { concurrency = 5, leaseMs = 60_000, pollMs = 5_000 } = options;
      const poll = { minMs: Math.min(250, pollMs), maxMs: pollMs };
      const worker = createOutboxWorker({ ...parts, concurrency, leaseMs, poll });
      const { clock, random, logger } = parts;
      const duty = async (signal: AbortSignal): Promise<void> =>
        keep === null ? undefined : pruneMessages(keep.messages, keep.olderThanMs, signal);
      const pruning = createPeriodic({ name: 'mail-messages', everyMs: pruneEveryMs, duty, clock, random, logger });
      running = { worker, pruning };
      pruning.start();
      return worker.start();
    },
    async stop(options = {}) {
      checkFields<StopMailsOptions>('stop: options', options, {
        graceMs: optional((option, value) => checkWhole(option, value, 0)),
      });
      const stopped = running;
      running = undefined;
      await Promise.all([stopped?.worker.stop(options), stopped?.pruning.stop()]);
    },
    wake: () => running?.worker.wake(),
  };
}
