import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { KeyedRecipient } from './merge-recipients.js';
import { applyPreferences, type PreferredMails } from './recipient-preferences.js';

const keys = ['a@x.test', 'b@x.test', 'c@x.test', 'd@x.test'] as const;
const toRecipient = (recipientKey: string): KeyedRecipient => ({
  ...{ recipientKey, address: recipientKey, required: true, via: 'smtp', reason: 'author' },
});
const none = { critical: 0, high: 0, medium: 0, low: 0, info: 0 };

describe('preferences of recipients', () => {
  it('NOT-10: who is off, or wants grave reviews only, gets no row; all others keep their duty and order', () => {
    const preference = fc.record<PreferredMails>({
      recipientKey: fc.constantFrom(...keys, 'nobody@x.test'),
      mails: fc.constantFrom('all', 'high', 'off'),
      linkOnly: fc.boolean(),
    });
    const wishes = fc.uniqueArray(preference, { selector: ({ recipientKey }) => recipientKey });
    fc.assert(
      fc.property(wishes, fc.constantFrom('critical', 'high', 'medium', 'info'), (preferences, worst) => {
        const isGrave = worst === 'critical' || worst === 'high';
        const { recipients, leftOut } = applyPreferences(keys.map(toRecipient), preferences, { ...none, [worst]: 1 });
        const wishOf = (key: string) => preferences.find(({ recipientKey }) => recipientKey === key);
        const wanted = keys.filter((key) => {
          const { mails = 'all' } = wishOf(key) ?? {};
          return mails === 'all' || (mails === 'high' && isGrave);
        });
        expect(recipients.map(({ recipientKey }) => recipientKey)).toEqual(wanted);
        expect(leftOut).toBe(keys.length - wanted.length);
        for (const one of recipients)
          expect([one.required, one.linkOnly]).toEqual([true, wishOf(one.recipientKey)?.linkOnly ?? false]);
      }),
      { numRuns: 100 },
    );
  });
});
