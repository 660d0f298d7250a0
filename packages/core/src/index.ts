// The public entry: ports, errors, the wiring. Named exports only.
export type { AccessPolicy, Actor } from './artifacts/access-policy.js';
export type {
  ArtifactManifest,
  ArtifactNamespace,
  ArtifactPurpose,
  ArtifactRow,
  ArtifactStatus,
  ArtifactSweepClaim,
  NewArtifact,
  StoredObject,
} from './artifacts/artifact-manifest.js';
export type { ArtifactLocation, ArtifactStore } from './artifacts/artifact-store.js';
export type { KeyContext, KeyProvider } from './artifacts/key-provider.js';
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
} from './audit/audit-store.js';
export type { Change, ChangeAction, ChangedFile, ChangeSummary, FileSkip, Hunk, SkipReason } from './changes/change.js';
export type { ChangeFetcher, FetchLimits, FetchOutcome } from './changes/change-fetcher.js';
export type { CursorStore } from './changes/cursor-store.js';
export { type Criticizer, createCriticizer, type ReviewStatus } from './criticizer.js';
export type { CriticizerOptions } from './criticizer-options.js';
export type { EgressLog, EgressRecord, NewEgressRecord } from './egress/egress-log.js';
export type { EgressPlan } from './egress/guarded-exchange.js';
export { type KillSwitchEvent, type KillSwitchState, setKillSwitch } from './egress/kill-switch.js';
export {
  joinRedacted,
  type RedactedForLlm,
  type RedactedPiece,
  redactForLlm,
  type TextForLlm,
} from './egress/redact-for-llm.js';
export { isRedactedText, type RedactedText, readRedactedText } from './egress/redacted-text.js';
export type {
  PayloadRedactor,
  RedactionFinding,
  RedactionMeta,
  RedactionResult,
  RedactionSession,
  Redactor,
  RuleSet,
} from './egress/redactor.js';
export { CriticizerError, type CriticizerErrorOptions, type FailureCategory, isCriticizerError } from './errors.js';
export {
  type ClassifiedFailure,
  type ClassifyOptions,
  classifyFailure,
  type FailureClassifier,
  type HostClassification,
} from './failure.js';
export { type BackoffPolicy, backoffMs, defaultBackoff } from './jobs/backoff.js';
export type {
  DeadLetter,
  DeadLetterFilter,
  DeadLetterNote,
  DeadLetterStatus,
  DeadLetterStore,
  NewDeadLetter,
  ReplayRequest,
} from './jobs/dead-letter-store.js';
export type { Failure, Job, JobStatus, Lease, Outputs } from './jobs/job.js';
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
} from './jobs/job-store.js';
export type { LimitStore } from './jobs/limit-store.js';
export type { JsonObject, JsonValue } from './json.js';
export { createUrlTemplate, type UrlTemplateNames } from './links/url-template.js';
export type { MemoryTx } from './memory-database.js';
export { createMemoryStores, type MemoryStoresOptions } from './memory-stores.js';
export { createChangeRecipients } from './notify/change-recipients.js';
export { type DeliverOptions, type DeliveryResult, deliverRow } from './notify/deliver.js';
export { type ReconcileOptions, type ReconcileResult, reconcileRow } from './notify/deliver-reconcile.js';
export { type DeliverySettings, defaultDeliverySettings } from './notify/deliver-settlement.js';
export { decodeFrozenMail, type EncodedMail, encodeFrozenMail, type MessageVault } from './notify/frozen-mail.js';
export type { MailComposer, ReviewMailContent } from './notify/mail-composer.js';
export type {
  FrozenMail,
  LookupOutcome,
  Mailer,
  MailerCapabilities,
  SendContext,
  SendOutcome,
} from './notify/mailer.js';
export type { AcceptedMail, MemoryMailer } from './notify/memory-mailer.js';
export { createMemoryMailer } from './notify/memory-mailer.js';
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
} from './notify/notify-outbox.js';
export { messageIdFor, type NotificationIdentity, outboxKey } from './notify/outbox-key.js';
export { parseRecipient, type RecipientAddress } from './notify/recipient-key.js';
export type { Recipient, RecipientResolver } from './notify/recipient-resolver.js';
export { createSendPacer, type SendPacer, type SendPacerOptions } from './notify/send-pacer.js';
export { createStaticRecipients } from './notify/static-recipients.js';
export { fetchedContent } from './pipeline/change-snapshot.js';
export type { DryRun, DryRunRequest } from './pipeline/dry-run.js';
export {
  createJobQueue,
  type DefinedJobKind,
  defineJobKind,
  type JobQueue,
  type JobQueueOptions,
  type NamedStage,
  type TypedJob,
} from './pipeline/job-queue.js';
export { type ArtifactVaultOptions, createArtifactVault } from './pipeline/mail-vault.js';
export { createQueueWorker, type QueueWorker, type QueueWorkerOptions } from './pipeline/queue-worker.js';
export type { JobEvent, JobKind, Stage, StageContext, StageEnd, StageEvent, StageOutcome } from './pipeline/stage.js';
export type { Reviewer } from './pipeline/stored-reply.js';
export type { StoredReview } from './pipeline/stored-review.js';
export type { RolloutEntry, RolloutSample, RolloutStore, RolloutWindow } from './prompt/rollout-store.js';
export type { AnchorKind } from './review/anchors.js';
export type { Coverage, FileCoverage } from './review/coverage.js';
export type { Diagnostic } from './review/diagnostics.js';
export { type ParsedReview, type ParseReviewInput, parseReview } from './review/parse-review.js';
export { type FindingPlace, type PlacedFinding, placeFindings } from './review/place-findings.js';
export {
  type Category,
  type Confidence,
  type Finding,
  type ReviewResult,
  reviewResultJsonSchema,
  reviewResultSchema,
  type Severity,
} from './review/review-result.js';
export type { ReviewDoubt, ReviewState } from './review/review-state.js';
export { createEnvironmentSecrets } from './secrets/environment-secrets.js';
export { createFileSecrets } from './secrets/file-secrets.js';
export { revealSecret, Secret } from './secrets/secret.js';
export type { SecretSource, SecretVersion, SecretVersions } from './secrets/secret-source.js';
export { resolveSettings, type Settings, type SettingsInput, settingsSchema } from './settings.js';
export type { MigrationStep, StoreModule, Stores } from './stores.js';
export type { SubmitRequest } from './submit-request.js';
export { errorFacts } from './telemetry/error-facts.js';
export { createLogSecurityEvents } from './telemetry/log-security-events.js';
export { type Logger, silentLogger } from './telemetry/logger.js';
export { attribute, metric } from './telemetry/names.js';
export { createOpenTelemetry, type OpenTelemetryMeter, type OpenTelemetryTracer } from './telemetry/open-telemetry.js';
export { raiseSecurityEvent } from './telemetry/raise-security-event.js';
export type { SecurityEvent, SecurityEvents } from './telemetry/security-events.js';
export { type Attributes, noTelemetry, type Span, type Telemetry } from './telemetry/telemetry.js';
export type { Clock } from './time/clock.js';
export type { Random } from './time/random.js';
export { systemClock } from './time/system-clock.js';
export { systemRandom } from './time/system-random.js';
export { type DeadlineOptions, withDeadline } from './time/with-deadline.js';
