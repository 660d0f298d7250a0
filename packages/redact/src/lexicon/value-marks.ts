/** The characters of a value that tell apart what it may be, as bits. */
export const DOT = 1;
export const COLON = 2;
export const BRACKET = 4;
export const PERCENT = 8;
export const BRACE = 16;
export const STAR = 32;
export const LETTER_X = 64;
/** ASCII that stands in no word of a language: all but letters, digits, `_`, `-` and square brackets. */
export const NO_WORD = 128;
/** Three different characters at least. */
export const VARIED = 256;

const TABLE = new Uint16Array(128).fill(NO_WORD);
const mark = (characters: string, bits: number): void => {
  for (let i = 0; i < characters.length; i += 1) TABLE[characters.charCodeAt(i)] = bits;
};
mark('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-', 0);
mark('xX', LETTER_X);
mark('[]', BRACKET);
mark('(', BRACKET | NO_WORD);
mark('.', DOT | NO_WORD);
mark(':', COLON | NO_WORD);
mark('%', PERCENT | NO_WORD);
mark('{$', BRACE | NO_WORD);
mark('*', STAR | NO_WORD);

/** One look at all characters spares a value most of the expressions that could say what it is. */
export function marksOf(value: string): number {
  const first = value.charCodeAt(0) & 127;
  let second = first;
  let marks = 0;
  for (let i = 0; i < value.length; i += 1) {
    const code = value.charCodeAt(i);
    if (code < 128) marks |= TABLE[code] as number;
    const low = code & 127;
    if (low === first || low === second) continue;
    if (second === first) second = low;
    else marks |= VARIED;
  }
  return marks;
}
