import { RULES_VERSION } from '../rules/rule-set.js';
import { createFreeTextRedactor } from './free-text.js';
import type { JsonValue } from './json-value.js';
import { createKeyVerdicts } from './key-verdicts.js';
import { PayloadWalk } from './payload-walk.js';

/** What was redacted in one value (AUD-8). */
export interface RedactionMeta {
  rule_version: string;
  /** Values hidden or masked because of their key. */
  fields_redacted_count: number;
  /** Marks left in texts by patterns. */
  patterns_redacted_count: number;
  /** JSON paths such as `$.user.password`, in order of appearance. */
  redacted_paths: readonly string[];
}

/** Redacts JSON by key and by pattern (AUD-5..8). Fits the `PayloadRedactor` port of @criticizer/core by shape. */
export interface PayloadRedactor {
  readonly ruleVersion: string;
  /**
   * Copies `value` as JSON with secrets hidden; the input is not touched. An object carries the meta as `_redaction_meta`. Deterministic and
   * idempotent. Never throws: what cannot be read becomes `[UNREADABLE]`, a cycle `[CIRCULAR]`, more than 64 levels `[TRUNCATED]`.
   */
  redact(value: unknown): { value: JsonValue; meta: RedactionMeta };
}

export interface PayloadRedactorOptions {
  /** Written to `_redaction_meta.rule_version`; default: the version of this package's rules. */
  ruleVersion?: string | undefined;
}

const META_KEY = '_redaction_meta';
const UNREADABLE = '[UNREADABLE]';

/** Builds a redactor for audit payloads, log fields and error context. Throws a TypeError for a wrong option. */
export function createPayloadRedactor(options: PayloadRedactorOptions = {}): PayloadRedactor {
  const unknown = Object.keys(options).filter((key) => key !== 'ruleVersion');
  if (unknown.length > 0) throw new TypeError(`createPayloadRedactor: no option ${unknown.join(', ')}; known: ruleVersion`);
  const ruleVersion = options.ruleVersion ?? RULES_VERSION;
  if (typeof ruleVersion !== 'string' || ruleVersion === '')
    throw new TypeError('createPayloadRedactor: ruleVersion: expected a non-empty string');
  const verdictOf = createKeyVerdicts();
  const redactText = createFreeTextRedactor();
  return {
    ruleVersion,
    redact(value) {
      const walk = new PayloadWalk(verdictOf, redactText);
      let copy = walkSafely(walk, value);
      const meta: RedactionMeta = {
        rule_version: ruleVersion,
        fields_redacted_count: walk.fields,
        patterns_redacted_count: walk.patterns,
        redacted_paths: walk.paths,
      };
      if (isJsonObject(copy)) copy = { ...copy, [META_KEY]: { ...meta, redacted_paths: [...meta.redacted_paths] } };
      return { value: copy, meta };
    },
  };
}

function isJsonObject(value: JsonValue): value is { readonly [key: string]: JsonValue } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A stack overflow or a proxy that lies must not bring a worker down. */
function walkSafely(walk: PayloadWalk, value: unknown): JsonValue {
  try {
    return walk.root(value);
  } catch {
    return UNREADABLE;
  }
}
