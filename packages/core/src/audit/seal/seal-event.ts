import { createHash } from 'node:crypto';
import { canonicalJson } from '../../foundation/canonical-json.js';
import { isJsonObject, type JsonObject } from '../../foundation/json.js';
import type { PayloadRedactor } from '../../foundation/redactor.js';
import type { AuditSeal } from '../../stores/audit-seal-store.js';
import type { NewAuditEvent } from '../../stores/audit-store.js';
import { auditSchemaVersion } from '../audit-entry.js';
import { preparePayload } from '../prepare-payload.js';
import { toSealJson } from './seal-statement.js';

/** The action of the event that delivers a seal to the sinks. */
export const sealAction = 'audit.seal.root';

/** A seal is digests and a signature, which a redactor would take for secrets, and which must arrive as they are. */
const asItIs: PayloadRedactor = {
  ruleVersion: 'none',
  redact(value) {
    const meta = { rule_version: 'none', fields_redacted_count: 0, patterns_redacted_count: 0, redacted_paths: [] };
    return { value: isJsonObject(value as JsonObject) ? (value as JsonObject) : {}, meta };
  },
};

/** The audit event of a seal: sinks get it like any other, and so keep the roots outside of the database. */
export function toSealEvent(seal: AuditSeal, id: string): NewAuditEvent {
  const payload = preparePayload(asItIs, { seal: toSealJson(seal) }, {});
  return {
    id,
    occurredAt: null,
    actorType: 'system',
    actorId: 'criticizer',
    tenantId: null,
    traceId: null,
    requestId: null,
    action: sealAction,
    targetType: 'audit_seal',
    targetId: String(seal.seq),
    resultStatus: 'success',
    httpStatus: null,
    sourceIp: null,
    userAgent: null,
    payload,
    payloadSha256: createHash('sha256').update(canonicalJson(payload)).digest('hex'),
    schemaVersion: auditSchemaVersion,
  };
}
