// #region rule
import type { Redactor } from '@criticizer/redact';
import type { SecretInContext } from '@criticizer/redact/testing';
import fc from 'fast-check';

/** Hides the badge numbers of this house beside what the redactor hides. `all but eight digits` is the mistake that the harness finds. */
export function hideBadges(redactor: Redactor, hidden: 'all' | 'all but eight digits'): Redactor {
  const badge = hidden === 'all' ? /\bBADGE-\d{12}\b/g : /\bBADGE-\d{4}(?=\d{8}\b)/g;
  return {
    ...redactor,
    session() {
      const session = redactor.session();
      return {
        redact(text, context) {
          const result = session.redact(text, context);
          return { ...result, text: result.text.replace(badge, '[REDACTED:badge:1]') };
        },
      };
    },
  };
}

/** Badges as they stand in our texts. */
export function badgeTexts(): fc.Arbitrary<SecretInContext> {
  const digits = fc.integer({ min: 1, max: 999_999_999_999 }).map((n) => String(n).padStart(12, '0'));
  return digits.map((number) => ({
    secret: { family: 'badge', text: `BADGE-${number}`, parts: [`BADGE-${number}`], unmistakable: false },
    text: `visitor BADGE-${number} left at 17:20`,
    path: 'visits.txt',
    json: false,
  }));
}
// #endregion
