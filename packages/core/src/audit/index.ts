// Public entry `@criticizer/core/audit`: admin actions recorded beside the action itself, for any host.
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
} from './audit-store.js';
export { type AuditEntry, type AuditRecorded, type AuditTrail, auditSchemaVersion, createAuditTrail } from './audit-trail.js';
