import { optional } from '../../foundation/option-checks.js';
import { checkText } from '../../foundation/store-input.js';
import {
  checkRequest,
  type Operated,
  type OperatorParts,
  type OperatorRequest,
  performOperation,
} from '../operation.js';

/** Which dead letter somebody has looked at; `reason` is the cause that was found, and becomes a note. */
export interface TriageDeadLetter extends OperatorRequest {
  deadLetterId: string;
  /** What was mended, where that is known: 1 to 8,192 characters. A replay needs it. */
  evidence?: string | undefined;
}

/** Moves an open dead letter to `triaged`, with its cause and the remediation as notes (ERR-9). */
export async function triageDeadLetter<Tx>(
  parts: OperatorParts<Tx>,
  request: TriageDeadLetter,
): Promise<Operated<'triaged' | 'not-open' | 'not-found'>> {
  checkRequest<TriageDeadLetter>('triageDeadLetter', request, {
    deadLetterId: checkText,
    evidence: optional((option, value) => checkText(option, value, 8_192)),
  });
  const { deadLetterId, evidence, actor, reason } = request;
  return performOperation(parts, {
    action: 'dead_letter.triage',
    targetType: 'dead_letter',
    targetId: deadLetterId,
    payload: evidence === undefined ? {} : { evidence },
    actor,
    reason,
    change: (tx) => parts.stores.deadLetters.triage(deadLetterId, { actor, cause: reason, evidence }, { tx }),
    hasChanged: (outcome) => outcome === 'triaged',
  });
}
