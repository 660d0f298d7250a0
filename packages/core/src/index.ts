// The host's door `@criticizer/core`: the wiring of reviews and what a host gives it. At most 60 names.

export { createCriticizer } from './criticizer.js';
export type { Criticizer, ReviewStatus } from './criticizer-interface.js';
export type { CriticizerOptions } from './criticizer-options.js';
export type { EgressPlan } from './egress/guarded-exchange.js';
export type { Actor } from './foundation/actor.js';
export type { ErrorCode } from './foundation/error-codes.js';
export { CriticizerError, type FailureCategory, isCriticizerError } from './foundation/errors.js';
export type { FailureClassifier, HostClassification } from './foundation/failures/failure.js';
export { systemClock } from './foundation/time/system-clock.js';
export { systemRandom } from './foundation/time/system-random.js';
export { createUrlTemplate, type UrlTemplateNames } from './foundation/url-template.js';
export { createMemoryStores, type MemoryStoresOptions } from './memory/memory-stores.js';
export type { DryRun, DryRunRequest } from './operate/dry-run.js';
export { createOperator, type Operator, type OperatorOptions } from './operate/operator.js';
export { createMemoryMailer, type MemoryMailer } from './outbox/senders/memory-mailer.js';
export type { PlacedFinding } from './review/merge/place-findings.js';
export type { Severity } from './review/review-result.js';
export { createEnvironmentSecrets } from './secrets/environment-secrets.js';
export { createFileSecrets } from './secrets/file-secrets.js';
export { revealSecret, Secret } from './secrets/secret.js';
export type { SecretSource } from './secrets/secret-source.js';
export { resolveSettings, type Settings, type SettingsInput, settingsSchema } from './settings/settings.js';
export type { SubmitRequest } from './stages/intake/submit-request.js';
export type { StoredReview } from './stages/llm/stored-review.js';
export { createChangeRecipients } from './stages/recipients/change-recipients.js';
export type { Recipient, RecipientResolver } from './stages/recipients/recipient-resolver.js';
export { createRecipientRules } from './stages/recipients/recipient-rules.js';
export { createStaticRecipients } from './stages/recipients/static-recipients.js';
export type { Job } from './stores/job.js';
export type { EnqueueResult, NewJob } from './stores/job-store.js';
export type { Stores } from './stores/stores.js';
export { errorFacts } from './telemetry/error-facts.js';
export { createLogSecurityEvents } from './telemetry/log-security-events.js';
export { type Logger, silentLogger } from './telemetry/logger.js';
export {
  createOpenTelemetry,
  type OpenTelemetryMeter,
  type OpenTelemetryTracer,
} from './telemetry/open-telemetry.js';
export type { SecurityEvent, SecurityEvents } from './telemetry/security-events.js';
export { noTelemetry, type Telemetry } from './telemetry/telemetry.js';
export type { JobEvent, JobKind } from './worker/run/stage.js';
