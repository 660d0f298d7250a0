import { contractCases } from '../../support/contract-cases.js';
import type { Runner } from '../../support/runner.js';
import type { StoresHarness } from '../stores-harness.js';
import { auditSealCases } from './audit-seal-store-cases.js';
import { auditSealingCases } from './audit-sealing-cases.js';
import { auditDeadLetterCases } from './audit-store-dead-letters.js';
import { auditDeliveryCases } from './audit-store-delivery.js';
import { auditErasureCases } from './audit-store-erasure.js';
import { auditPruningCases } from './audit-store-pruning.js';
import { auditRecordCases } from './audit-store-record.js';
import { auditTrailCases } from './audit-trail-cases.js';

/** What every `AuditStore` must do (AUD-1..3, AUD-12, AUD-15, AUD-16, rulings R2, R3, R9, R12). */
export function describeAuditStoreContract<Tx>(runner: Runner, harness: StoresHarness<Tx>): void {
  runner.describe('AuditStore contract', () => {
    const it = contractCases(runner, harness);
    auditRecordCases(it);
    auditTrailCases(it);
    auditDeliveryCases(it);
    auditDeadLetterCases(it);
    auditErasureCases(it);
    auditSealCases(it);
    auditPruningCases(it);
    auditSealingCases(it);
  });
}
