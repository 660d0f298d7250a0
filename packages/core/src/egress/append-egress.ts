import { CriticizerError, isCriticizerError } from '../foundation/errors.js';
import { isRetryable } from '../foundation/failures/failure.js';
import type { EgressLog, NewEgressRecord } from '../stores/egress-log.js';

/** Commits one egress record. Throws `EGRESS_UNRECORDED`, which parks where waiting may help (EGR-1). */
export async function appendEgress<Tx>(log: EgressLog<Tx>, record: NewEgressRecord): Promise<void> {
  try {
    await log.append([record]);
  } catch (error) {
    const category = isCriticizerError(error) ? error.category : 'bug';
    throw new CriticizerError('EGRESS_UNRECORDED', 'the egress record could not be committed, so nothing was sent', {
      category,
      parks: isRetryable(category),
      cause: error,
    });
  }
}
