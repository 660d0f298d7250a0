import type { JsonValue } from './json.js';

/** Which rules and policy made a redaction; travels with everything redacted (ART-6). */
export interface RuleSet {
  version: string;
  /** SHA-256 of the resolved policy, hex. */
  policyHash: string;
}

/**
 * What a hidden value is. `private-key`: a private key; `cloud-key`: a key of a cloud account;
 * `credential`: any other password, key or token; `private-data`: no credential, such as a mail
 * address or the name of an internal host.
 */
export type SecretKind = 'private-key' | 'cloud-key' | 'credential' | 'private-data';

/** One place of a text that a rule hides, in UTF-16 units of the text before redaction. */
export interface RedactionFinding {
  rule: string;
  /** Offsets into the text given, UTF-16 units. */
  start: number;
  end: number;
  /** 1-based line of `start`. */
  line: number;
  confidence: 'high' | 'low';
  /** Left out: `credential`. */
  kind?: SecretKind | undefined;
  /** HMAC of the value with the host's key; equal secrets compare equal, nothing can be turned back. */
  fingerprint: string;
}

/** A text with placeholders where secrets stood, and what was found. */
export interface RedactionResult {
  text: string;
  findings: readonly RedactionFinding[];
  /** Redactions by rule. */
  counts: Readonly<Record<string, number>>;
}

/** One change's redaction: the same secret gets the same placeholder in every text of the session. */
export interface RedactionSession {
  /** Line count and numbers stay. Throws when a rule throws; core then blocks the egress (RED-10). */
  redact(text: string, context?: { path?: string | undefined; diff?: boolean | undefined }): RedactionResult;
}

/** Finds and replaces secrets, deterministically (RED-1). `@criticizer/redact` fits by shape. */
export interface Redactor {
  /** The version of this port that the part is written to. Wiring refuses a number that it does not know. */
  readonly contract: 1;
  readonly rules: RuleSet;
  session(): RedactionSession;
  /** What is still there, for the guard over final bytes (RED-10): `high` blocks, `low` is reported. */
  scan(text: string): readonly RedactionFinding[];
}

/** Redacts JSON by key and by pattern (AUD-5..8): audit payloads, log fields, error context. */
export interface PayloadRedactor {
  readonly ruleVersion: string;
  /**
   * Never throws, whatever is given: cycles, getters, BigInt, depth. `value` carries
   * `_redaction_meta` when it is an object.
   */
  redact(value: unknown): { value: JsonValue; meta: RedactionMeta };
}

/**
 * What redaction did to a payload, as it is stored beside the payload. The names are the
 * specification's.
 */
export interface RedactionMeta {
  rule_version: string;
  fields_redacted_count: number;
  patterns_redacted_count: number;
  redacted_paths: readonly string[];
}
