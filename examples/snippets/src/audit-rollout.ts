// #region flags
import type { Stores } from '@criticizer/core';
import { type AuditFlags, createAuditFlags, createStoredFlags } from '@criticizer/core/audit';

/** Flags whose rules lie in the stores: off for everybody until an operator says otherwise. */
export function openAuditFlags<Tx>(stores: Pick<Stores<Tx>, 'documents'>): AuditFlags {
  return createAuditFlags({
    provider: createStoredFlags({ documents: stores.documents }),
    defaults: { write: true, worker: false },
  });
}

// #endregion

// #region turn
import type { Operator } from '@criticizer/core';

/** One tenant in a hundred, and those that you watch. */
export async function startRollout(operator: Operator): Promise<void> {
  await operator.setAuditFlag({
    flag: 'audit_guardrails_write_enabled',
    percentage: 1,
    tenants: ['pilot'],
    actor: { type: 'admin_user', id: 'ada' },
    reason: 'OPS-12: dark write for 1 %',
  });
}
// #endregion
