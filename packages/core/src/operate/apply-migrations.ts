import type { AdminActionName } from '../audit/admin-actions.js';
import type { AuditTrail } from '../audit/audit-trail.js';
import { checkOptions } from '../foundation/check-options.js';
import { withMethods } from '../foundation/option-checks.js';
import type { MigrationStep, Stores } from '../stores/stores.js';
import { checkRequest, type Operated, type OperatorRequest, performOperation } from './operation.js';

/** Which stores are migrated, and where that is recorded. */
export interface MigrationParts<Tx> {
  stores: Pick<Stores<Tx>, 'storeId' | 'transaction' | 'migrate' | 'migrationPlan' | 'audit'>;
  audit: AuditTrail<Tx>;
}

const action: AdminActionName = 'schema.migrate';

/** True where the trail of these stores has no such event: the first migration was cut off before its own. */
async function isUnrecorded<Tx>({ audit }: MigrationParts<Tx>['stores']): Promise<boolean> {
  return (await audit.list({ action, limit: 1 })).length === 0;
}

/**
 * Applies the missing migrations and records who did it (`schema.migrate`); `outcome` has the steps. A
 * trail in these stores takes its event after the steps, as they store nothing before; one elsewhere
 * before them, and a second one with `failure` where they did not run. A process killed between steps
 * and event leaves later steps to the database's own ledger alone; of the first migration the next
 * call records them. Where the event cannot be stored the steps stay (AUD-3). Rejects with what
 * `migrate` throws; throws `TypeError` for an actor or a reason that is none.
 */
export async function applyMigrations<Tx>(
  parts: MigrationParts<Tx>,
  request: OperatorRequest,
): Promise<Operated<readonly MigrationStep[]>> {
  checkOptions<MigrationParts<Tx>>('applyMigrations: parts', parts, {
    stores: withMethods('migrate', 'migrationPlan'),
    audit: withMethods('record'),
  });
  checkRequest<OperatorRequest>('applyMigrations', request, {});
  const { stores, audit } = parts;
  const { actor, reason } = request;
  const isOwn = audit.storeId === stores.storeId;
  const steps = isOwn ? await stores.migrate() : await stores.migrationPlan();
  if (steps.length === 0 && !(isOwn && (await isUnrecorded(stores)))) return { outcome: [], audit: 'none' };
  return performOperation<Tx, readonly MigrationStep[]>(
    // Steps share no transaction with an event: it is recorded as one of another database is.
    { audit, stores: { storeId: '', transaction: (work) => stores.transaction(work) } },
    {
      action,
      targetType: 'schema',
      targetId: 'stores',
      payload: { steps: steps.map(({ module, name }) => `${module}/${name}`) },
      actor,
      reason,
      change: () => (isOwn ? Promise.resolve(steps) : stores.migrate()),
      hasChanged: (applied) => isOwn || applied.length > 0,
    },
  );
}
