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
export type { EgressLog, EgressRecord, NewEgressRecord } from './egress/egress-log.js';
export { isRedactedText, type RedactedText } from './egress/redacted-text.js';
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
  Settlement,
  SettlementEffects,
  SettleOutcome,
} from './jobs/job-store.js';
export type { LimitStore } from './jobs/limit-store.js';
export type { JsonObject, JsonValue } from './json.js';
export type { FrozenMail, LookupOutcome, Mailer, MailerCapabilities, SendContext, SendOutcome } from './notify/mailer.js';
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
export type { Recipient, RecipientResolver } from './notify/recipient-resolver.js';
export type { RolloutEntry, RolloutSample, RolloutStore, RolloutWindow } from './prompt/rollout-store.js';
export { revealSecret, Secret } from './secrets/secret.js';
export type { SecretSource, SecretVersion, SecretVersions } from './secrets/secret-source.js';
export type { MigrationStep, StoreModule, Stores } from './stores.js';
export { type Logger, silentLogger } from './telemetry/logger.js';
export type { SecurityEvent, SecurityEvents } from './telemetry/security-events.js';
export { type Attributes, noTelemetry, type Span, type Telemetry } from './telemetry/telemetry.js';
export type { Clock } from './time/clock.js';
export type { Random } from './time/random.js';
export { systemClock } from './time/system-clock.js';
export { systemRandom } from './time/system-random.js';
