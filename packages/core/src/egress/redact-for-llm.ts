import { isCriticizerError } from '../foundation/errors.js';
import { isRedactedText, mintRedactedText, type RedactedText, readRedactedText } from '../foundation/redacted-text.js';
import type { RedactionFinding, RedactionResult, RedactionSession, Redactor, RuleSet } from '../foundation/redactor.js';
import { blockEgress, type EgressContext } from './block-egress.js';

/** One text bound for the model: a file, a hunk, the description, a path, a user's name (ruling R15). */
export interface TextForLlm {
  /** The caller's name for it, to find the piece again. */
  name: string;
  text: string;
  /** Depot path, where the text is a file's: rules look at it. */
  path?: string | undefined;
  /** The text is a unified diff. */
  diff?: boolean | undefined;
}

/** One text of a request after redaction, with the number of findings by rule. */
export interface RedactedPiece {
  name: string;
  text: RedactedText;
  /** Redactions by rule. */
  counts: Readonly<Record<string, number>>;
}

/** All texts of a request after redaction, in the order in which they were given. */
export interface RedactedForLlm {
  /** In the order given. */
  pieces: readonly RedactedPiece[];
  /** Redactions by rule, over all pieces: the `redactions` of the egress record. */
  counts: Readonly<Record<string, number>>;
}

/** Adds up counts by rule. */
export function sumCounts(all: Iterable<Readonly<Record<string, number>>>): Readonly<Record<string, number>> {
  const sum = new Map<string, number>();
  for (const counts of all)
    for (const [rule, count] of Object.entries(counts)) sum.set(rule, (sum.get(rule) ?? 0) + count);
  return Object.fromEntries([...sum].sort(([a], [b]) => (a < b ? -1 : 1)));
}

function lineCount(text: string): number {
  return text.split('\n').length;
}

function sameRules(text: RedactedText, rules: RuleSet): boolean {
  const made = readRedactedText(text);
  return made.rulesVersion === rules.version && made.policyHash === rules.policyHash;
}

/**
 * Redacts every text in one session, so that equal secrets get equal placeholders, and mints the
 * results: the only way to a `RedactedText` outside the artifact store (ART-6). `session` continues
 * a session of the same redactor. All or nothing: when one text fails, none is minted,
 * `egress.blocked` is raised and `EGRESS_BLOCKED` is thrown (RED-10). What the rule threw is not
 * kept: it may quote the text.
 */
export function redactForLlm(
  options: EgressContext & {
    redactor: Redactor;
    session?: RedactionSession | undefined;
    texts: readonly TextForLlm[];
  },
): RedactedForLlm {
  const { redactor, texts } = options;
  const redactOne = (session: RedactionSession, { text, path, diff }: TextForLlm): RedactionResult => {
    let result: RedactionResult;
    try {
      result = session.redact(text, { path, diff });
    } catch (error) {
      throw blockEgress('redaction_failed', options, { error: isCriticizerError(error) ? error.code : 'threw' });
    }
    if (typeof result?.text !== 'string' || lineCount(result.text) !== lineCount(text))
      throw blockEgress('redaction_failed', options, { error: 'line_count' });
    return result;
  };
  const session = options.session ?? redactor.session();
  const results = texts.map((one) => ({ name: one.name, ...redactOne(session, one) }));
  return {
    pieces: results.map(({ name, text, counts }) => ({ name, text: mintRedactedText(text, redactor.rules), counts })),
    counts: sumCounts(results.map((result) => result.counts)),
  };
}

/**
 * Joins redacted pieces and trusted template text (plain strings) into one redacted text. Callers
 * cannot mint through it: all pieces must come from the redactor's rules, and a template with a
 * high finding is refused. Throws `EGRESS_BLOCKED`.
 */
export function joinRedacted(
  options: EgressContext & { redactor: Redactor; parts: readonly (RedactedText | string)[] },
): RedactedText {
  const { redactor, parts } = options;
  const template = parts.filter((part) => typeof part === 'string').join('\n');
  let findings: readonly RedactionFinding[];
  try {
    findings = redactor.scan(template);
  } catch {
    throw blockEgress('redaction_failed', options, { error: 'threw' });
  }
  const high = findings.filter((finding) => finding.confidence === 'high');
  if (high.length > 0)
    throw blockEgress('secret_in_template', options, {
      rules: [...new Set(high.map((finding) => finding.rule))].sort(),
    });
  const texts = parts.map((part) => {
    if (typeof part === 'string') return part;
    if (!isRedactedText(part)) throw blockEgress('not_redacted', options);
    if (!sameRules(part, redactor.rules)) throw blockEgress('rules_differ', options);
    return readRedactedText(part).text;
  });
  return mintRedactedText(texts.join(''), redactor.rules);
}
