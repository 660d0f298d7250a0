import { checkBoolean } from '../../foundation/option-checks.js';
import { checkText } from '../../foundation/store-input.js';
import {
  checkRequest,
  type Operated,
  type OperatorParts,
  type OperatorRequest,
  performOperation,
} from '../operation.js';

/** Which change to hold, or to release. */
export interface SetHold extends OperatorRequest {
  /** `<serverId>/<number>` (INT-2). */
  changelistId: string;
  held: boolean;
}

/**
 * Puts a change under a legal hold, or releases it (ruling R24). While it is held no age and no purge
 * removes anything of it, and its artifacts can be read past their expiry. A hold ends a purge that
 * is under way; what that has removed is gone.
 */
export async function setHold<Tx>(parts: OperatorParts<Tx>, request: SetHold): Promise<Operated<'set' | 'unchanged'>> {
  checkRequest<SetHold>('setHold', request, { changelistId: checkText, held: checkBoolean });
  const { changelistId, held, actor, reason } = request;
  return performOperation(parts, {
    action: 'change.hold',
    targetType: 'change',
    targetId: changelistId,
    payload: { held },
    actor,
    reason,
    change: (tx) => parts.stores.changes.setHold(changelistId, held, { tx }),
    hasChanged: (outcome) => outcome === 'set',
  });
}
