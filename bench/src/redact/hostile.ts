import type { Redactor } from '@criticizer/redact';

const begin = `-----BEGIN ${'PRIVATE KEY'}-----`;
/**
 * Pieces that rules look at, repeated until the text is long: where a rule is not linear, or nearly
 * not, it shows here.
 */
const HOSTILE_UNITS: readonly string[] = [
  'a',
  ' ',
  '"',
  '\\',
  '\n',
  '=',
  '@',
  '-',
  '/',
  'token_',
  'password=',
  'password="',
  "password='x",
  'api_key: ',
  '://',
  'http://a:',
  'a@',
  'redis://a:b/',
  'eyJ',
  'eyJhbGciOiJI.',
  begin,
  `${begin}\n`,
  `${begin}\\n`,
  '-----END ',
  'AKIA',
  'ghp_',
  'sk_live_',
  'Authorization: Bearer ',
  'Cookie: a=',
  'curl -u ',
  '| p4 login ',
  'kind: Secret\n',
  'cGFzc3dvcmQ',
  '[REDACTED:a:1]',
];

export interface HostileTime {
  unit: string;
  ms: number;
  /** Time of the whole text over that of a quarter of it. */
  growth: number;
}

/**
 * Redacts `length` characters of every unit, and a quarter of it, in turn; the best of `runs`,
 * since a busy machine only adds.
 */
export function hostileTimes(redactor: Redactor, length: number, runs: number): HostileTime[] {
  return HOSTILE_UNITS.map((unit) => {
    let quarter = Number.POSITIVE_INFINITY;
    let ms = Number.POSITIVE_INFINITY;
    for (let run = 0; run < runs; run += 1) {
      quarter = Math.min(quarter, timeOf(redactor, text(unit, length / 4)));
      ms = Math.min(ms, timeOf(redactor, text(unit, length)));
    }
    return { unit, ms, growth: ms / quarter };
  });
}

/** In one piece, as a text comes from a file or a command: what `repeat` and `slice` make V8 reads by a detour. */
const text = (unit: string, length: number): string =>
  Buffer.from(unit.repeat(Math.ceil(length / unit.length)).slice(0, length)).toString();

function timeOf(redactor: Redactor, hostile: string): number {
  const from = performance.now();
  redactor.session().redact(hostile);
  return performance.now() - from;
}
