// Public entry `@criticizer/core/ports`: the types that authors of parts implement, and the few
// functions they need. Loads no review code.
export type { AccessPolicy } from '../artifacts/access-policy.js';
export type { ArtifactLocation, ArtifactStore } from '../artifacts/artifact-store.js';
export type { KeyContext, KeyProvider } from '../artifacts/key-provider.js';
export type { AuditSink, SinkAnswer, SinkContext, SinkFailure, SinkTest } from '../audit/sinks/audit-sink.js';
export type {
  Change,
  ChangeAction,
  ChangedFile,
  ChangeSummary,
  FileSkip,
  Hunk,
  SkipReason,
} from '../changes/change.js';
export type { ChangeFetcher, FetchLimits, FetchOutcome, FetchRequest } from '../changes/change-fetcher.js';
export type {
  ContextHit,
  ContextLimits,
  ContextReader,
  ContextRefusal,
  ContextRequest,
  ContextSession,
  ContextShortfall,
  ContextText,
} from '../changes/context-reader.js';
export { isSearchWord } from '../changes/search-words.js';
export { decideShelf, type NoticedShelf, type ShelfPolicy, shelfSkips } from '../changes/shelf-policy.js';
export { type ContentPolicy, type ContentPolicyOptions, createContentPolicy } from '../egress/content-policy.js';
export { createKillSwitch, type KillSwitch, type KillSwitchOptions } from '../egress/kill-switch.js';
export { createOutboundGate, type OutboundGateOptions } from '../egress/outbound-gate.js';
export { createStoppableTelemetry, type StoppableTelemetryOptions } from '../egress/stoppable-telemetry.js';
export type { Actor, ActorName, ActorType } from '../foundation/actor.js';
export { buildChangelistId, type ChangelistRef, parseChangelistId } from '../foundation/changelist-id.js';
export { type Disposition, dispositions } from '../foundation/disposition.js';
export type { ErrorCode } from '../foundation/error-codes.js';
export {
  CriticizerError,
  type CriticizerErrorOptions,
  type FailureCategory,
  isCriticizerError,
} from '../foundation/errors.js';
export {
  type ClassifiedFailure,
  type ClassifyOptions,
  classifyFailure,
  type FailureClassifier,
  type HostClassification,
} from '../foundation/failures/failure.js';
export type { JsonObject, JsonValue } from '../foundation/json.js';
export type {
  ContentLevel,
  Destination,
  DestinationKind,
  OutboundGate,
  OutboundMessage,
  OutboundTarget,
} from '../foundation/outbound.js';
export type { Page, TimeSpan } from '../foundation/page.js';
export type { RedactedText } from '../foundation/redacted-text.js';
export type {
  PayloadRedactor,
  RedactionFinding,
  RedactionMeta,
  RedactionResult,
  RedactionSession,
  Redactor,
  RuleSet,
} from '../foundation/redactor.js';
export type { Clock } from '../foundation/time/clock.js';
export type { Random } from '../foundation/time/random.js';
export { systemClock } from '../foundation/time/system-clock.js';
export { systemRandom } from '../foundation/time/system-random.js';
export { type DeadlineOptions, withDeadline } from '../foundation/time/with-deadline.js';
export type { MemoryTx } from '../memory/shared/memory-database.js';
export type { InspectedLetter } from '../operate/letters/inspect-dead-letter.js';
export type { ReplayedLetters } from '../operate/letters/replay-dead-letters.js';
export type {
  DependencyHealth,
  JobArtifact,
  ReplayCheck,
  ReplayCheckName,
  ReplayPlan,
  ReplayProbe,
  ReplayReport,
} from '../operate/letters/replay-report.js';
export type { TriagedLetters } from '../operate/letters/triage-dead-letters.js';
export type { PlannedDestination } from '../operate/plan-destinations.js';
export {
  decodeFrozenMail,
  type EncodedMail,
  encodeFrozenMail,
  type MessageVault,
} from '../outbox/frozen/frozen-mail.js';
export { decodeFrozenPost, encodeFrozenPost, type FrozenPost } from '../outbox/frozen/frozen-post.js';
export { parseRecipient, type RecipientAddress } from '../outbox/recipient-key.js';
export { handedOverId, isHandedOver } from '../outbox/senders/handed-over.js';
export type {
  DeliveryCapabilities,
  FrozenMail,
  LookupOutcome,
  MailAttachment,
  Mailer,
  MailerCapabilities,
  SendContext,
  SendOutcome,
  ShownRecipients,
  WireMessage,
} from '../outbox/senders/mailer.js';
export type { AcceptedMail } from '../outbox/senders/memory-mailer.js';
export type { PostQuery, PostSender } from '../outbox/senders/post-sender.js';
export type { Alert, AlertSeverity } from '../pager/alert.js';
export type { Pager, PagerAnswer, PagerContext, PagerFailure } from '../pager/pager.js';
export type { CodeExcerpt, ExcerptLine } from '../review/code-excerpt.js';
export type { Diagnostic } from '../review/diagnostics.js';
export type { AnchorKind } from '../review/merge/anchors.js';
export type { Coverage, FileCoverage } from '../review/merge/coverage.js';
export type { FindingIdentity } from '../review/merge/identity.js';
export type { FindingPlace, PlacedFinding } from '../review/merge/place-findings.js';
export type { FindingState, ModelFinding, ReviewFinding, SecretFinding } from '../review/merge/review-finding.js';
export type { ReviewDoubt, ReviewState } from '../review/merge/review-state.js';
export type { Category, Confidence, Finding, ReviewResult, Severity } from '../review/review-result.js';
export {
  createExpiringSecrets,
  type ExpiringSecrets,
  type ExpiringSecretsOptions,
  type SecretAge,
} from '../secrets/expiring-secrets.js';
export { revealSecret, Secret } from '../secrets/secret.js';
export type { SecretSource, SecretVersion, SecretVersions } from '../secrets/secret-source.js';
export { fetchedContent } from '../stages/job/change-snapshot.js';
export type { Channel, ChannelReview, EarlierPost, PlannedPost } from '../stages/notify/channel.js';
export type {
  MailComposer,
  MailEnvelope,
  MailThread,
  ReviewMailContent,
  ReviewMailCounts,
  ReviewMailCoverage,
  ReviewMailFinding,
} from '../stages/notify/mail-composer.js';
export type {
  ChangePeople,
  OwnersOptions,
  RecipientRule,
  RecipientRulesOptions,
  ReviewerSource,
} from '../stages/recipients/check-recipient-rules.js';
export type { PreferredMails, RecipientPreferences } from '../stages/recipients/recipient-preferences.js';
export type { Recipient, RecipientRequest, RecipientResolver } from '../stages/recipients/recipient-resolver.js';
export type {
  ArtifactFilter,
  ArtifactManifest,
  ArtifactNamespace,
  ArtifactPurpose,
  ArtifactRow,
  ArtifactStatus,
  ArtifactSweepClaim,
  ArtifactSweepLease,
  NewArtifact,
  StoredObject,
} from '../stores/artifact-manifest.js';
export type {
  AuditSeal,
  AuditSealLeaf,
  AuditSealStore,
  SealClaim,
  SealedEvent,
} from '../stores/audit-seal-store.js';
export type {
  AuditDeadLetter,
  AuditDeadLetterFilter,
  AuditDelivery,
  AuditDeliveryFilter,
  AuditDeliveryState,
  AuditErasure,
  AuditEvent,
  AuditEventFilter,
  AuditLease,
  AuditOperatorStatus,
  AuditPruning,
  AuditSettlement,
  AuditStats,
  AuditStore,
  ClaimedAuditDelivery,
  ErasedAuditEvents,
  NewAuditEvent,
  PrunedAuditEvents,
} from '../stores/audit-store.js';
export type { ChangeMark, ChangeMarkFilter, ChangeStore, PurgeStep } from '../stores/change-store.js';
export type { CursorStore } from '../stores/cursor-store.js';
export type {
  DeadLetter,
  DeadLetterFilter,
  DeadLetterGroup,
  DeadLetterGroupFilter,
  DeadLetterNote,
  DeadLetterNoteKind,
  DeadLetterStatus,
  DeadLetterStore,
  NewDeadLetter,
  NewDeadLetterNote,
  ReplayRequest,
} from '../stores/dead-letter-store.js';
export type { DocumentStore, StoredDocument } from '../stores/document-store.js';
export type { EgressFilter, EgressLog, EgressRecord, NewEgressRecord } from '../stores/egress-log.js';
export type { Failure, Job, JobStatus, Lease, Outputs } from '../stores/job.js';
export type {
  CancelOutcome,
  ClaimedJob,
  ClaimRequest,
  EnqueueResult,
  JobFilter,
  JobHeartbeat,
  JobStats,
  JobStore,
  NewJob,
  QueueDepth,
  Settlement,
  SettlementEffects,
  SettleOutcome,
} from '../stores/job-store.js';
export type { LimitStore } from '../stores/limit-store.js';
export type { MessagePruning, MessageStore } from '../stores/message-store.js';
export type { StoreModule } from '../stores/modules.js';
export type {
  ClaimedOutboxRow,
  DeliveryFailure,
  NewOutboxRow,
  NotifyOutbox,
  OutboxBacklog,
  OutboxClaimRequest,
  OutboxFilter,
  OutboxLease,
  OutboxRow,
  OutboxSettlement,
  OutboxStatus,
  ReopenOutcome,
  SendPhase,
} from '../stores/notify-outbox.js';
export type {
  MailChoice,
  PreferenceFilter,
  PreferenceStore,
  RecipientPreference,
  StoredPreference,
} from '../stores/preference-store.js';
export type { RetainedTable, RetentionRequest, RetentionStore } from '../stores/retention-store.js';
export type { NewSample, SampledCounts, SampleStore, SampleWindow } from '../stores/sample-store.js';
export type { MigrationStep, Stores } from '../stores/stores.js';
export type {
  FindingScope,
  NewSuppression,
  RuleScope,
  Suppression,
  SuppressionAdded,
  SuppressionFilter,
  SuppressionStore,
} from '../stores/suppression-store.js';
export { errorFacts } from '../telemetry/error-facts.js';
export { type Logger, silentLogger } from '../telemetry/logger.js';
export type { OpenTelemetryApi, OpenTelemetryOptions } from '../telemetry/open-telemetry.js';
export type { SecurityEvent, SecurityEvents } from '../telemetry/security-events.js';
export {
  type Attributes,
  noTelemetry,
  type Span,
  type SpanKind,
  type SpanRelation,
  type Telemetry,
} from '../telemetry/telemetry.js';
