import { checkFields, checkOptions, type KnownKeys } from './check-options.js';
import { readPath } from './grammar/path-kind.js';
import type { Confidence, Hit } from './grammar/rule.js';
import type { RedactionPolicy } from './policy/policy-schema.js';
import { hashPolicy, resolvePolicy } from './policy/resolve-policy.js';
import type { DefinedRule } from './rules/define-rule.js';
import { RULES_VERSION } from './rules/rules-version.js';
import { kindOf, type SecretKind } from './rules/secret-kinds.js';
import { findUntilStable } from './session/find-until-stable.js';
import { createFingerprint, type Fingerprint } from './session/fingerprint.js';
import { secretOf } from './session/govern-hits.js';
import { endOf, startOf } from './session/overlaps.js';
import { createPathPipelines, refuseUnmistakable } from './session/path-pipelines.js';
import type { Pipeline, PipelineContext } from './session/pipeline.js';
import { createPlaceholderNumbers, type Numbered, type PlaceholderNumbers } from './session/placeholder-numbers.js';
import { createSegmenter, isOneSegment } from './session/redaction-stream.js';
import { replaceHits } from './session/replace-hits.js';

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
  /** What the value is: how bad it is to have it there. */
  kind: SecretKind;
  /** 32 hex digits: HMAC-SHA256 of the value under the host's key. Equal secrets compare equal. */
  fingerprint: string;
}

/** A text with placeholders where secrets stood, and what was found. */
export interface RedactionResult {
  text: string;
  findings: readonly RedactionFinding[];
  /** Redactions by rule. */
  counts: Readonly<Record<string, number>>;
}

/**
 * How to read a text: its path picks the reading of unquoted values, `diff` says that lines start
 * with ' ', '+' or '-'.
 */
export interface RedactionContext {
  path?: string | undefined;
  diff?: boolean | undefined;
}

/**
 * A text redacted as it comes, chunk by chunk, with bounded memory; the joined results are those of
 * the whole text, however it was split.
 */
export interface RedactionStream {
  /**
   * Takes the next chunk; gives what of the text is settled by now, which may be nothing. Offsets
   * and lines are of the whole text.
   */
  write(chunk: string): RedactionResult;
  /** Gives the rest. The stream is done then. */
  end(): RedactionResult;
}

/** One change's redaction: the same secret gets the same placeholder in every text of the session. */
export interface RedactionSession {
  /**
   * Replaces the values of secrets by `[REDACTED:<rule>:<n>]`; line count and line numbers stay, a
   * second pass changes nothing. Throws RedactionError when a rule throws: the text must then not
   * leave (RED-10). Throws a TypeError for an unknown key of the context.
   */
  redact(text: string, context?: RedactionContext): RedactionResult;
  /**
   * The same for a text that is too long to hold, or not there yet. Throws a TypeError for an unknown
   * key of the context.
   */
  stream(context?: RedactionContext): RedactionStream;
}

/** Finds and replaces secrets, deterministically (RED-1). Fits the `Redactor` port of @criticizer/core by shape. */
export interface Redactor {
  /** The version of `Redactor` of @criticizer/core that this fits. */
  readonly contract: 1;
  readonly rules: RuleSet;
  session(): RedactionSession;
  /** What still stands in final bytes, JSON-escaped or not: `high` blocks a request, `low` is reported (RED-10). */
  scan(text: string): readonly RedactionFinding[];
}

/** The key of fingerprints, and what a host adds to the rules or takes from them. */
export interface RedactorOptions {
  /** Key of the fingerprints, at least 16 bytes. Keep it stable for as long as fingerprints are compared. */
  fingerprintKey: Uint8Array | string;
  /** Default: the `default` pack, no PII rules. */
  policy?: RedactionPolicy | undefined;
  /** Rules of one's own, made by `defineRule`; they come on top of the policy's. */
  rules?: readonly DefinedRule[] | undefined;
}

const knownOptions: KnownKeys<RedactorOptions> = { fingerprintKey: true, policy: true, rules: true };
const knownContext: KnownKeys<RedactionContext> = { path: true, diff: true };

/**
 * Builds a redactor. Throws a TypeError that names the option when the key is short, the policy is
 * wrong or an option is unknown.
 */
export function createRedactor(options: RedactorOptions): Redactor {
  checkOptions('createRedactor', options, knownOptions);
  const own = options.rules ?? [];
  if (!Array.isArray(own) || own.some((one) => typeof one?.rule?.confirm !== 'function'))
    throw new TypeError('createRedactor: rules: expected what defineRule returns');
  const fingerprint = createFingerprint(options.fingerprintKey);
  const policy = resolvePolicy(options.policy);
  let policyHash: string | undefined;
  const pipelineFor = createPathPipelines(
    policy,
    fingerprint,
    own.map(({ rule }) => rule),
  );
  const allowed = options.policy?.allow?.values;
  if (allowed !== undefined) refuseUnmistakable(allowed, pipelineFor(undefined));
  return {
    contract: 1,
    rules: Object.freeze({
      version: RULES_VERSION,
      get policyHash() {
        policyHash ??= hashPolicy(policy, own);
        return policyHash;
      },
    }),
    session: () => createSession(pipelineFor, fingerprint),
    scan(text) {
      requireText(text, 'scan');
      return toFindings(text, pipelineFor(undefined)(text, { kind: 'unknown', diff: undefined }), fingerprint);
    },
  };
}

