// #region flags
import { type Stores, silentLogger, systemRandom } from '@criticizer/core';
import {
  type AuditFlags,
  type AuditTrail,
  createAuditFlags,
  createAuditTrail,
  createStoredFlags,
  toShadowDestination,
} from '@criticizer/core/audit';
import {
  type AuditDelivery,
  type AuditSink,
  createAuditDelivery,
  createShadowSink,
} from '@criticizer/core/audit-delivery';
import type { PayloadRedactor } from '@criticizer/core/ports';

/** Flags whose rules lie in the stores: off for everybody until an operator says otherwise. */
export function openAuditFlags<Tx>(stores: Pick<Stores<Tx>, 'documents'>): AuditFlags {
  return createAuditFlags({
    provider: createStoredFlags({ documents: stores.documents }),
    defaults: { write: true, worker: false },
  });
}

/** Both sinks have the id `siem`; they differ by URL and secret. */
export function openRollout<Tx>(
  stores: Stores<Tx>,
  redactor: PayloadRedactor,
  sinks: { production: AuditSink; staging: AuditSink },
): { trail: AuditTrail<Tx>; delivery: AuditDelivery } {
  const flags = openAuditFlags(stores);
  const trail = createAuditTrail({
    store: stores.audit,
    redactor,
    destinations: ['siem', toShadowDestination('siem')],
    flags,
    random: systemRandom,
    logger: silentLogger, // yours
  });
  const delivery = createAuditDelivery({
    store: stores.audit,
    sinks: [sinks.production, createShadowSink(sinks.staging)],
    mayDeliver: flags.mayDeliver,
  });
  return { trail, delivery };
}

// #endregion

// #region turn
import type { Operator } from '@criticizer/core';
import { auditFlagNames } from '@criticizer/core/audit';

/** Phase B for one tenant in a hundred, and those that you watch. Back: the same with 0. */
export async function startDarkWrite(operator: Operator): Promise<void> {
  await operator.setAuditFlag({
    flag: auditFlagNames.write,
    percentage: 1,
    tenants: ['pilot'],
    actor: { type: 'admin_user', id: 'ada' },
    reason: 'OPS-12: dark write for 1 %',
  });
}

// #endregion

// #region compare
import { type AuditComparison, compareAuditTrails, type PrimaryAuditEntry } from '@criticizer/core/audit';

/** Compares the last `hours` of your own log with the trail, for the tenants that are in. */
export async function compareDarkWrite<Tx>(
  stores: Stores<Tx>,
  redactor: PayloadRedactor,
  ownLog: AsyncIterable<PrimaryAuditEntry>,
  hours: number,
): Promise<AuditComparison> {
  const until = await stores.now();
  const since = new Date(until.getTime() - hours * 3_600_000);
  const flags = openAuditFlags(stores);
  const covers = ({ tenantId }: { tenantId: string | null }) => flags.isWriteEnabled(tenantId);
  return compareAuditTrails({ store: stores.audit, redactor, primary: ownLog, since, until, covers });
}
// #endregion
