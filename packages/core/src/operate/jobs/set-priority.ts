import { checkText, checkWhole } from '../../foundation/store-input.js';
import {
  checkRequest,
  type Operated,
  type OperatorParts,
  type OperatorRequest,
  performOperation,
} from '../operation.js';

/** The new priority of a queued job; a higher one runs first. */
export interface SetPriority extends OperatorRequest {
  jobId: string;
  /** The priority that the operator saw. Another one by now is a `conflict`. */
  seen: number;
  priority: number;
}

/** Sets the priority of a queued job where it still has the one that the operator saw (WQ-3). */
export async function setPriority<Tx>(
  parts: OperatorParts<Tx>,
  request: SetPriority,
): Promise<Operated<'set' | 'conflict' | 'not-queued' | 'not-found'>> {
  checkRequest<SetPriority>('setPriority', request, {
    jobId: checkText,
    seen: (option, value) => checkWhole(option, value),
    priority: (option, value) => checkWhole(option, value),
  });
  const { jobId, seen, priority, actor, reason } = request;
  return performOperation(parts, {
    action: 'job.priority',
    targetType: 'job',
    targetId: jobId,
    payload: { seen, priority },
    actor,
    reason,
    change: (tx) => parts.stores.jobs.setPriority(jobId, { expected: seen, next: priority }, { tx }),
    hasChanged: (outcome) => outcome === 'set',
  });
}
