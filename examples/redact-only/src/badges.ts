// #region rule
import { type DefinedRule, defineRule } from '@criticizer/redact';
import type { SecretInContext } from '@criticizer/redact/testing';
import fc from 'fast-check';

/** Finds the badge numbers of this house. `all but eight digits` is the mistake that the harness finds. */
export function badgeRule(hidden: 'all' | 'all but eight digits'): DefinedRule {
  return defineRule({
    name: 'badge',
    triggers: ['BADGE-'],
    confirm({ text, start, end }) {
      if (!/^\d{12}(?!\d)/.test(text.slice(end))) return undefined;
      return { start, end: end + (hidden === 'all' ? 12 : 4) };
    },
  });
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
