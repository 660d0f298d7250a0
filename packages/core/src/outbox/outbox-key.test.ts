import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { messageIdFor, outboxKey } from './outbox-key.js';

const identity = { changelistId: 'p4-main/12345', recipientKey: 'dev@example.test', reviewVersion: 1 };

describe('outboxKey', () => {
  it('NOT-5: is the same in every release: a changed key would send every open mail a second time', () => {
    expect(outboxKey(identity)).toBe('81742cb30f35d5a495e70e3965855433');
    expect(outboxKey({ ...identity, recipientKey: 'dëv@example.test', reviewVersion: 2 })).toBe(
      '2d5c31e85e653e42ff993612c277964a',
    );
  });

  it('NOT-3: differs wherever the identity differs, also where the parts joined would not', () => {
    const text = fc.string({ minLength: 1, maxLength: 6 });
    const tuple = fc.record({ changelistId: text, recipientKey: text, reviewVersion: fc.integer({ min: 1, max: 12 }) });
    fc.assert(
      fc.property(tuple, tuple, (a, b) => {
        const same =
          a.changelistId === b.changelistId && a.recipientKey === b.recipientKey && a.reviewVersion === b.reviewVersion;
        expect(outboxKey(a) === outboxKey(b)).toBe(same);
      }),
    );
    expect(outboxKey({ ...identity, changelistId: 'ab', recipientKey: 'c' })).not.toBe(
      outboxKey({ ...identity, changelistId: 'a', recipientKey: 'bc' }),
    );
  });

  it.each([
    { changelistId: '' },
    { recipientKey: '' },
    { recipientKey: 'a\ud800' },
    { reviewVersion: 0 },
    { reviewVersion: 1.5 },
    { reviewVersion: Number.NaN },
  ])('refuses %j', (change) => {
    expect(() => outboxKey({ ...identity, ...change })).toThrow(TypeError);
  });
});

describe('messageIdFor', () => {
  it('NOT-5: joins key and host', () => {
    expect(messageIdFor('0'.repeat(32), 'Mail.Example.test')).toBe(`<${'0'.repeat(32)}@mail.example.test>`);
  });
  it.each([
    ['short', 'example.test'],
    ['0'.repeat(32), ''],
    ['0'.repeat(32), 'a b'],
    ['0'.repeat(32), 'x>\r\n'],
  ])('refuses %j, %j', (key, host) => {
    expect(() => messageIdFor(key, host)).toThrow(TypeError);
  });
});
