import type { Random } from '../corpus/random.ts';

const ALPHABET: Readonly<Record<string, string>> = { bech32: 'QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L' };

/** Draws what a format such as `abc_<alnum:36>` describes. */
export function drawn(format: string, random: Random): string {
  return format.replaceAll(/<([\w-]+):(\d+)>/g, (_, alphabet: string, length: string) => {
    if (alphabet !== 'uuid') return random.text(ALPHABET[alphabet] ?? alphabet, Number(length));
    return [8, 4, 4, 4, 12].map((part) => random.text('hex', part)).join('-');
  });
}

const WORDS =
  'summer winter dragon silver harbor falcon copper monday orange castle rocket shadow garden planet bridge cactus violin thunder marble anchor'.split(
    ' ',
  );

/** What a tool draws: letters of both cases, digits and, where the place allows them, marks. */
export function strongPassword(random: Random, marks: boolean): string {
  const alphabet = marks ? 'abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789!@%^*-_+=.' : 'alnum';
  const text = random.text(alphabet, 12 + random.below(13));
  return `${random.pick(['k', 'R', 'w'])}${random.below(10)}${text.replace(/[^A-Za-z0-9]$/, 'x')}`;
}

/** What people think of: a word or two, a year, a mark. */
export function humanPassword(random: Random, marks: boolean): string {
  const first = random.pick(WORDS);
  const word = random.below(2) === 0 ? first : first.charAt(0).toUpperCase() + first.slice(1);
  return [
    () => `${word}${1950 + random.below(80)}`,
    () => `${word}${random.pick(WORDS)}${random.below(100)}`,
    () => (marks ? `${word}${random.below(1000)}!` : `${word}_${random.below(1000)}`),
    () => `${word.replace('a', marks ? '@' : '4').replace('o', '0')}${random.below(90) + 10}`,
    () => `${word}-${random.pick(WORDS)}-${random.pick(WORDS)}`,
  ][random.below(5)]?.() as string;
}

/** A word as it stands in a dictionary: a secret only by its place. */
export const plainWord = (random: Random): string => random.pick(WORDS);
