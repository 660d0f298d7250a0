import { createHash } from 'node:crypto';
import type { RedactionFinding, Redactor } from '../../foundation/redactor.js';

const marked = /\bsecret-[a-z0-9]{4,40}\b/g;
const suspect = /\bmaybe-[a-z0-9]{4,40}\b/g;

/**
 * A redactor double for tests of what surrounds redaction: words such as `secret-abcd` are secrets
 * (rule `marked`, high), `maybe-abcd` are suspicions (rule `suspect`, low, left in place). Nothing
 * else is found, so never use it on real text.
 */
export function createMarkerRedactor(version = '1.0.0'): Redactor {
  const find = (text: string, pattern: RegExp, rule: string, confidence: 'high' | 'low'): RedactionFinding[] =>
    [...text.matchAll(pattern)].map((match) => ({
      rule,
      start: match.index,
      end: match.index + match[0].length,
      line: text.slice(0, match.index).split('\n').length,
      confidence,
      fingerprint: createHash('sha256').update(`marker ${match[0]}`).digest('hex').slice(0, 16),
    }));
  const scan = (text: string) => [...find(text, marked, 'marked', 'high'), ...find(text, suspect, 'suspect', 'low')];
  return {
    contract: 1,
    rules: { version, policyHash: createHash('sha256').update(`marker ${version}`).digest('hex') },
    session() {
      const placeholders = new Map<string, string>();
      return {
        redact(text) {
          const findings = find(text, marked, 'marked', 'high');
          const redacted = text.replace(marked, (secret) => {
            const known = placeholders.get(secret) ?? `[REDACTED:marked#${placeholders.size + 1}]`;
            placeholders.set(secret, known);
            return known;
          });
          return { text: redacted, findings, counts: findings.length === 0 ? {} : { marked: findings.length } };
        },
      };
    },
    scan,
  };
}
