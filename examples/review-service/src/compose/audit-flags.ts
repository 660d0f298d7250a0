// For whom the trail records and delivers: the rules that operators set, on for everybody before.
import type { Stores } from '@criticizer/core';
import { type AuditFlags, createAuditFlags, createStoredFlags } from '@criticizer/core/audit';

/**
 * The flags of the audit's rollout. A flag that nobody set is on, but for the shadow's; while the
 * rules cannot be read the same counts.
 */
export function openAuditFlags<Tx>({ documents }: Pick<Stores<Tx>, 'documents'>): AuditFlags {
  return createAuditFlags({
    provider: createStoredFlags({ documents, withoutRule: 'default' }),
    defaults: { write: true, worker: true },
  });
}
