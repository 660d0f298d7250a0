// Public entry `@criticizer/core/store-authors`: what every store checks and derives before it
// writes, so that all refuse and keep the same; and how every part of this project checks its
// options.

export { checkFields, checkOptions, type OptionCheck, type OptionShape } from '../foundation/check-options.js';
export {
  type FailureRow,
  isPgOutageMessage,
  networkFailureRow,
  sqliteRow,
  sqlStateRow,
} from '../foundation/foreign-failures.js';
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
} from '../foundation/option-checks.js';
export {
  checkJson,
  checkMs,
  checkOneOf,
  checkText,
  checkWhole,
  pageLimit,
  sweepLimit,
} from '../foundation/store-input.js';
export { checkNewEgressRecord } from '../memory/memory-egress-log.js';
export { checkRolloutSample } from '../memory/memory-rollout-store.js';
export { checkedStores } from '../stores/checked-stores.js';
export { inClaimOrder } from '../stores/claim-order.js';
export { firstClaimedJob, type JobLists } from '../stores/first-claim.js';
export { createIdTails } from '../stores/id-tails.js';
export { attemptsOf, claimedJob, enqueuedJob, leavesNoRow, settledJob } from '../stores/job-transitions.js';
export { deriveKeyTag } from '../stores/key-tag.js';
export { checkNewArtifact } from '../stores/new-artifact.js';
export { checkAuditOperator, checkAuditSettlement, checkNewAuditEvent } from '../stores/new-audit-event.js';
export { checkClaimRequest, checkLeaseRequest, checkNewJob, checkSettlement } from '../stores/new-job.js';
export { checkNewOutboxRow, checkOutboxSettlement } from '../stores/new-outbox-row.js';
export { type AppliedMigration, pendingMigrations } from '../stores/pending-migrations.js';
export { canonicalAddress } from '../stores/source-ip.js';
export { createWakeUps, type WakeUps } from '../stores/wake-ups.js';
