import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { listMailers } from '../../outbox/senders/mailers.js';
import { createMemoryMailer } from '../../outbox/senders/memory-mailer.js';
import { mergeRecipients, parseRecipients } from './merge-recipients.js';
import type { Recipient } from './recipient-resolver.js';

const mailers = listMailers('test', [createMemoryMailer({ id: 'first' }), createMemoryMailer({ id: 'second' })]);
const recipient: fc.Arbitrary<Recipient> = fc.record({
  address: fc.constantFrom(
    'ada@example.test',
    'ada@EXAMPLE.test',
    'Ada@example.test',
    'bob@example.test',
    'eve@b.test',
  ),
  name: fc.constantFrom(undefined, 'Ada', 'Bob'),
  required: fc.boolean(),
  via: fc.constantFrom(undefined, 'first', 'second'),
  reason: fc.constantFrom(undefined, 'author', 'owner'),
});
const keysOf = (list: readonly { recipientKey: string }[]): string[] => list.map(({ recipientKey }) => recipientKey);

describe('merging of recipients', () => {
  it('NOT-3: one entry an address, in the order first seen; required wins, the first name, mailer and reason stay', () => {
    fc.assert(
      fc.property(fc.array(recipient, { maxLength: 12 }), (list) => {
        const parsed = parseRecipients(list);
        const merged = mergeRecipients(parsed, mailers);
        expect(keysOf(merged)).toEqual([...new Set(keysOf(parsed))]);
        for (const one of merged) {
          const same = parsed.filter(({ recipientKey }) => recipientKey === one.recipientKey);
          const first = <Key extends 'name' | 'via' | 'reason'>(key: Key) =>
            same.map((each) => each[key]).find((value) => value !== undefined);
          expect(one.required).toBe(same.some(({ required }) => required));
          expect([one.name, one.via, one.reason]).toEqual([first('name'), first('via') ?? 'first', first('reason')]);
        }
        expect(mergeRecipients(merged, mailers)).toEqual(merged);
      }),
      { numRuns: 100 },
    );
  });

  it('NOT-3: who gets a mail and must get it does not depend on the order', () => {
    const shuffled = fc
      .array(recipient, { maxLength: 10 })
      .chain((list) => fc.tuple(fc.constant(list), fc.shuffledSubarray(list, { minLength: list.length })));
    fc.assert(
      fc.property(shuffled, ([list, other]) => {
        const duties = (given: readonly Recipient[]) =>
          mergeRecipients(parseRecipients(given), mailers)
            .map(({ recipientKey, required }) => [recipientKey, required].join(' '))
            .sort();
        expect(duties(other)).toEqual(duties(list));
      }),
      { numRuns: 100 },
    );
  });
});
