import type { LeaseLoop } from '../../worker/lease/lease-loop.js';
import type { AuditSink } from '../sinks/audit-sink.js';
import { createDestinationLoop, type DestinationLoopOptions } from './destination-loop.js';

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
      await Promise.all(sinks.map((sink) => sink.close?.()));
    },
  };
}
