import { describe, expect, it } from 'vitest';
import { countTextWork } from '../../../tools/testing/count-text-work.js';
import { resolvePolicy } from './policy/resolve-policy.js';
import { createRedactor } from './redactor.js';
import { rulesFor } from './rules/rule-set.js';
import { vendorTokenRules } from './rules/tokens/vendor-tokens.js';
import { createPipeline } from './session/pipeline.js';
import { createFreeText } from './structured/free-text.js';
import { BASE64, madeUp } from './testing/redact-line.js';

/** Longer than every bounded window, so that a window's full cost shows at both lengths. */
const LENGTH = 24_576;
/** Four times the text may cost four times the work, and a little for where it is cut. */
const MAX_GROWTH = 4.3;
/** Reads and copies per character of the worst text: triggers a few characters apart, each with its window. */
const MAX_WORK = 200;
/** The same for one rule on its own triggers alone, where the widest window is read for every dozen characters. */
const MAX_RULE_WORK = 4_000;
const begin = `-----BEGIN ${'PRIVATE KEY'}-----`;
const end = `-----END ${'PRIVATE KEY'}-----`;
const UNITS = [
  'a',
  'token_',
  '"',
  "'",
  '\\"',
  '\\n',
  ' ',
  '\t',
  '@',
  '://',
  'a@',
  'http://a:',
  'redis://a:b/',
  'eyJ',
  '_eyJ',
  '1_eyJ',
  'eyJhbGciOiJI.',
  'password=',
  'password="',
  "password='x",
  'key="key=\'',
  'pass: ',
  'key:',
  'token:String:',
  'stripe:a',
  'key is ',
  '-----BEGIN ',
  `${begin}\n`,
  `${begin}\\n`,
  `${begin} `,
  `api_key${begin}`,
  `${end}\n`,
  `${'A'.repeat(52)}${end}\n`,
  'Private-Lines: 99\n',
  'Cookie: a=',
  'curl -u ',
  ' -p ',
  'p4 login\n',
  '| p4 login ',
  '1=',
  'bearer ',
  'authorization: ',
  'basic ',
  'AKIA',
  'sk-',
  '_live_',
  '-us1',
  'T3BlbkFJ',
  ':AA',
  '<password>',
  'name: password\n value:',
  '[REDACTED:',
  '[REDACTED:a:1]',
  '4',
  '4111 ',
  'LS0tLS1CRUdJTi',
  'ZXlK',
  'a:b@tcp(',
  'x.password:y;',
  madeUp(61, BASE64),
  // Each replaced token leaves an option, whose value only a further scan sees.
  `ghp_${madeUp(36)}--password ]${madeUp(4)} `,
];

function repeated(unit: string, length: number): string {
  return unit.repeat(Math.ceil(length / unit.length)).slice(0, length);
}

describe('linear time', () => {
  const redactor = createRedactor({
    fingerprintKey: 'fingerprint-key-of-the-tests',
    policy: { packs: ['pii'], internalHosts: ['build01', '.corp.example'] },
  });
  const freeText = createFreeText(resolvePolicy());
  const targets: readonly (readonly [name: string, run: (text: string) => unknown])[] = [
    ['without a path', (text) => redactor.session().redact(text)],
    ['as configuration', (text) => redactor.session().redact(text, { path: 'a.env' })],
    ['as a payload', (text) => (freeText.isPlain(text) ? text : freeText.redact(text))],
  ];
  for (const [name, run] of targets) {
    it(`RED-1: the work on a hostile text grows as its length, ${name}`, { timeout: 60_000 }, () => {
      for (const unit of UNITS) {
        const [small, large] = [LENGTH, LENGTH * 4].map((length) =>
          countTextWork(() => run(repeated(unit, length))),
        ) as [number, number];
        expect({ unit, growth: large / small < MAX_GROWTH, perCharacter: large / (LENGTH * 4) < MAX_WORK }).toEqual({
          unit,
          growth: true,
          perCharacter: true,
        });
      }
    });
  }

  it('RED-1: the work of every rule on its own triggers grows as their length', { timeout: 60_000 }, () => {
    const policy = resolvePolicy({ packs: ['pii'], internalHosts: ['.corp.example'] });
    const heads = new Set(vendorTokenRules().flatMap(({ triggers }) => triggers));
    const others = rulesFor(policy).filter(({ triggers }) => !triggers.every((trigger) => heads.has(trigger)));
    // Rules by a vendor's head have one confirmer: all of them together count as one rule.
    for (const rules of [vendorTokenRules(), ...others.map((rule) => [rule])]) {
      const triggers = rules.flatMap((rule) => rule.triggers);
      const unit = triggers.flatMap((trigger) => [trigger, `a${trigger}="`, `${trigger} a:`, `${trigger}/`]).join('');
      const pipeline = createPipeline(rules);
      const [small, large] = [LENGTH, LENGTH * 4].map((length) =>
        countTextWork(() => pipeline(repeated(unit, length), { kind: 'unknown', diff: undefined })),
      ) as [number, number];
      expect({
        triggers,
        growth: large / small < MAX_GROWTH,
        perCharacter: large / (LENGTH * 4) < MAX_RULE_WORK,
      }).toEqual({
        triggers,
        growth: true,
        perCharacter: true,
      });
    }
  });
});
