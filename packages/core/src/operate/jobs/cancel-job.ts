import { checkText } from '../../foundation/store-input.js';
import type { CancelOutcome } from '../../stores/job-store.js';
import {
  checkRequest,
  type Operated,
  type OperatorParts,
  type OperatorRequest,
  performOperation,
} from '../operation.js';

/** Which job to cancel; the job keeps the first 1,024 characters of `reason`. */
export interface CancelJob extends OperatorRequest {
  jobId: string;
}

/**
 * Ends a queued job without a dead letter (ruling R1). On a running one it sets a flag: its owner
 * gives the job back at its next heartbeat, or the lease expires, and the job ends the same way
 * (ruling R24). What the owner completes before that counts.
 */
export async function cancelJob<Tx>(parts: OperatorParts<Tx>, request: CancelJob): Promise<Operated<CancelOutcome>> {
  checkRequest<CancelJob>('cancelJob', request, { jobId: checkText });
  const { jobId, actor, reason } = request;
  const kept = reason.slice(0, 1024).replace(/[\uD800-\uDBFF]$/, ''); // never half a character
  return performOperation(parts, {
    action: 'job.cancel',
    targetType: 'job',
    targetId: jobId,
    actor,
    reason,
    change: async (tx) => (await parts.stores.jobs.cancel([jobId], kept, { tx }))[0] ?? 'not-found',
    hasChanged: (outcome) => outcome === 'cancelled' || outcome === 'cancel-requested',
  });
}
