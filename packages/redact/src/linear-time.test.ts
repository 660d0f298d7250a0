import { describe, expect, it } from 'vitest';
import { createRedactor } from './redactor.js';
import { createFreeTextRedactor } from './structured/free-text.js';
import { BASE64, madeUp } from './testing/redact-line.js';

const MIB = 1 << 20;
/** Generous: a shared machine is slow now and then. The growth is the point. */
const MAX_MS = 1500;
const MAX_GROWTH = 3.5;

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
];

function repeated(unit: string, length: number): string {
  return unit.repeat(Math.ceil(length / unit.length)).slice(0, length);
}

/** The faster of two runs: noise only adds. */
function fastest(run: () => unknown): number {
  let best = Number.POSITIVE_INFINITY;
  for (let i = 0; i < 2; i += 1) {
    const from = performance.now();
    run();
    best = Math.min(best, performance.now() - from);
  }
  return best;
}

describe('linear time', () => {
  const redactor = createRedactor({
    fingerprintKey: 'fingerprint-key-of-the-tests',
    policy: { packs: ['pii'], internalHosts: ['build01', '.corp.example'] },
  });
  const freeText = createFreeTextRedactor();
  const targets: readonly (readonly [name: string, run: (text: string) => unknown])[] = [
    ['without a path', (text) => redactor.session().redact(text)],
    ['as configuration', (text) => redactor.session().redact(text, { path: 'a.env' })],
    ['as a payload', freeText],
  ];
  for (const [name, run] of targets) {
    it(`RED-1: no hostile text grows faster than its length, ${name}`, { timeout: 120_000 }, () => {
      for (const unit of UNITS) {
        const small = fastest(() => run(repeated(unit, MIB / 16)));
        const large = fastest(() => run(repeated(unit, MIB / 8)));
        expect({ unit, within: large < MAX_MS / 8 }).toEqual({ unit, within: true });
        if (large > 60) expect({ unit, linear: large / small < MAX_GROWTH }).toEqual({ unit, linear: true });
      }
    });
  }

  it('RED-1: one MiB of the worst texts stays within bounds', { timeout: 60_000 }, () => {
    for (const unit of ['token_', 'password="', `${begin}\n`, `api_key${begin}`, '| p4 login ', 'redis://a:b/', 'eyJhbGciOiJI.']) {
      const ms = fastest(() => redactor.session().redact(repeated(unit, MIB)));
      expect({ unit, within: ms < MAX_MS }).toEqual({ unit, within: true });
    }
  });
});
