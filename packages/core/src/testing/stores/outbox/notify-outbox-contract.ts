import { contractCases } from '../../support/contract-cases.js';
import type { Runner } from '../../support/runner.js';
import type { StoresHarness } from '../stores-harness.js';
import { outboxClaimCases } from './notify-outbox-claims.js';
import { outboxOperateCases } from './notify-outbox-operate.js';
import { outboxPeopleCases } from './notify-outbox-people.js';
import { outboxPhaseCases } from './notify-outbox-phases.js';
import { outboxReconcileCases } from './notify-outbox-reconcile.js';
import { outboxReopenCases } from './notify-outbox-reopen.js';
import { outboxRowCases } from './notify-outbox-rows.js';
import { outboxSettlementCases } from './notify-outbox-settlements.js';

/** What every `NotifyOutbox` must do (NOT-3..11, rulings R6 and R9). */
export function describeNotifyOutboxContract<Tx>(runner: Runner, harness: StoresHarness<Tx>): void {
  runner.describe('NotifyOutbox contract', () => {
    const it = contractCases(runner, harness);
    outboxRowCases(it);
    outboxClaimCases(it);
    outboxSettlementCases(it);
    outboxPhaseCases(it);
    outboxReconcileCases(it);
    outboxReopenCases(it);
    outboxOperateCases(it);
    outboxPeopleCases(it);
  });
}
