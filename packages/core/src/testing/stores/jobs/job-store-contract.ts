import { contractCases } from '../../support/contract-cases.js';
import type { Runner } from '../../support/runner.js';
import type { StoresHarness } from '../stores-harness.js';
import { cancelCases } from './job-store-cancel.js';
import { claimCases } from './job-store-claim.js';
import { effectCases } from './job-store-effects.js';
import { enqueueCases } from './job-store-enqueue.js';
import { failCases } from './job-store-fail.js';
import { fenceCases } from './job-store-fence.js';
import { leaseCases } from './job-store-lease.js';
import { limitCases } from './job-store-limit.js';
import { operateCases } from './job-store-operate.js';
import { runDueCases } from './job-store-run-due.js';
import { settleCases } from './job-store-settle.js';
import { settleFailureCases } from './job-store-settle-failure.js';

/** What every `JobStore` must do (WQ-1..12, NOT-1, NOT-2, NOT-10, ERR-5, ERR-6). */
export function describeJobStoreContract<Tx>(runner: Runner, harness: StoresHarness<Tx>): void {
  runner.describe('JobStore contract', () => {
    const it = contractCases(runner, harness);
    enqueueCases(it);
    claimCases(it);
    limitCases(it);
    leaseCases(it);
    settleCases(it);
    settleFailureCases(it);
    failCases(it);
    fenceCases(it);
    effectCases(it);
    operateCases(it);
    cancelCases(it);
    runDueCases(it);
  });
}
