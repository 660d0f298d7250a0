// Public entry `@criticizer/core/audit`: admin actions recorded beside the action itself, for any host.

export { type AdminAction, type AdminActionName, adminActions } from '../audit/admin-actions.js';
export {
  type AuditContext,
  type AuditEntryInRequest,
  type AuditRequest,
  createAuditContext,
} from '../audit/audit-context.js';
export { type AuditEntry, auditSchemaVersion } from '../audit/audit-entry.js';
export { type AuditRecorded, type AuditTrail, createAuditTrail, type RecordOptions } from '../audit/audit-trail.js';
export {
  type AuditComparison,
  type AuditDifference,
  type CompareAuditTrailsOptions,
  compareAuditTrails,
  type PrimaryAuditEntry,
} from '../audit/comparison/compare-audit-trails.js';
export type { AuditComparisonSample } from '../audit/comparison/compared-event.js';
export type {
  ActionCount,
  HashDistribution,
  HashPrefixCount,
  SidesCount,
} from '../audit/comparison/comparison-counts.js';
export {
  type AuditFlagFlip,
  type AuditFlagName,
  type AuditFlagProvider,
  type AuditFlagSubject,
  type AuditFlags,
  type AuditFlagsOptions,
  auditFlagNames,
  createAuditFlags,
} from '../audit/flags/audit-flags.js';
export {
  type AuditFlagRule,
  type AuditFlagRules,
  createPercentageFlags,
  createStoredFlags,
  readAuditFlagRules,
  type StoredFlagsOptions,
} from '../audit/flags/flag-rules.js';
export { type AuditMetrics, type AuditMetricsOptions, createAuditMetrics } from '../audit/metrics/audit-metrics.js';
export { measureAuditStore } from '../audit/metrics/measure-audit-store.js';
export {
  type IncomingRequest,
  type ReadAuditRequestOptions,
  readAuditRequest,
} from '../audit/read-audit-request.js';
export { toShadowDestination } from '../audit/shadow-destination.js';
export { systemRandom } from '../foundation/time/system-random.js';
export { createMemoryStores, type MemoryStoresOptions } from '../memory/memory-stores.js';
export { applyMigrations, type MigrationParts } from '../operate/apply-migrations.js';
export type { EraseSubject, SubjectErased } from '../operate/audit/erase-subject.js';
export type { AuditPruned, PruneAudit } from '../operate/audit/prune-audit.js';
export { digestAuditSubject } from '../operate/audit/subject-digest.js';
export type {
  AuditDeadLetter,
  AuditDelivery,
  AuditDeliveryState,
  AuditEvent,
  AuditLease,
  AuditOperatorStatus,
  AuditSettlement,
  AuditStats,
  AuditStore,
  ClaimedAuditDelivery,
  NewAuditEvent,
} from '../stores/audit-store.js';
export { type Logger, silentLogger } from '../telemetry/logger.js';
