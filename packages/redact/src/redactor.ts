import { createFingerprint, type Fingerprint } from './fingerprint.js';
import { endOf, startOf } from './overlaps.js';
import { pathKindOf } from './path-kind.js';
import type { Pipeline } from './pipeline.js';
import { createPlaceholderNumbers } from './placeholder-numbers.js';
import { secretOf } from './policy/govern-hits.js';
import { createPathPipelines, refuseUnmistakable } from './policy/path-pipelines.js';
import type { RedactionPolicy } from './policy/policy-schema.js';
import { hashPolicy, resolvePolicy } from './policy.js';
import { redactUntilStable } from './redact-until-stable.js';
import type { Confidence, Hit } from './rule.js';
import { RULES_VERSION } from './rules/rule-set.js';

/** Which rules and policy made a redaction; store it with everything redacted (ART-6). */
export interface RuleSet {
  version: string;
  /** SHA-256 of the resolved policy, hex. */
  policyHash: string;
}

/** One secret found, without its value. */
export interface RedactionFinding {
  /** Name of the rule, as in the placeholder. */
  rule: string;
  /** Offsets into the text given, in UTF-16 units; a multi-line secret runs from its first to its last character. */
  start: number;
  end: number;
  /** 1-based line of `start`. */
  line: number;
  confidence: Confidence;
  /** 32 hex digits: HMAC-SHA256 of the value under the host's key. Equal secrets compare equal. */
  fingerprint: string;
}

export interface RedactionResult {
  text: string;
  findings: readonly RedactionFinding[];
  /** Redactions by rule. */
  counts: Readonly<Record<string, number>>;
}

/** How to read a text: its path picks the reading of unquoted values, `diff` says that lines start with ' ', '+' or '-'. */
export interface RedactionContext {
  path?: string | undefined;
  diff?: boolean | undefined;
}

/** One change's redaction: the same secret gets the same placeholder in every text of the session. */
export interface RedactionSession {
  /**
   * Replaces the values of secrets by `[REDACTED:<rule>:<n>]`; line count and line numbers stay, a second pass changes nothing.
   * Throws RedactionError when a rule throws: the text must then not leave (RED-10).
   */
  redact(text: string, context?: RedactionContext): RedactionResult;
}

/** Finds and replaces secrets, deterministically (RED-1). Fits the `Redactor` port of @criticizer/core by shape. */
export interface Redactor {
  readonly rules: RuleSet;
  session(): RedactionSession;
  /** What still stands in final bytes, JSON-escaped or not: `high` blocks a request, `low` is reported (RED-10). */
  scan(text: string): readonly RedactionFinding[];
}

export interface RedactorOptions {
  /** Key of the fingerprints, at least 16 bytes. Keep it stable for as long as fingerprints are compared. */
  fingerprintKey: Uint8Array | string;
  /** Default: the `default` pack, no PII rules. */
  policy?: RedactionPolicy | undefined;
}

/** Builds a redactor. Throws a TypeError that names the option when the key is short or the policy is wrong. */
export function createRedactor(options: RedactorOptions): Redactor {
  if (typeof options !== 'object' || options === null)
    throw new TypeError('createRedactor: expected an options object with fingerprintKey');
  const unknown = Object.keys(options).filter((key) => key !== 'fingerprintKey' && key !== 'policy');
  if (unknown.length > 0) throw new TypeError(`createRedactor: no option ${unknown.join(', ')}; known: fingerprintKey, policy`);
  const fingerprint = createFingerprint(options.fingerprintKey);
  const policy = resolvePolicy(options.policy);
  const pipelineFor = createPathPipelines(policy, fingerprint);
  refuseUnmistakable(options.policy?.allow?.values ?? [], pipelineFor(undefined));
  return {
    rules: Object.freeze({ version: RULES_VERSION, policyHash: hashPolicy(policy) }),
    session: () => createSession(pipelineFor, fingerprint),
    scan(text) {
      requireText(text, 'scan');
      return toFindings(text, pipelineFor(undefined)(text, { kind: 'unknown', diff: undefined }), fingerprint);
    },
  };
}

function createSession(pipelineFor: (path: string | undefined) => Pipeline, fingerprint: Fingerprint): RedactionSession {
  const numbers = createPlaceholderNumbers();
  return {
    redact(text, context = {}) {
      requireText(text, 'redact');
      const pipeline = pipelineFor(context.path);
      const reading = { kind: pathKindOf(context.path), diff: context.diff };
      let findings: RedactionFinding[] = [];
      let draft = numbers.draft(findings);
      const redacted = redactUntilStable(
        text,
        (given) => pipeline(given, reading),
        (hits) => {
          findings = toFindings(text, hits, fingerprint);
          draft = numbers.draft(findings);
          return draft.placeholders;
        },
      );
      draft.keep();
      return { text: redacted, findings, counts: countByRule(findings) };
    },
  };
}

function requireText(text: unknown, verb: string): void {
  if (typeof text !== 'string') throw new TypeError(`${verb}: expected a string`);
}

function toFindings(text: string, hits: readonly Hit[], fingerprint: Fingerprint): RedactionFinding[] {
  let line = 1;
  const known = new Map<string, string>();
  const fingerprintOf = (value: string): string => {
    const made = known.get(value) ?? fingerprint(value);
    known.set(value, made);
    return made;
  };
  let nextBreak = text.indexOf('\n');
  return hits.map((hit) => {
    const start = startOf(hit);
    for (; nextBreak >= 0 && nextBreak < start; nextBreak = text.indexOf('\n', nextBreak + 1)) line += 1;
    return { rule: hit.rule, start, end: endOf(hit), line, confidence: hit.confidence, fingerprint: fingerprintOf(secretOf(text, hit)) };
  });
}

function countByRule(findings: readonly RedactionFinding[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { rule } of findings) counts[rule] = (counts[rule] ?? 0) + 1;
  return counts;
}
