import { checkFields, checkOptions, type OptionCheck, type OptionShape } from '../../foundation/check-options.js';
import { computeCohort } from '../../foundation/cohort.js';
import type { JsonObject, JsonValue } from '../../foundation/json.js';
import { checkArray, oneOf, optional, withMethods } from '../../foundation/option-checks.js';
import { checkMs, checkText } from '../../foundation/store-input.js';
import { createCachedRead } from '../../foundation/time/cached-read.js';
import type { Clock } from '../../foundation/time/clock.js';
import { systemClock } from '../../foundation/time/system-clock.js';
import type { DocumentStore } from '../../stores/document-store.js';
import { type AuditFlagName, type AuditFlagProvider, auditFlagNames } from './audit-flags.js';

/** For whom a flag is on. */
export interface AuditFlagRule {
  /** Percent of the tenants, 0 to 100. A tenant that is in at 1 stays in at 10 and 100. */
  percentage: number;
  /** Tenants for whom it is on whatever the percentage. */
  tenants?: readonly string[] | undefined;
  /** Tenants for whom it is off whatever the percentage, also where `tenants` names them. */
  excludedTenants?: readonly string[] | undefined;
}

/** A rule for each flag; without one it is off, or has its default: `StoredFlagsOptions.withoutRule`. */
export type AuditFlagRules = Partial<Record<AuditFlagName, AuditFlagRule>>;

const checkPercentage: OptionCheck = (option, value) => {
  if (typeof value !== 'number' || !(value >= 0 && value <= 100))
    throw new TypeError(`${option}: expected a number from 0 to 100`);
};
const checkTenants: OptionCheck = optional((option, value) => {
  checkArray(option, value);
  const names = value as readonly unknown[];
  if (names.length > 10_000) throw new TypeError(`${option}: expected at most 10000 names`);
  for (const name of names) checkText(option, name);
});

/** The checks of a rule's fields. */
export const auditFlagRuleShape: OptionShape<AuditFlagRule> = {
  percentage: checkPercentage,
  tenants: checkTenants,
  excludedTenants: checkTenants,
};

const checkRule: OptionCheck = optional((option, value) => checkFields(option, value, auditFlagRuleShape));
const rulesShape: OptionShape<AuditFlagRules> = {
  [auditFlagNames.write]: checkRule,
  [auditFlagNames.shadow]: checkRule,
  [auditFlagNames.worker]: checkRule,
};

/** Whether the rule is on for a tenant. */
export function matchesRule(rule: AuditFlagRule | undefined, key: string): boolean {
  if (rule === undefined || rule.excludedTenants?.includes(key) === true) return false;
  // One cohort for all flags, so that the worker's tenants are among the writer's.
  return rule.tenants?.includes(key) === true || computeCohort(key) < rule.percentage;
}

/** Evaluates rules of the host's configuration. Throws `TypeError` for rules that are none. */
export function createPercentageFlags(rules: AuditFlagRules): AuditFlagProvider {
  checkOptions('createPercentageFlags', rules, rulesShape);
  return {
    getBooleanValue: async (flag, _defaultValue, { targetingKey }) =>
      matchesRule(rules[flag as AuditFlagName], targetingKey),
  };
}

/** Name of the document in `stores.documents` that holds the rules. */
export const auditFlagsDocument = 'audit.flags';

/** Reads the document's value; never written is no rules. Throws `TypeError` for anything malformed. */
export function readFlagRules(value: JsonValue): AuditFlagRules {
  if (value === null) return {};
  checkFields<AuditFlagRules>(auditFlagsDocument, value, rulesShape);
  return value as AuditFlagRules;
}

/**
 * The rules that operators set by `setAuditFlag`, to show them. Rejects with the store's error, and with
 * `TypeError` for a document that holds none.
 */
export async function readAuditFlagRules<Tx>(stores: {
  documents: Pick<DocumentStore<Tx>, 'read'>;
}): Promise<AuditFlagRules> {
  return readFlagRules((await stores.documents.read(auditFlagsDocument)).value);
}

/** The rules as the document holds them. */
export function writeFlagRules(rules: AuditFlagRules): JsonObject {
  return JSON.parse(JSON.stringify(rules)) as JsonObject;
}

/** Where the rules lie, and how long a process may remember them. */
export interface StoredFlagsOptions<Tx> {
  /** `Stores.documents`. */
  documents: Pick<DocumentStore<Tx>, 'read'>;
  /** Milliseconds; default 2,000, at most 60,000: a rollback reaches every process within. */
  cacheMs?: number | undefined;
  /**
   * What a flag is that no operator set yet. `off`, the default: a rollout begins with the verb.
   * `default`: the value of `defaults` of `createAuditFlags`, so that a rollback begins with the verb.
   */
  withoutRule?: 'off' | 'default' | undefined;
  clock?: Pick<Clock, 'monotonicMs'> | undefined;
}

/**
 * Evaluates the rules that `operator.setAuditFlag` stores, in every process within `cacheMs`. Rejects
 * where they cannot be read, and `createAuditFlags` then gives its default. Throws `TypeError` for a
 * missing or unknown option.
 */
export function createStoredFlags<Tx>(options: StoredFlagsOptions<Tx>): AuditFlagProvider {
  checkOptions<StoredFlagsOptions<Tx>>('createStoredFlags', options, {
    documents: withMethods('read'),
    cacheMs: optional((option, value) => checkMs(option, value as number, 0)),
    withoutRule: optional(oneOf('off', 'default')),
    clock: optional(withMethods('monotonicMs')),
  });
  const { documents, cacheMs = 2_000, withoutRule = 'off', clock = systemClock } = options;
  if (cacheMs > 60_000) throw new TypeError('createStoredFlags: cacheMs: expected at most 60000');
  const readRules = createCachedRead(async () => readFlagRules((await documents.read(auditFlagsDocument)).value), {
    cacheMs,
    clock,
    sharesReads: false, // the trail evaluates inside the host's transaction, the worker outside
  });
  return {
    async getBooleanValue(flag, defaultValue, { targetingKey }) {
      const rule = (await readRules())[flag as AuditFlagName];
      return rule === undefined && withoutRule === 'default' ? defaultValue : matchesRule(rule, targetingKey);
    },
  };
}
