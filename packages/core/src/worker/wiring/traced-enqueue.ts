import { classifyFailure } from '../../foundation/failures/failure.js';
import type { Clock } from '../../foundation/time/clock.js';
import type { EnqueueResult, JobStore, NewJob } from '../../stores/job-store.js';
import { attribute, messagingAttributes, metric, nameMessagingSpan } from '../../telemetry/names.js';
import { noTelemetry, runInSpan, type Telemetry } from '../../telemetry/telemetry.js';
import { readTraceparent } from '../../telemetry/traceparent.js';

/** Where jobs go, and who is told. */
export interface TracedEnqueueOptions<Tx> {
  jobs: Pick<JobStore<Tx>, 'enqueue'>;
  telemetry: Telemetry;
  clock: Pick<Clock, 'monotonicMs'>;
}

/** Stores jobs, in the caller's transaction where `tx` is given. Throws what the store throws. */
export type TracedEnqueue<Tx> = (
  operation: 'submit' | 'enqueue',
  list: readonly NewJob[],
  tx: Tx | undefined,
) => Promise<readonly EnqueueResult[]>;

/** A `traceparent` that the caller gave stays; a malformed one must not fail the job that it came with. */
function withTraceparent(job: NewJob, own: string | undefined): NewJob {
  return readTraceparent(job?.traceparent) === null ? { ...job, traceparent: own } : job;
}

/**
 * Stores jobs within a producer span, a child of what is active in the host; each job keeps the
 * span's `traceparent`, or none without an SDK (OPS-6).
 */
export function createTracedEnqueue<Tx>({ jobs, telemetry, clock }: TracedEnqueueOptions<Tx>): TracedEnqueue<Tx> {
  return async (operation, list, tx) => {
    const stored = (own: string | undefined) => list.map((job) => withTraceparent(job, own));
    const kinds = [...new Set(list.map((job) => String(job?.kind)))];
    const [kind] = kinds;
    if (telemetry === noTelemetry || kind === undefined) return jobs.enqueue(stored(undefined), { tx });
    // A call with several kinds has no one destination.
    const destination = kinds.length === 1 ? kind : undefined;
    const labels = messagingAttributes('criticizer', operation, destination);
    const span = telemetry.startSpan(
      nameMessagingSpan(operation, destination),
      {
        ...labels,
        [attribute.messagingOperationType]: 'send',
        ...(list.length > 1 && { [attribute.messagingBatchCount]: list.length }),
      },
      { kind: 'producer' },
    );
    const began = clock.monotonicMs();
    const ended = (errorType?: string): void => {
      const failed = errorType === undefined ? {} : { [attribute.errorType]: errorType };
      telemetry.record(metric.messagingDuration, (clock.monotonicMs() - began) / 1_000, { ...labels, ...failed });
      span.end(errorType);
    };
    try {
      const results = await runInSpan(span, () => jobs.enqueue(stored(span.traceparent ?? undefined), { tx }));
      const [first] = results;
      if (list.length === 1 && first !== undefined)
        span.setAttributes({ [attribute.messagingMessageId]: first.job.id });
      ended();
      return results;
    } catch (error) {
      ended(classifyFailure(error).code);
      throw error;
    }
  };
}
