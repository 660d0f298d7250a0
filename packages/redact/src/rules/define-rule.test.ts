import { describe, expect, it } from 'vitest';
import { RedactionError } from '../redaction-error.js';
import { createRedactor } from '../redactor.js';
import { defineRule, type RuleDefinition } from './define-rule.js';

const fingerprintKey = 'fingerprint-key-of-the-tests';
const badge: RuleDefinition = {
  name: 'badge-number',
  triggers: ['badge:'],
  confirm({ text, end }) {
    const digits = /^ ?(\d{6})/.exec(text.slice(end));
    return digits === null ? undefined : { start: end + digits[0].length - 6, end: end + digits[0].length };
  },
};

describe('rules of one’s own', () => {
  it('RED-2: a defined rule redacts beside the others, in any case of its trigger', () => {
    const session = createRedactor({ fingerprintKey, rules: [defineRule(badge)] }).session();
    expect(session.redact('Badge: 123456, badge:x').text).toBe('Badge: [REDACTED:badge-number:1], badge:x');
  });

  it('RED-2: a rule that can match nothing, or is not bounded, is refused by what is wrong', () => {
    const wrong: readonly (readonly [Partial<RuleDefinition>, RegExp])[] = [
      [{ triggers: [] }, /triggers/],
      [{ triggers: [''] }, /triggers/],
      [{ triggers: ['é is no ASCII'] }, /triggers/],
      [{ name: 'Badge Number' }, /name/],
      [{ reach: { behind: 1e6 } }, /reach\.behind/],
      [{ confirm: ({ end }) => ({ start: end, end }) }, /empty secret/],
    ];
    for (const [change, message] of wrong) {
      const define = (): unknown => defineRule({ ...badge, ...change });
      expect(define).toThrow(RedactionError);
      expect(define).toThrow(message);
      expect(define).toThrow(expect.objectContaining({ code: 'REDACTION_RULE_INVALID' }));
    }
  });

  it('RED-10: an empty or outlying find at run time stops the text', () => {
    const outlying = defineRule({
      ...badge,
      confirm: ({ text, end }) => (text.includes('1') ? { start: end, end: end + 9999 } : undefined),
    });
    const session = createRedactor({ fingerprintKey, rules: [outlying] }).session();
    expect(session.redact('badge: x').findings).toEqual([]);
    expect(() => session.redact('badge: 1')).toThrow(expect.objectContaining({ code: 'REDACTION_RULE_FAILED' }));
  });

  it('ART-6: rules of one’s own are part of the policy hash', () => {
    const hash = (rules: readonly ReturnType<typeof defineRule>[]): string =>
      createRedactor({ fingerprintKey, rules }).rules.policyHash;
    expect(hash([defineRule(badge)])).not.toBe(hash([]));
    expect(hash([])).toBe(createRedactor({ fingerprintKey }).rules.policyHash);
  });
});
