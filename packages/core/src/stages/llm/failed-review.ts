import { CriticizerError, isCriticizerError } from '../../foundation/errors.js';
import type { ProviderFailed } from '../../review/diagnostics.js';
import type { SecretFinding } from '../../review/merge/review-finding.js';
import type { ParsedReview } from '../../review/read/parse-review.js';
import { compareSeverity, summariseFindings } from '../../review/review-result.js';
import type { Settings } from '../../settings/settings.js';
import type { PartReading } from './ask-part.js';
import { findFloor } from './guidance/rule-floors.js';

/** Why no reply can be used; null where one can, or none was asked for (OUT-3, ruling R8). */
export function explainUnusable(parsed: readonly ParsedReview[]): CriticizerError | null {
  if (parsed.length === 0 || parsed.some((reply) => reply.outcome === 'accepted')) return null;
  const states = new Set(parsed.map((reply) => reply.state));
  if (states.has('refused') || states.has('content_filtered'))
    return new CriticizerError('LLM_REFUSED', 'The model refused to review this change.', {
      category: 'policy',
      details: { states: [...states] },
    });
  const reasons = parsed.flatMap((reply) => (reply.outcome === 'rejected' ? [reply.reason] : []));
  const details = { states: [...states], reasons };
  if (states.has('complete'))
    return new CriticizerError('SCHEMA_INVALID', 'No reply of the model fits the contract.', {
      category: 'validation',
      details,
    });
  if (states.has('context_overflow'))
    return new CriticizerError('LLM_CONTEXT_OVERFLOW', "The request is longer than the model's context.", {
      category: 'validation',
      details,
    });
  return new CriticizerError('LLM_OUTPUT_EXHAUSTED', 'The model spent its output budget before it answered.', {
    category: 'validation',
    details,
  });
}

/** True where a mail would show one of these findings: none is kept back for a model that refuses (GRD-7). */
export function hasSecretToReport(findings: readonly SecretFinding[], settings: Settings['review']): boolean {
  return findings.some(({ severity, file }) => {
    const floor = file === null ? settings.severityFloor : findFloor(settings, file);
    return compareSeverity(severity, floor) <= 0;
  });
}

/** One step for each provider whose refusal a review without its reading is concluded with. */
export function listRefusals(readings: readonly PartReading[]): readonly ProviderFailed[] {
  const refused = readings.filter(({ documents }) =>
    documents.some(({ state }) => state === 'refused' || state === 'content_filtered'),
  );
  const providers = new Set(refused.map(({ share }) => share.provider.id));
  return [...providers].map((provider) => ({ code: 'provider_failed', provider, reason: 'LLM_REFUSED', next: [] }));
}

/**
 * The failure that says, by severity, how many withheld credentials no mail reported: dead letter,
 * log line and event have it (GRD-7). A failure that is waited out, and a foreign error, stay as they are.
 */
export function withSecretCounts(error: unknown, findings: readonly SecretFinding[]): unknown {
  if (findings.length === 0 || !isCriticizerError(error) || error.parks) return error;
  const { code, category, retryAfterMs } = error;
  const counts = Object.entries(summariseFindings(findings)).filter(([, count]) => count > 0);
  const unreported = counts.map(([severity, count]) => `${count} ${severity}`).join(', ');
  const message = `${error.message} Withheld credentials that nobody was told of: ${unreported}.`;
  const details = { ...error.details, unreportedSecrets: Object.fromEntries(counts) };
  return new CriticizerError(code, message, { category, retryAfterMs, details, cause: error });
}
