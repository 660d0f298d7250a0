import { oneOf, optional } from '../../foundation/option-checks.js';
import { checkText } from '../../foundation/store-input.js';
import {
  checkRequest,
  type Operated,
  type OperatorParts,
  type OperatorRequest,
  performOperation,
} from '../operation.js';

/** Which dead letter to note something on; `reason` is the note. */
export interface NoteDeadLetter extends OperatorRequest {
  deadLetterId: string;
  /** `evidence` says what was mended, which a replay needs. Default `note`. */
  kind?: 'note' | 'evidence' | undefined;
}

/** Appends `reason` to the notes of a dead letter; its status stays. */
export async function noteDeadLetter<Tx>(
  parts: OperatorParts<Tx>,
  request: NoteDeadLetter,
): Promise<Operated<'noted' | 'not-found'>> {
  checkRequest<NoteDeadLetter>('noteDeadLetter', request, {
    deadLetterId: checkText,
    kind: optional(oneOf('note', 'evidence')),
  });
  const { deadLetterId, kind = 'note', actor, reason } = request;
  return performOperation(parts, {
    action: 'dead_letter.note',
    targetType: 'dead_letter',
    targetId: deadLetterId,
    payload: { kind },
    actor,
    reason,
    change: (tx) => parts.stores.deadLetters.note(deadLetterId, { actor, text: reason, kind }, { tx }),
    hasChanged: (outcome) => outcome === 'noted',
  });
}
