import { createHash } from 'node:crypto';
import { isRedactedText, readRedactedText } from '../foundation/redacted-text.js';
import type { RedactionFinding, Redactor } from '../foundation/redactor.js';
import type { Clock } from '../foundation/time/clock.js';
import { systemClock } from '../foundation/time/system-clock.js';
import type { LlmRequest, PreparedLlmRequest } from '../llm/llm-provider.js';
import { blockEgress, type EgressContext } from './block-egress.js';

/** What the guard measured on the bytes it let pass. */
export interface EgressVerdict {
  /** UTF-8 bytes of the body. */
  bytes: number;
  /** Of the exact body, hex. */
  bodySha256: string;
  /** Suspicions below the line that blocks, by rule: for review and metrics. */
  lowFindings: Readonly<Record<string, number>>;
}

export interface EgressCheck extends EgressContext {
  prepared: PreparedLlmRequest;
  request: LlmRequest;
  redactor: Redactor;
  /** For all scanning. Default 5,000. */
  timeoutMs?: number | undefined;
  clock?: Pick<Clock, 'monotonicMs'> | undefined;
}

const credentialHeader =
  /^(authorization|proxy-authorization|cookie|api-key|x-api-key|x-goog-api-key)$|(token|secret|password)/i;

/** Every string and key in a JSON value, decoded: what the provider's model reads. */
function stringsOf(value: unknown): string[] {
  const found: string[] = [];
  const open: unknown[] = [value];
  while (open.length > 0) {
    const next = open.pop();
    if (typeof next === 'string') found.push(next);
    else if (Array.isArray(next)) for (const one of next) open.push(one);
    else if (typeof next === 'object' && next !== null)
      for (const [key, one] of Object.entries(next)) {
        found.push(key);
        open.push(one);
      }
  }
  return found;
}

/**
 * The texts that the body holds. For JSON these are its decoded strings: rules written for text
 * misread `\n` and `\"`, both ways. A body that is not exactly what its own parse prints (a key
 * twice, odd spacing, no JSON) could hide something from that, so its raw text is scanned too.
 */
function textsOf(body: string): string[] {
  let parsed: unknown;
  try {
    parsed = JSON.parse(body);
  } catch {
    return [body];
  }
  const strings = stringsOf(parsed);
  return JSON.stringify(parsed) === body ? strings : [body, ...strings];
}

function scanAll(check: EgressCheck, texts: readonly string[]): readonly RedactionFinding[] {
  const clock = check.clock ?? systemClock;
  const endsAt = clock.monotonicMs() + (check.timeoutMs ?? 5_000);
  const findings: RedactionFinding[] = [];
  for (const text of texts) {
    try {
      findings.push(...check.redactor.scan(text));
    } catch {
      throw blockEgress('redaction_failed', check, { error: 'threw' });
    }
    if (clock.monotonicMs() > endsAt) throw blockEgress('redaction_timeout', check);
  }
  return findings;
}

function countByRule(findings: readonly RedactionFinding[]): Readonly<Record<string, number>> {
  const counts = new Map<string, number>();
  for (const { rule } of findings) counts.set(rule, (counts.get(rule) ?? 0) + 1);
  return Object.fromEntries([...counts].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/**
 * The part of the guard that needs no bytes: the text of every turn was minted, and by the rules in
 * force. Throws `EGRESS_BLOCKED`.
 */
export function checkProvenance(check: Pick<EgressCheck, 'request' | 'redactor'> & EgressContext): void {
  const { rules } = check.redactor;
  for (const { text } of check.request.turns) {
    if (!isRedactedText(text)) throw blockEgress('not_redacted', check);
    const { rulesVersion, policyHash } = readRedactedText(text);
    if (rulesVersion !== rules.version || policyHash !== rules.policyHash) throw blockEgress('rules_differ', check);
  }
}

/**
 * The last look before a byte leaves (RED-10): provenance, no credential in what was prepared, and
 * no high finding in URL, headers or body. A scan that throws or overruns its time blocks like a
 * finding; scanning is synchronous, so an overrun is seen when the text at hand is done. Throws
 * `EGRESS_BLOCKED` with the reason and rule counts in `details`, after raising `egress.blocked`.
 */
export function checkEgress(check: EgressCheck): EgressVerdict {
  checkProvenance(check);
  const { prepared } = check;
  const header = Object.keys(prepared.headers).find((name) => credentialHeader.test(name));
  if (header !== undefined) throw blockEgress('credential_in_request', check, { header: header.toLowerCase() });
  const findings = scanAll(check, [...textsOf(prepared.body), prepared.url, ...Object.values(prepared.headers)]);
  const high = findings.filter((finding) => finding.confidence === 'high');
  if (high.length > 0) throw blockEgress('secret_found', check, { rules: countByRule(high) });
  return {
    bytes: Buffer.byteLength(prepared.body),
    bodySha256: createHash('sha256').update(prepared.body).digest('hex'),
    lowFindings: countByRule(findings.filter((finding) => finding.confidence === 'low')),
  };
}
