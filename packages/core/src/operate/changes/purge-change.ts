import { CriticizerError } from '../../foundation/errors.js';
import { checkText } from '../../foundation/store-input.js';
import type { PurgeStep } from '../../stores/change-store.js';
import {
  checkRequest,
  type Operated,
  type OperatorParts,
  type OperatorRequest,
  performOperation,
} from '../operation.js';
import { continuePurge, type PurgeParts } from './continue-purge.js';

/** Which change to remove. */
export interface PurgeChange extends OperatorRequest {
  /** `<serverId>/<number>` (INT-2). */
  changelistId: string;
}

/**
 * How far a purge is. `purged`: nothing of the change is left. `purging`: calling again goes on with
 * it, as the sweep of every worker does.
 */
export interface Purged extends Operated<'purged' | 'purging'>, Omit<PurgeStep, 'outcome'> {}

/**
 * Removes everything of a change but its audit events and its egress records, which lose their paths
 * (EGR-5). Owners of running jobs give them up at their next heartbeat; until then, and while bytes
 * cannot be deleted, it answers `purging`. One event is recorded, by the call that begins the purge.
 * Rejects with `CHANGE_HELD` (policy) under a legal hold, before or in the middle.
 */
export async function purgeChange<Tx>(
  parts: OperatorParts<Tx> & Pick<PurgeParts, 'artifactStore'>,
  request: PurgeChange,
): Promise<Purged> {
  checkRequest<PurgeChange>('purgeChange', request, { changelistId: checkText });
  const { changelistId, actor, reason } = request;
  const { stores, artifactStore } = parts;
  const begun = await performOperation(parts, {
    action: 'change.purge',
    targetType: 'change',
    targetId: changelistId,
    actor,
    reason,
    change: (tx) => stores.changes.beginPurge(changelistId, { tx }),
    hasChanged: (outcome) => outcome === 'begun',
  });
  if (begun.outcome === 'held') throw changeHeld(changelistId);
  const { outcome, ...left } = await continuePurge({ stores, artifactStore }, changelistId);
  if (outcome === 'not-purging' && (await stores.changes.get(changelistId)).isHeld) throw changeHeld(changelistId);
  // Another process ended it meanwhile, or this one.
  return { outcome: outcome === 'waiting' ? 'purging' : 'purged', audit: begun.audit, ...left };
}

function changeHeld(changelistId: string): CriticizerError {
  return new CriticizerError('CHANGE_HELD', 'The change is under a legal hold; it is not removed.', {
    category: 'policy',
    details: { changelistId },
  });
}
