// Public entry `@criticizer/core/audit-delivery`: audit events delivered to sinks, and sealed, for any host.

export {
  type AuditDelivery,
  type AuditDeliveryOptions,
  createAuditDelivery,
} from '../audit/delivery/audit-delivery.js';
export type { AuditDeliveryOutcome } from '../audit/delivery/destination-loop.js';
export {
  codeOfLetter,
  findOverdueAuditLetters,
  type OverdueAuditLetters,
  type OverdueAuditLettersOptions,
} from '../audit/delivery/overdue-letters.js';
export { type AuditRootCause, rootCauseOf } from '../audit/delivery/root-cause.js';
export { createShadowSink } from '../audit/delivery/shadow-sink.js';
export type { AuditFinding, AuditFindingKind, AuditVerification } from '../audit/seal/audit-finding.js';
export { type AuditSealer, type AuditSealerOptions, createAuditSealer } from '../audit/seal/audit-sealer.js';
export { readCheckpoint } from '../audit/seal/checkpoint-file.js';
export { exportAuditTrail } from '../audit/seal/export-trail.js';
export { readSealPublicKey, type SealKey } from '../audit/seal/seal-keys.js';
export type { AuditSealing } from '../audit/seal/seal-pass.js';
export { type VerifyAuditTrailOptions, verifyAuditTrail } from '../audit/seal/verify-trail.js';
export type { AuditSink, SinkAnswer, SinkContext, SinkFailure, SinkTest } from '../audit/sinks/audit-sink.js';
export { createElasticSink, type ElasticSinkOptions } from '../audit/sinks/elastic-sink.js';
export { createJsonLinesSink, type JsonLinesSinkOptions } from '../audit/sinks/json-lines-sink.js';
export { createOtlpLogsSink, type OtlpLogsSinkOptions } from '../audit/sinks/otlp-sink.js';
export type { HttpSinkOptions, SinkSecret } from '../audit/sinks/sink-options.js';
export { createSplunkSink, type SplunkSinkOptions } from '../audit/sinks/splunk-sink.js';
export { createWebhookSink, type WebhookSinkOptions } from '../audit/sinks/webhook-sink.js';
export type { AuditSeal, AuditSealLeaf, AuditSealStore, SealClaim, SealedEvent } from '../stores/audit-seal-store.js';
