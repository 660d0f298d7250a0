import { type AuditFlagName, auditFlagNames } from '../audit/flags/audit-flags.js';
import {
  type AuditFlagRule,
  auditFlagRuleShape,
  auditFlagsDocument,
  readFlagRules,
  writeFlagRules,
} from '../audit/flags/flag-rules.js';
import { canonicalJson } from '../foundation/canonical-json.js';
import { CriticizerError } from '../foundation/errors.js';
import type { JsonValue } from '../foundation/json.js';
import { checkOneOf } from '../foundation/store-input.js';
import {
  checkRequest,
  type Operated,
  type Operation,
  type OperatorParts,
  type OperatorRequest,
  performOperation,
} from './operation.js';

/** The rule of one flag of the audit's rollout: it replaces the one before as a whole. */
export interface SetAuditFlag extends OperatorRequest, AuditFlagRule {
  flag: AuditFlagName;
}

/** Tries against other operators who write at the same time. */
const maxTries = 3;

/**
 * Sets for whom a flag of the audit's rollout is on, in every process whose flags are
 * `createStoredFlags` (AUD-17, AUD-19). The event names the rule before and the rule after, and is
 * stored whatever the flags say; `unchanged` writes nothing. Rejects with `AUDIT_FLAG_CONFLICT` when
 * other operators win three times, and with the store's error.
 */
export async function setAuditFlag<Tx>(
  parts: OperatorParts<Tx>,
  request: SetAuditFlag,
): Promise<Operated<'set' | 'unchanged'> & { version: number }> {
  checkRequest<SetAuditFlag>('setAuditFlag', request, {
    ...auditFlagRuleShape,
    flag: (option, value) => checkOneOf(option, value, Object.values(auditFlagNames)),
  });
  const { flag, actor, reason, percentage, tenants, excludedTenants } = request;
  const rule: AuditFlagRule = { percentage, tenants, excludedTenants };
  const { documents } = parts.stores;
  for (let tries = 0; tries < maxTries; tries++) {
    const present = await documents.read(auditFlagsDocument);
    const rules = readFlagRules(present.value);
    const value = writeFlagRules({ ...rules, [flag]: rule });
    const before = writeFlagRules(rules);
    const isUnchanged = canonicalJson(value) === canonicalJson(before);
    const operation: Operation<Tx, { outcome: 'written' | 'conflict' | 'unchanged'; version: number }> = {
      action: 'audit.flag.set',
      targetType: 'audit_flag',
      targetId: flag,
      payload: { from: before[flag] ?? null, to: value[flag] as JsonValue },
      actor,
      reason,
      change: async (tx) =>
        isUnchanged
          ? { outcome: 'unchanged', version: present.version }
          : documents.write(auditFlagsDocument, present.version, value, { tx }),
      hasChanged: ({ outcome }) => outcome === 'written',
    };
    const done = await performOperation(parts, operation);
    const { outcome, version } = done.outcome;
    if (outcome !== 'conflict')
      return { outcome: outcome === 'written' ? 'set' : 'unchanged', audit: done.audit, version };
  }
  throw new CriticizerError('AUDIT_FLAG_CONFLICT', 'other operators keep writing the flags of the audit', {
    category: 'conflict',
  });
}
