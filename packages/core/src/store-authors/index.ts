// Public entry `@criticizer/core/store-authors`: what every store checks and derives before it
// writes, so that all refuse and keep the same; and how every part of this project checks its
// options.
export { deriveKeyTag } from '../artifacts/key-tag.js';
export { checkNewArtifact } from '../artifacts/new-artifact.js';
export { checkAuditOperator, checkAuditSettlement, checkNewAuditEvent } from '../audit/new-audit-event.js';
export { canonicalAddress } from '../audit/source-ip.js';
export { checkFields, checkOptions, type OptionCheck, type OptionShape } from '../check-options.js';
export { checkedStores } from '../checked-stores.js';
export { checkNewEgressRecord } from '../egress/memory-egress-log.js';
export { type FailureRow, isPgOutageMessage, networkFailureRow, sqliteRow, sqlStateRow } from '../foreign-failures.js';
export { inClaimOrder } from '../jobs/claim-order.js';
export { firstClaimedJob, type JobLists } from '../jobs/first-claim.js';
export { attemptsOf, claimedJob, enqueuedJob, leavesNoRow, settledJob } from '../jobs/job-transitions.js';
export { checkClaimRequest, checkLeaseRequest, checkNewJob, checkSettlement } from '../jobs/new-job.js';
export { checkNewOutboxRow, checkOutboxSettlement } from '../notify/new-outbox-row.js';
export {
  checkAbortSignal,
  checkArray,
  checkBoolean,
  checkedElsewhere,
  checkFunction,
  checkName,
  nested,
  observerShape,
  oneOf,
  optional,
  withMethods,
} from '../option-checks.js';
export { checkRolloutSample } from '../prompt/memory-rollout-store.js';
export { checkJson, checkMs, checkOneOf, checkText, checkWhole, pageLimit, sweepLimit } from '../store-input.js';
export { createIdTails } from './id-tails.js';
export { type AppliedMigration, pendingMigrations } from './pending-migrations.js';
export { createWakeUps, type WakeUps } from './wake-ups.js';
