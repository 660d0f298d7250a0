// Public entry `@criticizer/core/testing`: contract suites and the doubles they need.
// Runner-neutral; only the model suite needs fast-check.
export { type CollectedCase, collectCases, type FailedCase, failedCases } from './collecting-runner.js';
export { type AccessPolicyHarness, describeAccessPolicyContract } from './contracts/access-policy-contract.js';
export { describeArtifactManifestContract } from './contracts/artifact-manifest-contract.js';
export { type ArtifactStoreHarness, describeArtifactStoreContract } from './contracts/artifact-store-contract.js';
export { describeAuditStoreContract } from './contracts/audit-store-contract.js';
export { type ChangeFetcherHarness, describeChangeFetcherContract } from './contracts/change-fetcher-contract.js';
export { describeCursorStoreContract } from './contracts/cursor-store-contract.js';
export { describeDeadLetterStoreContract } from './contracts/dead-letter-store-contract.js';
export { describeEgressLogContract } from './contracts/egress-log-contract.js';
export {
  describeHostClockContract,
  type HostClockStoresHarness,
  type HostClockStoresUnderTest,
} from './contracts/host-clock-contract.js';
export { describeJobStoreContract } from './contracts/job-store-contract.js';
export { describeJobStoreModel } from './contracts/job-store-model.js';
export { describeKeyProviderContract, type KeyProviderHarness } from './contracts/key-provider-contract.js';
export { describeLimitStoreContract } from './contracts/limit-store-contract.js';
export {
  contractReplyText,
  contractSecondText,
  describeLlmProviderContract,
  type LlmPeerScene,
  type LlmProviderHarness,
  type LlmProviderUnderTest,
} from './contracts/llm-provider-contract.js';
export { describeMailComposerContract } from './contracts/mail-composer-contract.js';
export {
  describeMailerContract,
  type MailerHarness,
  type MailerUnderTest,
  type ReceivedMail,
} from './contracts/mailer-contract.js';
export {
  describeMessageVaultContract,
  type MessageVaultHarness,
  type MessageVaultUnderTest,
} from './contracts/message-vault-contract.js';
export { describeNotifyOutboxContract } from './contracts/notify-outbox-contract.js';
export { describePayloadRedactorContract } from './contracts/payload-redactor-contract.js';
export { describeRecipientResolverContract } from './contracts/recipient-resolver-contract.js';
export { describeRedactorContract, type RedactorHarness, type SecretSample } from './contracts/redactor-contract.js';
export { describeRolloutStoreContract } from './contracts/rollout-store-contract.js';
export {
  describeSecretSourceContract,
  type SecretSourceHarness,
  type SecretSourceUnderTest,
} from './contracts/secret-source-contract.js';
export { describeStoresContract } from './contracts/stores-contract.js';
export type { StoresHarness, StoresUnderTest } from './contracts/stores-harness.js';
export { describeObserverContract } from './contracts/telemetry-contract.js';
export { describeClockContract, describeRandomContract } from './contracts/time-contract.js';
export { createManualClock, type ManualClock } from './manual-clock.js';
export type { Runner } from './runner.js';
export { createSeededRandom } from './seeded-random.js';
