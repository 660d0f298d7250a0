import { createRedactor } from '../redactor.js';
import { textFromSeed } from './secret-generators.js';

const LETTERS = 'abcdefghijklmnopqrstuvwxyz';
/** Alphabets of tokens. */
export const ALNUM = `${LETTERS}${LETTERS.toUpperCase()}0123456789`;
export const BASE64 = `${ALNUM}+/`;
export const HEX = '0123456789abcdef';

/** A made-up secret of a length; a digit and both cases stand at its end, as far as the alphabet has them. */
export function madeUp(length: number, alphabet = ALNUM, seed = 7): string {
  const tail = [...'4Kq9'].filter((character) => alphabet.includes(character)).join('');
  return textFromSeed(seed, alphabet, length - tail.length) + tail;
}

const redactor = createRedactor({ fingerprintKey: 'key of the rule tests', policy: { packs: ['pii'] } });
const plain = createRedactor({ fingerprintKey: 'key of the rule tests' });

/** Redacts one text under the default policy: its text, and the rules that hit with their confidence. */
export function redactLine(text: string, path?: string, diff?: boolean): { text: string; rules: string[] } {
  return summary(plain, text, path, diff);
}

/** The same with every PII rule on. */
export function redactPersonal(text: string, path?: string): { text: string; rules: string[] } {
  return summary(redactor, text, path, undefined);
}

function summary(
  using: typeof plain,
  text: string,
  path: string | undefined,
  diff: boolean | undefined,
): { text: string; rules: string[] } {
  const result = using.session().redact(text, { path, diff });
  return { text: result.text, rules: result.findings.map((finding) => `${finding.rule}:${finding.confidence}`) };
}

/** A text by the path it is read with, written round a value. */
export type Place = readonly [path: string, write: (value: string) => string];

/**
 * What became of the texts that did not lose the value, or lost something beside it; empty when the
 * mark stands where the value stood.
 */
export function notHidden(places: readonly Place[], value: string): string[] {
  return places
    .map(([path, write]) => ({ before: write(value), after: redactLine(write(value), path).text }))
    .filter(({ before, after }) => after === before || after.replaceAll(/\[REDACTED:[a-z0-9-]+:1\]/g, value) !== before)
    .map(({ after }) => after);
}

/** What became of the texts that did not stay as they were. */
export function notKept(texts: readonly (readonly [path: string, text: string])[]): string[] {
  return texts
    .map(([path, text]) => [text, redactLine(text, path).text])
    .flatMap(([text, after]) => (after === text ? [] : [after as string]));
}
