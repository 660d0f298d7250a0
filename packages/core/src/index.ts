// The public entry: ports, errors, the wiring. Named exports only.
export type { AccessPolicy, Actor } from './artifacts/access-policy.js';
export type { ArtifactLocation, ArtifactStore } from './artifacts/artifact-store.js';
export type { KeyContext, KeyProvider } from './artifacts/key-provider.js';
export type { Change, ChangeAction, ChangedFile, ChangeSummary, FileSkip, Hunk, SkipReason } from './changes/change.js';
export type { ChangeFetcher, FetchLimits, FetchOutcome } from './changes/change-fetcher.js';
export { type Criticizer, createCriticizer, type ReviewStatus } from './criticizer.js';
export type { CriticizerOptions } from './criticizer-options.js';
export type { EgressPlan } from './egress/guarded-exchange.js';
export { type KillSwitchEvent, type KillSwitchState, setKillSwitch } from './egress/kill-switch.js';
export {
  joinRedacted,
  type RedactedForLlm,
  type RedactedPiece,
  redactForLlm,
  type TextForLlm,
} from './egress/redact-for-llm.js';
export {
  CriticizerError,
  type CriticizerErrorOptions,
  type FailureCategory,
  isCriticizerError,
} from './foundation/errors.js';
export {
  type ClassifiedFailure,
  type ClassifyOptions,
  classifyFailure,
  type FailureClassifier,
  type HostClassification,
} from './foundation/failure.js';
export type { JsonObject, JsonValue } from './foundation/json.js';
export { isRedactedText, type RedactedText, readRedactedText } from './foundation/redacted-text.js';
export type {
  PayloadRedactor,
  RedactionFinding,
  RedactionMeta,
  RedactionResult,
  RedactionSession,
  Redactor,
  RuleSet,
} from './foundation/redactor.js';
export type { Clock } from './foundation/time/clock.js';
export type { Random } from './foundation/time/random.js';
export { systemClock } from './foundation/time/system-clock.js';
export { systemRandom } from './foundation/time/system-random.js';
export { type DeadlineOptions, withDeadline } from './foundation/time/with-deadline.js';
export { createUrlTemplate, type UrlTemplateNames } from './foundation/url-template.js';
export type { MemoryTx } from './memory/memory-database.js';
export { createMemoryStores, type MemoryStoresOptions } from './memory/memory-stores.js';
export type { DryRun, DryRunRequest } from './operate/dry-run.js';
export { type DeliverOptions, type DeliveryResult, deliverRow } from './outbox/deliver.js';
export { type ReconcileOptions, type ReconcileResult, reconcileRow } from './outbox/deliver-reconcile.js';
export { type DeliverySettings, defaultDeliverySettings } from './outbox/deliver-settlement.js';
export { decodeFrozenMail, type EncodedMail, encodeFrozenMail, type MessageVault } from './outbox/frozen-mail.js';
export { type ArtifactVaultOptions, createArtifactVault } from './outbox/mail-vault.js';
export type {
  FrozenMail,
  LookupOutcome,
  Mailer,
  MailerCapabilities,
  SendContext,
  SendOutcome,
} from './outbox/mailer.js';
export type { AcceptedMail, MemoryMailer } from './outbox/memory-mailer.js';
export { createMemoryMailer } from './outbox/memory-mailer.js';
export { messageIdFor, type NotificationIdentity, outboxKey } from './outbox/outbox-key.js';
export { parseRecipient, type RecipientAddress } from './outbox/recipient-key.js';
export { createSendPacer, type SendPacer, type SendPacerOptions } from './outbox/send-pacer.js';
export type { Diagnostic } from './review/diagnostics.js';
export type { AnchorKind } from './review/merge/anchors.js';
export type { Coverage, FileCoverage } from './review/merge/coverage.js';
export { type FindingPlace, type PlacedFinding, placeFindings } from './review/merge/place-findings.js';
export type { ReviewDoubt, ReviewState } from './review/merge/review-state.js';
export { type ParsedReview, type ParseReviewInput, parseReview } from './review/read/parse-review.js';
export {
  type Category,
  type Confidence,
  type Finding,
  type ReviewResult,
  reviewResultJsonSchema,
  reviewResultSchema,
  type Severity,
} from './review/review-result.js';
export { createEnvironmentSecrets } from './secrets/environment-secrets.js';
export { createFileSecrets } from './secrets/file-secrets.js';
export { revealSecret, Secret } from './secrets/secret.js';
export type { SecretSource, SecretVersion, SecretVersions } from './secrets/secret-source.js';
export { resolveSettings, type Settings, type SettingsInput, settingsSchema } from './settings.js';
export { createChangeRecipients } from './stages/change-recipients.js';
export { fetchedContent } from './stages/change-snapshot.js';
export type { MailComposer, ReviewMailContent } from './stages/mail-composer.js';
export type { Recipient, RecipientResolver } from './stages/recipient-resolver.js';
export { createStaticRecipients } from './stages/static-recipients.js';
export type { Reviewer } from './stages/stored-reply.js';
export type { StoredReview } from './stages/stored-review.js';
export type { SubmitRequest } from './stages/submit-request.js';
export type {
  ArtifactManifest,
  ArtifactNamespace,
  ArtifactPurpose,
  ArtifactRow,
  ArtifactStatus,
  ArtifactSweepClaim,
  NewArtifact,
  StoredObject,
} from './stores/artifact-manifest.js';
export type {
  AuditDeadLetter,
  AuditDelivery,
  AuditDeliveryState,
  AuditEvent,
  AuditLease,
  AuditOperatorStatus,
  AuditSettlement,
  AuditStore,
  ClaimedAuditDelivery,
  NewAuditEvent,
} from './stores/audit-store.js';
export type { CursorStore } from './stores/cursor-store.js';
export type {
  DeadLetter,
  DeadLetterFilter,
  DeadLetterNote,
  DeadLetterStatus,
  DeadLetterStore,
  NewDeadLetter,
  ReplayRequest,
} from './stores/dead-letter-store.js';
export type { EgressLog, EgressRecord, NewEgressRecord } from './stores/egress-log.js';
export type { Failure, Job, JobStatus, Lease, Outputs } from './stores/job.js';
export type {
  ClaimedJob,
  ClaimRequest,
  EnqueueResult,
  JobFilter,
  JobStats,
  JobStore,
  NewJob,
  QueueDepth,
  Settlement,
  SettlementEffects,
  SettleOutcome,
} from './stores/job-store.js';
export type { LimitStore } from './stores/limit-store.js';
export type {
  ClaimedOutboxRow,
  DeliveryFailure,
  NewOutboxRow,
  NotifyOutbox,
  OutboxClaimRequest,
  OutboxLease,
  OutboxRow,
  OutboxSettlement,
  OutboxStatus,
  SendPhase,
} from './stores/notify-outbox.js';
export type { RolloutEntry, RolloutSample, RolloutStore, RolloutWindow } from './stores/rollout-store.js';
export type { MigrationStep, StoreModule, Stores } from './stores/stores.js';
export { errorFacts } from './telemetry/error-facts.js';
export { createLogSecurityEvents } from './telemetry/log-security-events.js';
export { type Logger, silentLogger } from './telemetry/logger.js';
export { attribute, metric } from './telemetry/names.js';
export { createOpenTelemetry, type OpenTelemetryMeter, type OpenTelemetryTracer } from './telemetry/open-telemetry.js';
export { raiseSecurityEvent } from './telemetry/raise-security-event.js';
export type { SecurityEvent, SecurityEvents } from './telemetry/security-events.js';
export { type Attributes, noTelemetry, type Span, type Telemetry } from './telemetry/telemetry.js';
export { type BackoffPolicy, backoffMs, defaultBackoff } from './worker/backoff.js';
export {
  createJobQueue,
  type DefinedJobKind,
  defineJobKind,
  type JobQueue,
  type JobQueueOptions,
  type NamedStage,
  type TypedJob,
} from './worker/job-queue.js';
export { createQueueWorker, type QueueWorker, type QueueWorkerOptions } from './worker/queue-worker.js';
export type { JobEvent, JobKind, Stage, StageContext, StageEnd, StageEvent, StageOutcome } from './worker/stage.js';
