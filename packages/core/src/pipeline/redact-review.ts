import type { Redactor } from '../egress/redactor.js';
import { CriticizerError } from '../errors.js';
import type { JsonValue } from '../json.js';
import type { Finding, ReviewResult } from '../review/review-result.js';

/** A model's reply is raw until it is redacted again (ruling R15): it may repeat, or invent, what must not rest in a mail. */
export function redactReview(result: ReviewResult, redactor: Redactor): ReviewResult {
  const session = redactor.session();
  const text = (value: string): string => session.redact(value).text;
  const finding = (one: Finding): Finding => ({
    ...one,
    title: text(one.title),
    message: text(one.message),
    ...(one.suggestion === undefined ? {} : { suggestion: text(one.suggestion) }),
    ...(one.rule_id === undefined ? {} : { rule_id: text(one.rule_id) }),
  });
  const json = (value: JsonValue): JsonValue => {
    if (typeof value === 'string') return text(value);
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return value.map(json);
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, json(inner as JsonValue)]));
  };
  try {
    return {
      ...result,
      ...(result.summary === undefined ? {} : { summary: text(result.summary) }),
      findings: result.findings.map(finding),
      ...(result.meta === undefined ? {} : { meta: json(result.meta) as NonNullable<ReviewResult['meta']> }),
    };
  } catch {
    throw new CriticizerError('REDACTION_FAILED', 'A redaction rule failed on a reply; it is not used.', { category: 'policy' });
  }
}
