// Public entry `@criticizer/core/testing`: contract suites and the doubles they need.
// Runner-neutral; only the model suite needs fast-check.

export { createMemoryChangeFetcher } from '../changes/memory-change-fetcher.js';
export { createMemoryContextReader, type MemoryContextOptions } from '../changes/memory-context-reader.js';
export {
  type AcceptedPost,
  createMemoryChannel,
  type MemoryChannel,
  type MemoryChannelOptions,
} from '../stages/notify/memory-channel.js';
export { type AccessPolicyHarness, describeAccessPolicyContract } from './ports/access-policy-contract.js';
export { type ArtifactStoreHarness, describeArtifactStoreContract } from './ports/artifact-store-contract.js';
export { describeAuditSinkContract } from './ports/audit/audit-sink-contract.js';
export type {
  AuditSinkHarness,
  AuditSinkUnderTest,
  ReceivedEvent,
  SinkScene,
} from './ports/audit/audit-sink-scenes.js';
export { describePayloadRedactorContract } from './ports/audit/payload-redactor-contract.js';
export { type ChangeFetcherHarness, describeChangeFetcherContract } from './ports/change-fetcher-contract.js';
export {
  type ChannelHarness,
  type ChannelUnderTest,
  describeChannelContract,
} from './ports/delivery/channel-contract.js';
export { channelReview } from './ports/delivery/channel-samples.js';
export { describeMailComposerContract } from './ports/delivery/mail-composer-contract.js';
export {
  describeMailerContract,
  type MailerHarness,
  type MailerUnderTest,
  type ReceivedMail,
} from './ports/delivery/mailer-contract.js';
export {
  describeMessageVaultContract,
  type MessageVaultHarness,
  type MessageVaultUnderTest,
} from './ports/delivery/message-vault-contract.js';
export { describePagerContract } from './ports/delivery/pager-contract.js';
export type { PagerHarness, PagerScene, PagerUnderTest, ReceivedPage } from './ports/delivery/pager-scenes.js';
export { describeRecipientResolverContract } from './ports/delivery/recipient-resolver-contract.js';
export { describeKeyProviderContract, type KeyProviderHarness } from './ports/key-provider-contract.js';
export {
  type ContextReaderHarness,
  type ContextReaderUnderTest,
  describeContextReaderContract,
} from './ports/llm/context-reader-contract.js';
export { describeLlmProviderContract } from './ports/llm/llm-provider-contract.js';
export {
  contractReplyText,
  contractSecondText,
  type LlmPeerScene,
  type LlmProviderHarness,
  type LlmProviderUnderTest,
} from './ports/llm/llm-provider-peer.js';
export { describeRedactorContract, type RedactorHarness, type SecretSample } from './ports/redactor-contract.js';
export {
  describeSecretSourceContract,
  type SecretSourceHarness,
  type SecretSourceUnderTest,
} from './ports/secret-source-contract.js';
export {
  describeObserverContract,
  describeTracingContract,
  type ExportedSpan,
  type TelemetryUnderTest,
} from './ports/telemetry-contract.js';
export { describeClockContract, describeRandomContract } from './ports/time-contract.js';
export { describeArtifactManifestContract } from './stores/artifact-manifest-contract.js';
export { describeAuditRolloutContract } from './stores/audit/audit-rollout-contract.js';
export type { AuditRolloutUnderTest } from './stores/audit/audit-rollout-host.js';
export { describeAuditStoreContract } from './stores/audit/audit-store-contract.js';
export { describeChangeStoreContract } from './stores/change-store-contract.js';
export { describeCursorStoreContract } from './stores/cursor-store-contract.js';
export { describeDocumentStoreContract } from './stores/document-store-contract.js';
export { describeEgressLogContract } from './stores/egress-log-contract.js';
export {
  describeHostClockContract,
  type HostClockStoresHarness,
  type HostClockStoresUnderTest,
} from './stores/host-clock-contract.js';
export { describeDeadLetterStoreContract } from './stores/jobs/dead-letter-store-contract.js';
export { describeJobStoreContract } from './stores/jobs/job-store-contract.js';
export { describeJobStoreModel } from './stores/jobs/job-store-model.js';
export { describeLimitStoreContract } from './stores/jobs/limit-store-contract.js';
export { describeMessageStoreContract } from './stores/outbox/message-store-contract.js';
export { describeNotifyOutboxContract } from './stores/outbox/notify-outbox-contract.js';
export { describePreferenceStoreContract } from './stores/outbox/preference-store-contract.js';
export { describeRetentionStoreContract } from './stores/retention-store-contract.js';
export { describeSampleStoreContract } from './stores/sample-store-contract.js';
export { describeStoresContract } from './stores/stores-contract.js';
export type { StoresHarness, StoresUnderTest } from './stores/stores-harness.js';
export { describeSuppressionStoreContract } from './stores/suppression-store-contract.js';
export { type CollectedCase, collectCases, type FailedCase, failedCases } from './support/collecting-runner.js';
export { createManualClock, type ManualClock } from './support/manual-clock.js';
export type { Runner } from './support/runner.js';
export { createSeededRandom } from './support/seeded-random.js';
