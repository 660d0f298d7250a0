import { describe, expect, it } from 'vitest';
import { createPipeline } from './pipeline.js';
import { resolvePolicy } from './policy.js';
import { createRedactor } from './redactor.js';
import { rulesFor } from './rules/rule-set.js';
import { vendorTokenRules } from './rules/vendor-tokens.js';
import { createFreeText } from './structured/free-text.js';
import { BASE64, madeUp } from './testing/redact-line.js';

const MIB = 1 << 20;
/** Longer than every bounded window, so that a window's full cost shows at both lengths. */
const LENGTH = 24_576;
/** Four times the text may cost four times the work, and a little for where it is cut. */
const MAX_GROWTH = 4.3;
/** Reads and copies per character of the worst text: triggers a few characters apart, each with its window. */
const MAX_WORK = 200;
/** A shared machine is slow now and then; a quadratic rule takes minutes. */
const MAX_MS = 3000;
/**
 * For one rule alone, in loops over as many characters: 50 ms are 19 where one takes 2.6 ms. Modules under test run at less than half of their speed, and
 * a shared machine at a fraction of its own; a rule that is not linear takes thousands.
 */
const MAX_LOOPS = 300;
/** For one line. */
const MAX_WORD_MS = 500;
const TRIES = 8;

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

/** Characters read or copied while `run` runs: the work itself, which no load on the machine changes. */
function workOf(run: () => unknown): number {
  const { charCodeAt, slice, startsWith } = String.prototype;
  let work = 0;
  const replace = (name: string, value: unknown): void => {
    Object.defineProperty(String.prototype, name, { value, configurable: true, writable: true });
  };
  replace('charCodeAt', function (this: string, at: number) {
    work += 1;
    return charCodeAt.call(this, at);
  });
  replace('slice', function (this: string, from?: number, to?: number) {
    const copy = slice.call(this, from, to);
    work += copy.length;
    return copy;
  });
  replace('startsWith', function (this: string, head: string, at?: number) {
    work += head.length;
    return startsWith.call(this, head, at);
  });
  try {
    run();
  } finally {
    replace('charCodeAt', charCodeAt);
    replace('slice', slice);
    replace('startsWith', startsWith);
  }
  return work;
}

/** Milliseconds of the processor that `run` takes: other processes' do not count. */
function processorTimeOf(run: () => unknown): number {
  const from = process.cpuUsage();
  run();
  const { user, system } = process.cpuUsage(from);
  return (user + system) / 1000;
}

/** True when one of a few runs keeps within the bound: the first are the compiler's, and a shared machine is slow now and then. */
function isOnceWithin(milliseconds: () => number, run: () => unknown): boolean {
  for (let tries = 0; tries < TRIES; tries += 1) if (processorTimeOf(run) < milliseconds()) return true;
  return false;
}

/** What the plainest loop over a text takes here and now. */
function loopTimeOf(text: string): number {
  let breaks = 0;
  return processorTimeOf(() => {
    for (let at = 0; at < text.length; at += 1) if (text.charCodeAt(at) === 10) breaks += 1;
    return breaks;
  });
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
        const [small, large] = [LENGTH, LENGTH * 4].map((length) => workOf(() => run(repeated(unit, length)))) as [number, number];
        expect({ unit, growth: large / small < MAX_GROWTH, perCharacter: large / (LENGTH * 4) < MAX_WORK }).toEqual({
          unit,
          growth: true,
          perCharacter: true,
        });
      }
    });
  }

  it('RED-1: one MiB of the worst texts stays within a generous bound of time', { timeout: 60_000 }, () => {
    for (const unit of [
      'token_',
      'password="',
      'a:b@tcp(',
      `${begin}\n`,
      `api_key${begin}`,
      '| p4 login ',
      'redis://a:b/',
      'eyJhbGciOiJI.',
    ]) {
      const within = isOnceWithin(
        () => MAX_MS,
        () => redactor.session().redact(repeated(unit, MIB)),
      );
      expect({ unit, within }).toEqual({ unit, within: true });
    }
  });

  it('RED-1: a word that nearly is one is told in no time', () => {
    for (const value of ['a'.repeat(59), 'aB'.repeat(29), 'a_'.repeat(29)]) {
      const text = `password = "${value}="\nCookie: session=${value}=\nAuthorization: ${value}=`;
      const within = isOnceWithin(
        () => MAX_WORD_MS,
        () => redactor.session().redact(text),
      );
      expect({ value, within }).toEqual({ value, within: true });
    }
  });

  it('RED-1: every rule reads one MiB of its own triggers in 50 ms, a multiple of it under test on a slow machine', {
    timeout: 60_000,
  }, () => {
    const policy = resolvePolicy({ packs: ['pii'], internalHosts: ['.corp.example'] });
    const heads = new Set(vendorTokenRules().flatMap(({ triggers }) => triggers));
    const others = rulesFor(policy).filter(({ triggers }) => !triggers.every((trigger) => heads.has(trigger)));
    const lines = repeated('a line\n', MIB);
    // Rules by a vendor's head have one confirmer: all of them together count as one rule.
    for (const rules of [vendorTokenRules(), ...others.map((rule) => [rule])]) {
      const triggers = rules.flatMap((rule) => rule.triggers);
      const text = repeated(triggers.flatMap((trigger) => [trigger, `a${trigger}="`, `${trigger} a:`, `${trigger}/`]).join(''), MIB);
      const pipeline = createPipeline(rules);
      const within = isOnceWithin(
        () => MAX_LOOPS * loopTimeOf(lines),
        () => pipeline(text, { kind: 'unknown', diff: undefined }),
      );
      expect({ triggers, within }).toEqual({ triggers, within: true });
    }
  });
});
