import { type JsonReader, repaired } from './json-reader.js';

const LITERALS: ReadonlyMap<string, null | boolean> = new Map([
  ['true', true],
  ['false', false],
  ['null', null],
]);
/** What other languages write; a number that is none becomes null, which is absent. */
const FOREIGN: ReadonlyMap<string, null | boolean> = new Map([
  ['True', true],
  ['False', false],
  ['TRUE', true],
  ['FALSE', false],
  ['None', null],
  ['NULL', null],
  ['nil', null],
  ['undefined', null],
  ['NaN', null],
  ['Infinity', null],
  ['+Infinity', null],
  ['-Infinity', null],
]);

const STRICT_NUMBER = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/;
const LOOSE_NUMBER = /^[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)$/;
/** Longer words are text: keeps the number tests off hostile digit runs. */
const MAX_NUMBER = 400;

/**
 * A bare word stops at punctuation, at a comment behind white space, and at a quote: the next key,
 * with its comma forgotten.
 */
function endsWord(text: string, start: number, at: number): boolean {
  const char = text[at] as string;
  if (',}]\n，'.includes(char)) return true;
  if (at === start) return false;
  if (char === '"') return true;
  const comment = char === '#' || (char === '/' && (text[at + 1] === '/' || text[at + 1] === '*'));
  return comment && (text[at - 1] === ' ' || text[at - 1] === '\t');
}

/**
 * Reads what stands without quotes at `pos`, up to the next comma, bracket or line end: a literal,
 * a number or text.
 */
export function readBareWord(reader: JsonReader): null | boolean | number | string | undefined {
  const { text } = reader;
  const start = reader.pos;
  while (reader.pos < reader.end && !endsWord(text, start, reader.pos)) reader.pos += 1;
  if (reader.pos >= reader.end) reader.cut = true;
  const word = text.slice(start, reader.pos).trim();
  if (word === '') {
    repaired(reader, 'missing_value');
    return null;
  }
  const literal = LITERALS.get(word);
  if (literal !== undefined) return literal;
  if (word.length <= MAX_NUMBER && STRICT_NUMBER.test(word)) return Number(word);
  const foreign = FOREIGN.get(word);
  if (foreign !== undefined) {
    repaired(reader, 'odd_literal');
    return foreign;
  }
  if (word.length <= MAX_NUMBER && LOOSE_NUMBER.test(word)) {
    repaired(reader, 'odd_number');
    return Number(word);
  }
  repaired(reader, 'unquoted_value');
  return word;
}
