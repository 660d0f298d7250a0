export type { Confidence } from './grammar/rule.js';
export { type RedactionPolicy, RULE_PACKS } from './policy/policy-schema.js';
export { RedactionError, type RedactionErrorCode } from './redaction-error.js';
export type {
  RedactionContext,
  RedactionFinding,
  RedactionResult,
  RedactionSession,
  RedactionStream,
  Redactor,
  RedactorOptions,
  RuleSet,
} from './redactor.js';
export { createRedactor } from './redactor.js';
export { type DefinedRule, defineRule, type RuleDefinition, type RuleWindow } from './rules/define-rule.js';
export type { SecretKind } from './rules/secret-kinds.js';
export type { JsonValue } from './structured/json-value.js';
export type { PayloadRedactor, PayloadRedactorOptions, RedactionMeta } from './structured/payload-redactor.js';
export { createPayloadRedactor } from './structured/payload-redactor.js';