/** What a session keeps from one text to the next, and what it reads texts by. */
interface SessionState {
  pipelineFor: (path: string | undefined) => Pipeline;
  fingerprint: Fingerprint;
  numbers: PlaceholderNumbers;
}

/**
 * Many a session reads one small text: it is made of no closures but its methods, which loaders
 * that keep names wrap one by one.
 */
function createSession(pipelineFor: SessionState['pipelineFor'], fingerprint: Fingerprint): RedactionSession {
  const state: SessionState = { pipelineFor, fingerprint, numbers: createPlaceholderNumbers() };
  return {
    stream(context) {
      checkContext('stream: context', context);
      return createStream(state, context);
    },
    redact(text, context) {
      requireText(text, 'redact');
      checkContext('redact: context', context);
      if (isOneSegment(text))
        return settle(state, text, hitsOf(state, text, pipelineFor(context?.path), readingOf(context)));
      const whole = createStream(state, context);
      const first = whole.write(text);
      const last = whole.end();
      const findings = [...first.findings, ...last.findings];
      return { text: first.text + last.text, findings, counts: countByRule(findings) };
    },
  };
}

function checkContext(path: string, context: RedactionContext | undefined): void {
  if (context === undefined) return;
  checkFields(path, context, knownContext);
  if (context.path !== undefined && typeof context.path !== 'string')
    throw new TypeError(`${path}.path: expected a string`);
  if (context.diff !== undefined && typeof context.diff !== 'boolean')
    throw new TypeError(`${path}.diff: expected true or false`);
}

function readingOf(context: RedactionContext | undefined): PipelineContext {
  const { kind, layout } = readPath(context?.path);
  return { kind, layout, diff: context?.diff };
}

/** The hits of a text once a scan of the redacted text finds nothing more. */
function hitsOf(
  { numbers, fingerprint }: SessionState,
  text: string,
  pipeline: Pipeline,
  reading: PipelineContext,
): readonly Hit[] {
  return findUntilStable(
    text,
    (given) => pipeline(given, reading),
    (hits) => numbers.draft(toSecrets(text, hits, fingerprint)).placeholders,
  );
}

/** Replaces what was found by the session's placeholders. */
function settle({ numbers, fingerprint }: SessionState, text: string, hits: readonly Hit[]): RedactionResult {
  if (hits.length === 0) return { text, findings: [], counts: {} };
  const findings = toFindings(text, hits, fingerprint);
  const draft = numbers.draft(findings);
  draft.keep();
  return { text: replaceHits(text, hits, draft.placeholders), findings, counts: countByRule(findings) };
}

function createStream(state: SessionState, context: RedactionContext | undefined): RedactionStream {
  let line = 1;
  let texts: string[] = [];
  let findings: RedactionFinding[] = [];
  const pipeline = state.pipelineFor(context?.path);
  const reading = readingOf(context);
  const segmenter = createSegmenter(
    (text) => hitsOf(state, text, pipeline, reading),
    ({ text, offset, hits, isLast }) => {
      const settled = settle(state, text, hits);
      texts.push(settled.text);
      for (const one of settled.findings)
        findings.push({ ...one, start: one.start + offset, end: one.end + offset, line: one.line + line - 1 });
      if (!isLast) line += countBreaks(text);
    },
  );
  const given = (): RedactionResult => {
    const result = { text: texts.join(''), findings, counts: countByRule(findings) };
    texts = [];
    findings = [];
    return result;
  };
  return {
    write(chunk) {
      requireText(chunk, 'write');
      segmenter.write(chunk);
      return given();
    },
    end() {
      segmenter.end();
      return given();
    },
  };
}

function countBreaks(text: string): number {
  let breaks = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) breaks += 1;
  return breaks;
}

function requireText(text: unknown, verb: string): void {
  if (typeof text !== 'string') throw new TypeError(`${verb}: expected a string`);
}

function toFindings(text: string, hits: readonly Hit[], fingerprint: Fingerprint): RedactionFinding[] {
  let line = 1;
  let nextBreak = text.indexOf('\n');
  const secrets = toSecrets(text, hits, fingerprint);
  return hits.map((hit, index) => {
    const start = startOf(hit);
    for (; nextBreak >= 0 && nextBreak < start; nextBreak = text.indexOf('\n', nextBreak + 1)) line += 1;
    const { rule, fingerprint: ofSecret } = secrets[index] as Numbered;
    const { confidence } = hit;
    return { rule, start, end: endOf(hit), line, confidence, kind: kindOf(rule), fingerprint: ofSecret };
  });
}

/** What each hit hides, without its value. Equal values are hashed once. */
function toSecrets(text: string, hits: readonly Hit[], fingerprint: Fingerprint): Numbered[] {
  const known = new Map<string, string>();
  return hits.map((hit) => {
    const value = secretOf(text, hit);
    let made = known.get(value);
    if (made === undefined) {
      made = fingerprint(value);
      known.set(value, made);
    }
    return { rule: hit.rule, fingerprint: made };
  });
}

function countByRule(findings: readonly RedactionFinding[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { rule } of findings) counts[rule] = (counts[rule] ?? 0) + 1;
  return counts;
}
