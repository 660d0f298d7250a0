import { describe, expect, it } from 'vitest';
import { ALNUM, HEX } from '../testing/redact-line.js';
import { textFromSeed } from '../testing/secret-generators.js';
import { looksRandom, makeUpOf, mayBeRandom, readsAsWords } from './randomness.js';

const LOWER = 'abcdefghijklmnopqrstuvwxyz0123456789';
const NAMES = [
  ...[
    'GoogleIamV1AuditLogConfig',
    'NonSharedBigUint64Array',
    'BranchPCRel32ToPtrJumpStub',
    'base64urlToUint8Array',
    'MySqlBigInt53Builder',
  ],
  ...[
    'xmlSecOpenSSLAppPkcs12LoadMemory',
    'composer_v1beta1_messages_UserSecret',
    'winter2024summer2025autumn',
    'A1TitleOfTheBook2ndEdition',
  ],
];

describe('randomness', () => {
  it('RED-2: nearly every text that chance made looks random, those of one case too', () => {
    for (const [alphabet, length] of [[ALNUM, 24] as const, [ALNUM, 40] as const, [LOWER, 32] as const]) {
      const seeds = Array.from({ length: 500 }, (_, seed) => textFromSeed(seed + 1, alphabet, length));
      const found = seeds.filter((text) => looksRandom(makeUpOf(text, 0, length))).length;
      expect(found, `${length} of ${alphabet.length}`).toBeGreaterThan(480);
    }
  });

  it('RED-8: names with capitals and numbers in them do not', () => {
    expect(NAMES.filter((name) => looksRandom(makeUpOf(name, 0, name.length)))).toEqual([]);
  });

  it('RED-8: types and members read as words, chance hardly ever does', () => {
    for (const name of ['V1SecretVolumeSource', 'composer_v1_messages.UserWorkloadsSecret', 'dataStoreTestQuery'])
      expect(readsAsWords(name), name).toBe(true);
    const texts = Array.from({ length: 500 }, (_, seed) => textFromSeed(seed + 1, ALNUM, 32));
    expect(texts.filter(readsAsWords).length).toBeLessThan(10);
  });

  it('what looks random may be random', () => {
    const texts = Array.from({ length: 500 }, (_, seed) => textFromSeed(seed + 1, ALNUM, 24));
    expect(texts.filter((text) => looksRandom(makeUpOf(text, 0, 24)) && !mayBeRandom(makeUpOf(text, 0, 24)))).toEqual(
      [],
    );
  });

  it('letters without a digit, digits without letters and repeated ones are not random', () => {
    for (const text of ['qwzxkvjbqpfmzgwhxkvq', '48151623421984120734', 'x1'.repeat(16)])
      expect(looksRandom(makeUpOf(text, 0, text.length))).toBe(false);
    expect(makeUpOf(textFromSeed(3, HEX, 40), 0, 40).hex).toBe(true);
  });
});
