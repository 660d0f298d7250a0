import { checkArray } from '../../foundation/option-checks.js';
import { checkMs, checkText, checkWhole } from '../../foundation/store-input.js';
import { checkLeaseRequest } from '../input/new-job.js';
import type { OutboxClaimRequest } from '../notify-outbox.js';

/** What every store checks before it claims outbox rows. Throws `TypeError` naming the option. */
export function checkOutboxClaim(request: OutboxClaimRequest): void {
  checkLeaseRequest(request);
  const { ids, purpose, via } = request;
  checkArray('request.via', via);
  checkWhole('request.via.length', via.length, 1, 100);
  for (const id of via) checkText('request.via', id, 64);
  if (ids !== undefined) {
    checkArray('request.ids', ids);
    checkWhole('request.ids.length', ids.length, 1, 1000);
    for (const id of ids) checkText('request.ids', id);
  }
  if (purpose !== 'deliver') checkMs('request.purpose.reconcile.olderThanMs', purpose.reconcile.olderThanMs);
}
