import { describe, expect, it } from 'vitest';
import { base62Checksum } from '../../lexicon/checksums.js';
import { vendorShapes } from '../../lexicon/vendor-shapes.js';
import { ALNUM, BASE64, HEX, madeUp, redactLine } from '../../testing/redact-line.js';
import { textFromSeed } from '../../testing/secret-generators.js';

describe('vendor tokens', () => {
  it('RED-2: every unique head with a rest of its shortest length is found with high confidence', () => {
    for (const shape of vendorShapes().filter(({ headIs }) => headIs === 'unique')) {
      const alphabet = alphabetOf(shape.mask);
      const token = shape.head + madeUp(shape.min, alphabet, shape.head.length + shape.min);
      const { text, rules } = redactLine(`x = f("${token}")`, 'app.ts');
      expect({ head: shape.head, text, high: rules.some((rule) => rule.endsWith(':high')) }).toMatchObject({
        head: shape.head,
        high: true,
      });
      expect(text).not.toContain(token.slice(-8));
    }
  });

  it('RED-2: a checksum convicts a token that otherwise looks like a sample', () => {
    const body = `example-`.replace('-', '') + madeUp(23);
    const token = `ghp_${body}${base62Checksum(body)}`;
    expect(redactLine(`t = ${token}`).rules).toEqual(['github-token:high']);
  });

  it('RED-2: SendGrid, Mailchimp, Telegram, Discord and OpenAI structures are found', () => {
    const samples = [
      `SG.${madeUp(22)}.${madeUp(43)}`,
      `${madeUp(32, HEX)}-us14`,
      `123456789:AA${madeUp(33)}`,
      `MT${madeUp(22)}.${madeUp(6)}.${madeUp(30)}`,
      `sk-${madeUp(20)}T3BlbkFJ${madeUp(20)}`,
    ];
    for (const sample of samples)
      expect(redactLine(`x: ${sample}`, 'notes.txt').text).toMatch(/^x: \[REDACTED:[a-z-]+:1\]$/);
  });

  it('RED-2: tokens in parts, with escapes and of old kinds are found', () => {
    const samples = [
      `${'A'.repeat(21)}${madeUp(20)}%3D${madeUp(40)}`,
      `AQE${madeUp(60, BASE64)}${madeUp(40, BASE64, 3)}=-${madeUp(43)}=-${madeUp(16)}`,
      `token-ab1cd:${madeUp(54, 'abcdefghijklmnopqrstuvwxyz0123456789')}`,
      `1/${madeUp(16, '0123456789')}:${madeUp(32, HEX)}`,
      `s.${madeUp(24)}`,
      `api_${madeUp(22)}.${madeUp(22, ALNUM, 3)}`,
      `as-${madeUp(22)}`,
      `md-${madeUp(22)}`,
      `${Buffer.from('1'.repeat(2) + madeUp(16, '02468135')).toString('base64')}.${madeUp(6)}.${madeUp(38)}`,
      `sdk-${[8, 4, 4, 4, 12].map((length) => madeUp(length, HEX)).join('-')}`,
      `glpat-${madeUp(20, 'AbCdEfGhIjKlMnOpQrSt')}`,
    ];
    for (const sample of samples)
      expect(redactLine(`x: "${sample}"`, 'notes.txt').text).toMatch(/^x: "\[REDACTED:[a-z-]+:1\]"$/);
  });

  it('RED-2: tokens of several parts, and those that a mark in their midst tells, are hidden whole', () => {
    const uuid = [8, 4, 4, 4, 12].map((length) => madeUp(length, HEX)).join('-');
    const told = (parts: object): string => Buffer.from(JSON.stringify(parts)).toString('base64');
    const samples = [
      `AstraCS:${madeUp(24)}:${madeUp(64, HEX)}`,
      `${madeUp(76, BASE64)}${'+A'}St${madeUp(6)}==`,
      `${madeUp(33, BASE64)}${'+A'}Eh${madeUp(6)}=`,
      `${madeUp(42)}${'Az'}Se${madeUp(6)}`,
      `${madeUp(11)}:APA91b${madeUp(134)}`,
      `service:my-graph:${madeUp(22)}`,
      `prod:happy-otter-123|${told({ v2: madeUp(64, HEX) })}`,
      told({ a: madeUp(32, HEX), t: uuid, s: madeUp(44, BASE64) }).replace(/=+$/, ''),
      `${madeUp(36, HEX)}${'NR'}AL`,
      `1000.${madeUp(32, HEX)}.${madeUp(32, HEX, 3)}`,
      `st.${madeUp(24, HEX)}.${madeUp(32, HEX, 2)}.${madeUp(32, HEX, 3)}`,
      `0.${uuid}.${madeUp(30)}:${madeUp(22, BASE64)}==`,
    ];
    for (const sample of samples)
      expect(redactLine(`x: ${sample}`, 'notes.txt').text).toMatch(
        /^x: (?:prod:happy-otter-123\|)?\[REDACTED:[a-z-]+:1\]$/,
      );
  });

  it('RED-2: tokens told by the lengths of their parts behind a short head or none', () => {
    const uuid = [8, 4, 4, 4, 12].map((length) => madeUp(length, HEX)).join('-');
    const samples = [
      `${madeUp(32, HEX)}-${madeUp(8, HEX, 2)}-${madeUp(8, HEX, 3)}`,
      `${madeUp(32, HEX)}.${madeUp(24)}`,
      `o.${madeUp(32)}`,
      `${madeUp(22, BASE64)}==:${madeUp(32)}`,
      `${madeUp(8, HEX)}.${madeUp(35, HEX, 2)}`,
      `ck_${madeUp(40, HEX)}`,
      `cs_${madeUp(40, HEX)}`,
      `ak_${madeUp(20)}`,
      `${madeUp(20)}.v1.${madeUp(40)}_${madeUp(19)}.${madeUp(64, HEX)}`,
      `xaat-${uuid}`,
      `bb_live_${madeUp(12)}-${madeUp(14)}`,
      `MINIMAX-${[1, 2, 3, 4].map((seed) => madeUp(8, 'ABCDEFGHJKLMNPQRSTUVWXYZ0123456789', seed)).join('-')}`,
      `fio-u-${madeUp(20)}_${madeUp(22)}-${madeUp(20)}`,
      `configcat-sdk-1/${madeUp(10)}-${madeUp(11)}/${madeUp(10)}_${madeUp(11)}`,
    ];
    for (const sample of samples)
      expect(redactLine(`x: "${sample}"`, 'notes.txt').text).toMatch(/^x: "\[REDACTED:[a-z-]+:1\]"$/);
  });

  it('RED-8: members, file names, digests and names with the same marks stay', () => {
    const innocent = [
      `f(o.${madeUp(32)})`,
      `e.o.${madeUp(32)}`,
      'o.getElementsByClassNameAndTagNameNow',
      `app-${madeUp(32, HEX)}.min.js`,
      `x = ${madeUp(32, HEX)}.withoutTheLastOfTheParts`,
      `chunk-${madeUp(8, HEX)}.${madeUp(35, HEX, 2)}.js`,
      'private_key_of_the_first_owner_is_here',
      `MINIMAX-${'M2-HIGHSPEED-PREVIEW-FOR-CODING-NOW'}`,
      'block_somethingWithLetters',
    ];
    for (const text of innocent) expect(redactLine(text).text).toBe(text);
  });

  it('RED-2: base64 in an address goes on behind its escapes', () => {
    const token = `glc_eyJ${madeUp(30)}%2B${madeUp(20)}%2f${madeUp(20)}%3D`;
    expect(redactLine(`https://a.example/cb?x=${token}&y=1`, 'notes.txt').text).toBe(
      'https://a.example/cb?x=[REDACTED:grafana-token:1]&y=1',
    );
  });

  it('RED-2: a run behind an escaped line break does not take its letter', () => {
    const samples = [
      `SK${madeUp(32, HEX)}`,
      `pat${madeUp(14)}.${madeUp(64, HEX)}`,
      `${madeUp(32, HEX)}-us12`,
      `1000.${madeUp(32, HEX)}.${madeUp(32, HEX, 3)}`,
      `${madeUp(33, BASE64)}${'+A'}Sb${madeUp(6)}=`,
      `2/${madeUp(16, '0123456789')}:${madeUp(32, HEX)}`,
    ];
    for (const token of samples)
      expect(redactLine(`m = "a\\n${token}\\n"`, 'a.py').text).toMatch(/^m = "a\\n\[REDACTED:[a-z-]+:1\]\\n"$/);
  });

  it('RED-2: a prefix with an environment and a long random rest is found without a name', () => {
    expect(redactLine(`use acme_live_${madeUp(32)} here`).rules).toEqual(['prefixed-token:low']);
  });

  it('RED-2: the text after an escaped line break is seen', () => {
    expect(redactLine(`"a\\nghp_${madeUp(36)}"`).rules).toEqual(['github-token:high']);
  });

  it('RED-2: a key of capitals alone, or with one digit at its end, is no word', () => {
    for (const body of ['CNCTTUTLUFKBXZMN', 'IJWAMTKVCECIECTH', 'JUPTKYEEDNJRZY46', 'NQUFPBLUJKKWJWY3'])
      expect(redactLine(`id = ${'AK'}${'IA'}${body}`).rules).toEqual(['aws-access-key:high']);
  });

  it('RED-8: heads inside words, samples and identifiers stay', () => {
    const innocent = [
      `x${'ghp_'}${madeUp(18)}`,
      `ghp_${'x'.repeat(36)}`,
      'sk_live_your_key_here',
      'npm_config_registry',
      `sk-${'circle-fade-dot'}`,
      'AKIA',
      `${'A'.repeat(120)}`,
      's.getElementsByClassName24(x)',
      'AQEBAQEBAQ==',
      `${'+A'}St`,
      `general: ${'NR'}AL`,
      'service:web:8080',
      'service:my-graph:my-variant-of-the-graph',
      `1000.${madeUp(32, '0123456789')}`,
      Buffer.from(JSON.stringify({ a: 'b'.repeat(80), mappings: 'c'.repeat(40) })).toString('base64'),
      `token-abcde:${'waiting-for-the-next-page'.repeat(2)}`,
      `task-key-${'a'.repeat(32)}`,
    ];
    for (const text of innocent) expect(redactLine(text).text).toBe(text);
  });
});

function alphabetOf(mask: number): string {
  const upper = (mask & 1) !== 0;
  const lower = (mask & 2) !== 0;
  if (upper && lower) return ALNUM;
  if (upper) return 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
  return lower ? 'abcdefghijklmnopqrstuvwxyz0123456789' : HEX;
}

it('samples of the tests are not all alike', () => {
  expect(textFromSeed(1, ALNUM, 20)).not.toBe(textFromSeed(2, ALNUM, 20));
});
