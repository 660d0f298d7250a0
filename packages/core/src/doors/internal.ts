// Entry `@criticizer/core/internal`, for the packages of this project alone: unsupported, it changes without notice.
// What every store checks and derives before it writes, how every part checks its options, how mails are delivered.

export { signWebhook } from '../audit/sinks/webhook-signature.js';
export { type ContextRoots, createContextRoots, endsInSteps } from '../changes/context-roots.js';
export { hitsIn } from '../changes/memory-context-reader.js';
export { nearestFirst } from '../changes/nearest-paths.js';
export { checkSearchWords, createWordMatcher } from '../changes/search-words.js';
export { checkActor, nameActor, pipelineActor } from '../foundation/actor.js';
export { checkFields, checkOptions, type OptionCheck, type OptionShape } from '../foundation/check-options.js';
export { checkContract, partWith } from '../foundation/contract.js';
export {
  type FailureRow,
  isPgOutageMessage,
  networkFailureRow,
  sqliteRow,
  sqlStateRow,
} from '../foundation/failures/failure-rows.js';
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
export { denyContent, isWithinLevel } from '../foundation/outbound.js';
export { checkPage, unknownPlace } from '../foundation/page.js';
export {
  checkDate,
  checkJson,
  checkMs,
  checkOneOf,
  checkText,
  checkWhole,
  pageLimit,
  sweepLimit,
} from '../foundation/store-input.js';
export { createUrlTemplate, type UrlTemplateNames } from '../foundation/url-template.js';
export { deliverRow } from '../outbox/deliver.js';
export type { DeliverOptions, DeliveryResult } from '../outbox/deliver-options.js';
export { type ReconcileOptions, type ReconcileResult, reconcileRow } from '../outbox/deliver-reconcile.js';
export { type DeliverySettings, defaultDeliverySettings } from '../outbox/deliver-settlement.js';
export { decodeFrozenMail, encodeFrozenMail } from '../outbox/frozen/frozen-mail.js';
export { checkMailHeaders } from '../outbox/frozen/mail-headers.js';
export { createMailDelivery, type MailDelivery, type MailOutcome } from '../outbox/mail-delivery.js';
export { messageIdFor, type NotificationIdentity, outboxKey } from '../outbox/outbox-key.js';
export { createOutboxWorker, type OutboxWorkerOptions } from '../outbox/outbox-worker.js';
export { listMailers, type Mailers } from '../outbox/senders/mailers.js';
export { createSendPacer, type SendPacer, type SendPacerOptions } from '../outbox/senders/send-pacer.js';
export { postSender } from '../outbox/senders/sender.js';
export { changePurging, markLimit, purgedReason } from '../stores/change-store.js';
export { checkedStores } from '../stores/checked/checked-stores.js';
export { inClaimOrder } from '../stores/claims/claim-order.js';
export { firstClaimedJob, type JobLists } from '../stores/claims/first-claim.js';
export { checkOutboxClaim } from '../stores/claims/outbox-claim.js';
export { checkDocumentWrite } from '../stores/document-store.js';
export { describeCause } from '../stores/failure-cause.js';
export {
  type AuditPlace,
  auditPlace,
  checkAuditErasure,
  checkAuditPruning,
} from '../stores/input/audit-keeping.js';
export { checkClosing, checkNote, checkReplayRequest, checkTriage } from '../stores/input/dead-letter-input.js';
export { checkMessage, checkMessagePruning, checkPreference, checkRecipientKeys } from '../stores/input/mail-input.js';
export { checkNewArtifact } from '../stores/input/new-artifact.js';
export { checkAuditOperator, checkAuditSettlement, checkNewAuditEvent } from '../stores/input/new-audit-event.js';
export { checkNewSeal, checkSealClaim } from '../stores/input/new-audit-seal.js';
export { checkNewEgressRecord } from '../stores/input/new-egress-record.js';
export {
  checkClaimRequest,
  checkLeaseRequest,
  checkNewJob,
  checkPriorities,
  checkSettlement,
} from '../stores/input/new-job.js';
export { checkNewOutboxRow, checkOutboxSettlement } from '../stores/input/new-outbox-row.js';
export { checkNewSuppression } from '../stores/input/new-suppression.js';
export {
  attemptsOf,
  claimedJob,
  endCancelledReplay,
  endReplay,
  enqueuedJob,
  isClosed,
  isUnresolved,
  leavesNoRow,
  type ReplayEnd,
  settledJob,
  settlementId,
} from '../stores/job-transitions.js';
export { deriveKeyTag } from '../stores/key-tag.js';
export { refuseAbsentFacet, requireModules, selectModules, storeModules } from '../stores/modules.js';
export { type AppliedMigration, pendingMigrations, selectSteps } from '../stores/pending-migrations.js';
export { checkRetention, mostExpired } from '../stores/retention-store.js';
export {
  type AuditDeadLetterRow,
  type AuditDeliveryRow,
  type AuditEventRow,
  toAuditDeadLetter,
  toAuditDelivery,
  toAuditEvent,
} from '../stores/rows/audit-row.js';
export {
  type AuditSealLeafRow,
  type AuditSealRow,
  toAuditSeal,
  toAuditSealLeaf,
} from '../stores/rows/audit-seal-row.js';
export { type SettledDelivery, settleColumns } from '../stores/rows/audit-settlement.js';
export {
  type DeadLetterGroupRow,
  type DeadLetterRow,
  type NoteText,
  toDeadLetter,
  toDeadLetterGroup,
  withNotes,
} from '../stores/rows/dead-letter-row.js';
export { type EgressRow, toEgressRecord } from '../stores/rows/egress-row.js';
export { createIdTails } from '../stores/rows/id-tails.js';
export { type JobRow, toJob, toReplayOf } from '../stores/rows/job-row.js';
export { type ManifestRow, toArtifact } from '../stores/rows/manifest-row.js';
export { type MailRow, toOutboxRow } from '../stores/rows/outbox-row.js';
export { type PreferenceRow, toPreference } from '../stores/rows/preference-row.js';
export { createRowIds, rowIdRange } from '../stores/rows/row-ids.js';
export { type Instant, isTrue, parsed, toDate, toDateOrNull, toMs, wholeMs } from '../stores/rows/row-values.js';
export { type SampleRow, toSampleWindows } from '../stores/rows/sample-row.js';
export { type SuppressionRow, suppressionValues, toSuppression } from '../stores/rows/suppression-row.js';
export { checkNewSample } from '../stores/sample-store.js';
export { canonicalAddress } from '../stores/source-ip.js';
export { mostSuppressions } from '../stores/suppression-store.js';
export { createWakeUps, type WakeUps } from '../stores/wake-ups.js';
export { attribute, metric } from '../telemetry/names.js';
export { raiseSecurityEvent } from '../telemetry/raise-security-event.js';
export { runDue } from '../worker/lease/run-due.js';
export { type BackoffPolicy, backoffMs, defaultBackoff } from '../worker/retry/backoff.js';
export { createOutages } from '../worker/retry/outages.js';
export { createPeriodic, type Periodic } from '../worker/wiring/periodic.js';
