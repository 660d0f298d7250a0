import type { FindingMerged } from '../diagnostics.js';
import { compareSeverity } from '../review-result.js';
import type { MergedFinding, SecretFinding } from './review-finding.js';

/** A mark that redaction left. */
const MARK = /\[REDACTED\b/;
const CREDENTIAL =
  /\b(?:credentials?|secrets?|passwords?|passphrases?|tokens?|api[ _-]?keys?|(?:private|access) keys?)\b/i;
const EXPOSURE =
  /hard[ -]?cod|plain[ -]?text|check(?:ed|ing)?[ -]in|committed|in (?:the )?(?:source|code|repository|depot)|leak|expos|rotat|revok/i;

/** True for a finding about a credential that is in the source: it names the mark, or says so in words. */
function isAboutCredential({ category, title, message, suggestion = '' }: MergedFinding): boolean {
  if (category !== 'security') return false;
  const text = `${title}\n${message}\n${suggestion}`;
  return MARK.test(text) || (CREDENTIAL.test(text) && EXPOSURE.test(text));
}

function isAboutLine({ place }: MergedFinding, line: number): boolean {
  return place.line !== null && place.line <= line && line <= (place.endLine ?? place.line);
}

/** Our finding with what the model says of the same place; the graver severity of both. */
function absorb(secret: SecretFinding, finding: MergedFinding): SecretFinding {
  const isGraver = compareSeverity(finding.severity, secret.severity) < 0;
  return {
    ...secret,
    severity: isGraver ? finding.severity : secret.severity,
    message: `${secret.message}\n\nThe model on this line: ${finding.title}\n${finding.message}`,
    ...(secret.suggestion === undefined && finding.suggestion !== undefined ? { suggestion: finding.suggestion } : {}),
  };
}

/** What is left of the model's findings, ours, and which were joined. */
export interface MergedSecrets {
  findings: readonly MergedFinding[];
  secretFindings: readonly SecretFinding[];
  diagnostics: readonly FindingMerged[];
}

/**
 * Makes each of the model's findings about a withheld credential part of our own at its line (GRD-7).
 * `findings` are redacted already. The model's words are kept.
 */
export function mergeSecrets(
  findings: readonly MergedFinding[],
  secretFindings: readonly SecretFinding[],
): MergedSecrets {
  const secrets = [...secretFindings];
  const diagnostics: FindingMerged[] = [];
  const left = findings.filter((finding) => {
    if (!isAboutCredential(finding)) return true;
    const at = secrets.findIndex(
      ({ file, place }) => file === finding.file && place.line !== null && isAboutLine(finding, place.line),
    );
    const secret = secrets[at];
    if (secret === undefined) return true;
    secrets[at] = absorb(secret, finding);
    diagnostics.push({ code: 'finding_merged', index: null, findingId: finding.id, into: secret.id });
    return false;
  });
  return { findings: left, secretFindings: secrets, diagnostics };
}
