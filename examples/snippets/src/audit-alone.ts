// #region audit
import { type Stores, silentLogger, systemRandom } from '@criticizer/core';
import { createAuditTrail } from '@criticizer/core/audit';
import type { PayloadRedactor } from '@criticizer/core/ports';

/** Changes a user's role and records it in the same transaction: both are there, or neither. */
export async function changeRole<Tx>(
  stores: Stores<Tx>,
  redactor: PayloadRedactor,
  change: { admin: string; user: string; role: string; apply(tx: Tx): Promise<void> },
): Promise<boolean> {
  const trail = createAuditTrail({
    store: stores.audit,
    redactor,
    destinations: ['siem'],
    random: systemRandom,
    logger: silentLogger,
  });
  const recorded = await stores.transaction(async (tx) => {
    await change.apply(tx);
    const who = { actorType: 'admin_user', actorId: change.admin } as const;
    const what = {
      action: 'admin.user.update',
      targetType: 'user',
      targetId: change.user,
      payload: { role: change.role },
    };
    return trail.record({ ...who, ...what, resultStatus: 'success' }, { tx });
  });
  // After the commit: the admin's change stands, the log carries the fingerprint.
  if (recorded.degraded) recorded.logFallback();
  return !recorded.degraded;
}
// #endregion
