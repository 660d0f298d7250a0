import { withDeadline } from '../../foundation/time/with-deadline.js';
import { errorFacts } from '../../telemetry/error-facts.js';
import type { LeaseLoop } from '../../worker/lease/lease-loop.js';
import type { AuditSink } from '../sinks/audit-sink.js';
import { createDestinationLoop, type DestinationLoopOptions } from './destination-loop.js';

/** How long a sink may take to end its connections: a disk or a peer that hangs must hold up no stop. */
const closeTimeoutMs = 5_000;

/** The loops of all destinations of one process. */
export interface DestinationLoops {
  loops: readonly LeaseLoop[];
  /** Claim at once: something was just recorded or requeued. */
  wake(): void;
  /** Closes the sinks; after the loops have stopped. */
  close(): Promise<void>;
}

/** One loop for each sink. */
export function createDestinationLoops<Tx>(
  sinks: readonly AuditSink[],
  options: DestinationLoopOptions<Tx>,
): DestinationLoops {
  const loops = sinks.map((sink) => createDestinationLoop(sink, options));
  return {
    loops,
    wake() {
      for (const loop of loops) loop.wake();
    },
    async close() {
      const closing = sinks.map(async (sink) => {
        try {
          const deadline = { clock: options.clock, ms: closeTimeoutMs, call: `${sink.id}.close` };
          await withDeadline(deadline, Promise.resolve(sink.close?.()));
        } catch (error) {
          options.logger.warn(
            { event: 'audit.sink_close_failed', destination: sink.id, ...errorFacts(error) },
            'a sink did not close; it is let go',
          );
        }
      });
      await Promise.all(closing);
    },
  };
}
