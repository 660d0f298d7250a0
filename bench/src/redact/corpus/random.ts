const LOWER = 'abcdefghijklmnopqrstuvwxyz';
const DIGITS = '0123456789';
const ALNUM = LOWER + LOWER.toUpperCase() + DIGITS;

/** Alphabets by the names the shapes use. */
const ALPHABETS: Readonly<Record<string, string>> = {
  digits: DIGITS,
  hex: `${DIGITS}abcdef`,
  HEX: `${DIGITS}ABCDEF`,
  lower: LOWER,
  'a-z0-9': LOWER + DIGITS,
  'A-Z0-9': LOWER.toUpperCase() + DIGITS,
  alnum: ALNUM,
  base32: `${LOWER.toUpperCase()}234567`,
  base64: `${ALNUM}+/`,
  base64url: `${ALNUM}-_`,
  password: `${ALNUM}!@#%^*-_+=.~?`,
};

/** One stream of chance: equal seeds give equal texts. */
export interface Random {
  below(limit: number): number;
  pick<T>(list: readonly T[]): T;
  text(alphabet: string, length: number): string;
}

/** Mulberry32: short, and good enough for text. */
export function seededRandom(seed: number): Random {
  let state = seed | 0;
  const below = (limit: number): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * limit);
  };
  return {
    below,
    pick: (list) => list[below(list.length)] as (typeof list)[number],
    text(alphabet, length) {
      const letters = ALPHABETS[alphabet] ?? alphabet;
      let text = '';
      for (let i = 0; i < length; i += 1) text += letters.charAt(below(letters.length));
      // Punctuation at either end belongs to the sentence round a token; generators of tokens avoid it.
      if (alphabet !== 'base64url' && alphabet !== 'base64' && alphabet !== 'password') return text;
      return text.replace(/^[^A-Za-z0-9]/, 'k').replace(/[^A-Za-z0-9]$/, '7');
    },
  };
}
