import { HEX, isAlnum, isIn } from '../lexicon/charset.js';

/**
 * True when a token may start at `at`: nothing, a character other than a letter or digit, the
 * letter of an escape (`\n`, `\u003d`) or the digits of a percent escape stand before it. Request
 * bodies are JSON, so text after `\n` must not be hidden by the `n`.
 */
export function startsToken(text: string, at: number): boolean {
  if (at === 0) return true;
  const before = text.charCodeAt(at - 1);
  return !isAlnum(before) || endsEscape(text, at);
}

/** True when the characters before `at` are a JSON, C or percent escape. */
function endsEscape(text: string, at: number): boolean {
  const before = text.charCodeAt(at - 1);
  if (
    text.charCodeAt(at - 2) === 92 &&
    (before === 110 || before === 114 || before === 116 || before === 98 || before === 102)
  )
    return true;
  if (!isIn(HEX, before) || !isIn(HEX, text.charCodeAt(at - 2))) return false;
  if (text.charCodeAt(at - 3) === 37) return true;
  return (
    text.charCodeAt(at - 6) === 92 &&
    text.charCodeAt(at - 5) === 117 &&
    isIn(HEX, text.charCodeAt(at - 3)) &&
    isIn(HEX, text.charCodeAt(at - 4))
  );
}
