import { checkOptions, type KnownKeys } from '../check-options.js';
import type { RedactionPolicy } from '../policy/policy-schema.js';
import { resolvePolicy } from '../policy/resolve-policy.js';
import { RULES_VERSION } from '../rules/rules-version.js';
import { createFreeText, type FreeText } from './free-text.js';
import type { JsonValue } from './json-value.js';
import { createKeyJudge } from './key-judge.js';
import { PayloadWalk } from './payload-walk.js';
import { UNREADABLE } from './snapshot.js';

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
  /** The version of `PayloadRedactor` of @criticizer/core that this fits. */
  readonly contract: 1;
  readonly ruleVersion: string;
  /**
   * Copies `value` as JSON with secrets hidden; the input is not touched. An object carries the
   * meta as `_redaction_meta`. Deterministic and idempotent. Never throws: what cannot be read
   * becomes `[UNREADABLE]`, a cycle `[CIRCULAR]`, more than 64 levels or 200,000 values
   * `[TRUNCATED]`; at most 10,000 paths are listed.
   */
  redact(value: unknown): { value: JsonValue; meta: RedactionMeta };
}

/** How a payload is redacted, and whether it carries what was done to it. */
export interface PayloadRedactorOptions {
  /** Written to `_redaction_meta.rule_version`; default: the version of this package's rules. */
  ruleVersion?: string | undefined;
  /**
   * Whether an object carries the meta as `_redaction_meta`, as the audit trail asks; default true.
   * Without it the meta is returned next to the value only, which suits log lines and costs less.
   */
  attachMeta?: boolean | undefined;
  /**
   * Whether texts are read for patterns; default true. `false` goes by the names of members alone,
   * as most log redactors do: twice as fast, and a secret in a message stays where it is. Not for
   * the audit trail (AUD-6).
   */
  texts?: boolean | undefined;
  /**
   * As for `createRedactor`: `packs`, `pii`, `internalHosts` and `internalIps` count for texts,
   * `keys` for members. What the audit trail must hide is hidden under any policy, so `disable`,
   * `allow` and `overrides` change nothing here. Default: the `default` pack.
   */
  policy?: RedactionPolicy | undefined;
}

/** Texts are not looked at. */
const UNREAD: FreeText = { isPlain: () => true, redact: (text) => text };
const META_KEY = '_redaction_meta';
const knownOptions: KnownKeys<PayloadRedactorOptions> = {
  ruleVersion: true,
  attachMeta: true,
  texts: true,
  policy: true,
};

/**
 * Builds a redactor for audit payloads, log fields and error context. Throws a TypeError that names a
 * wrong or unknown option.
 */
export function createPayloadRedactor(options: PayloadRedactorOptions = {}): PayloadRedactor {
  const { ruleVersion, attachMeta, texts } = readOptions(options);
  const policy = resolvePolicy(options.policy, 'createPayloadRedactor');
  const freeText = texts ? createFreeText(policy) : UNREAD;
  const judge = createKeyJudge(freeText, policy);
  return {
    contract: 1,
    ruleVersion,
    redact(value) {
      const walk = new PayloadWalk(judge, freeText, attachMeta ? META_KEY : undefined);
      const copy = walkSafely(walk, value);
      const meta: RedactionMeta = {
        rule_version: ruleVersion,
        fields_redacted_count: walk.fields,
        patterns_redacted_count: walk.patterns,
        redacted_paths: walk.paths,
      };
      if (attachMeta) attach(copy, { ...meta, redacted_paths: walk.paths.slice() });
      return { value: copy, meta };
    },
  };
}

function readOptions(options: PayloadRedactorOptions): { ruleVersion: string; attachMeta: boolean; texts: boolean } {
  checkOptions('createPayloadRedactor', options, knownOptions);
  const { ruleVersion = RULES_VERSION, attachMeta = true, texts = true } = options;
  if (typeof ruleVersion !== 'string' || ruleVersion === '')
    throw new TypeError('createPayloadRedactor: ruleVersion: expected a non-empty string');
  if (typeof attachMeta !== 'boolean') throw new TypeError('createPayloadRedactor: attachMeta: expected true or false');
  if (typeof texts !== 'boolean') throw new TypeError('createPayloadRedactor: texts: expected true or false');
  return { ruleVersion, attachMeta, texts };
}

/** The copy is nobody else's yet, so it may be written to. */
function attach(copy: JsonValue, meta: JsonValue): void {
  if (typeof copy === 'object' && copy !== null && !Array.isArray(copy))
    (copy as { _redaction_meta: JsonValue })._redaction_meta = meta;
}

/** A stack overflow or a proxy that lies must not bring a worker down. */
function walkSafely(walk: PayloadWalk, value: unknown): JsonValue {
  try {
    return walk.root(value);
  } catch {
    return UNREADABLE;
  }
}
