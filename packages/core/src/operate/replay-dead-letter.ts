import { checkBoolean, optional } from '../foundation/option-checks.js';
import { checkText } from '../foundation/store-input.js';
import {
  checkRequest,
  type Operated,
  type OperatorParts,
  type OperatorRequest,
  performOperation,
} from './operation.js';

/** Which dead letter to run again, and from where. */
export interface ReplayDeadLetter extends OperatorRequest {
  deadLetterId: string;
  /** Where to start. Default: the stage that failed (ERR-9). */
  stage?: string | undefined;
  /** True clears all outputs and every stage's attempts; `stage` is then required. Default false. */
  fromStart?: boolean | undefined;
}

/**
 * Queues the job of an open dead letter again (ERR-9); `reason` is the remediation evidence and
 * becomes a note. Of two operators one replays, the other gets `not-open`.
 */
export async function replayDeadLetter<Tx>(
  parts: OperatorParts<Tx>,
  request: ReplayDeadLetter,
): Promise<Operated<'replayed' | 'not-open' | 'not-found'>> {
  checkRequest<ReplayDeadLetter>('replayDeadLetter', request, {
    deadLetterId: checkText,
    stage: optional((option, value) => checkText(option, value, 128)),
    fromStart: optional(checkBoolean),
  });
  const { deadLetterId, fromStart = false, actor, reason } = request;
  if (fromStart && request.stage === undefined)
    throw new TypeError('replayDeadLetter: stage: expected the first stage of the job, as fromStart is true');
  const { deadLetters } = parts.stores;
  const letter = await deadLetters.get(deadLetterId);
  if (letter === null) return { outcome: 'not-found', audit: 'none' };
  const stage = request.stage ?? letter.stage;
  return performOperation(parts, {
    action: 'dead_letter.replay',
    targetType: 'dead_letter',
    targetId: letter.id,
    payload: { jobId: letter.jobId, stage, fromStart },
    actor,
    reason,
    change: (tx) => deadLetters.replay({ deadLetterId, stage, fromStart, actor, evidence: reason }, { tx }),
    hasChanged: (outcome) => outcome === 'replayed',
  });
}
