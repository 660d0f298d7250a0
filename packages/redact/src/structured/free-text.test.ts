import fc from 'fast-check';
import { expect, it } from 'vitest';
import { resolvePolicy } from '../policy/resolve-policy.js';
import { secretInContext } from '../testing/contexts.js';
import { hostileText } from '../testing/hostile-texts.js';
import { innocentText } from '../testing/negative-corpora.js';
import { opaqueToken } from '../testing/secret-generators.js';
import { createFreeText } from './free-text.js';

it('AUD-6: a secret with a NUL behind each letter, as in UTF-16 read as bytes, is hidden', () => {
  const freeText = createFreeText(resolvePolicy());
  const [token] = fc.sample(opaqueToken(), { numRuns: 1, seed: 7 });
  const wide = Buffer.from(`password = "${token?.text}"`, 'utf16le').toString('latin1');
  expect(freeText.isPlain(wide)).toBe(false);
  expect(freeText.redact(wide).replaceAll('\0', '')).toBe('password = "[REDACTED]"');
});

it('AUD-6: a text that is called plain is one that redaction leaves alone', () => {
  const bare = opaqueToken().map(({ text }) => `see ${text} there`);
  const texts = fc.oneof(
    secretInContext().map(({ text }) => text),
    innocentText().map(({ text }) => text),
    hostileText(),
    bare,
    fc.string(),
  );
  for (const policy of [resolvePolicy(), resolvePolicy({ packs: ['strict', 'pii'], internalIps: ['203.0.113.7'] })]) {
    const freeText = createFreeText(policy);
    let plain = 0;
    fc.assert(
      fc.property(texts, (text) => {
        if (!freeText.isPlain(text)) return;
        plain += 1;
        expect(freeText.redact(text)).toBe(text);
      }),
      { numRuns: 1000 },
    );
    expect(plain).toBeGreaterThan(100);
  }
});

it('AUD-6: a date is plain for all its digits, a number that may be a card is not', () => {
  const { isPlain } = createFreeText(resolvePolicy());
  const card = '4'.padEnd(16, '1');
  expect(isPlain('from 2024-05-01T12:00:00.000Z to 2024-05-02T12:00:00.000Z')).toBe(true);
  for (const text of [card, `on 2024-05-01: ${card.replace(/(.{4})/g, '$1 - ')}`]) expect(isPlain(text)).toBe(false);
});
