// Public entry `@criticizer/core/audit-delivery`: audit events delivered to sinks, for any host.

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
export type { AuditSink, SinkAnswer, SinkContext, SinkFailure, SinkTest } from '../audit/sinks/audit-sink.js';
export { createElasticSink, type ElasticSinkOptions } from '../audit/sinks/elastic-sink.js';
export { createJsonLinesSink, type JsonLinesSinkOptions } from '../audit/sinks/json-lines-sink.js';
export { createOtlpLogsSink, type OtlpLogsSinkOptions } from '../audit/sinks/otlp-sink.js';
export type { HttpSinkOptions, SinkSecret } from '../audit/sinks/sink-options.js';
export { createSplunkSink, type SplunkSinkOptions } from '../audit/sinks/splunk-sink.js';
export { createWebhookSink, type WebhookSinkOptions } from '../audit/sinks/webhook-sink.js';
