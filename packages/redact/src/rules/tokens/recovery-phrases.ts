import type { Rule } from '../../grammar/rule.js';
import { isQuote, isSpace } from '../../lexicon/charset.js';

/** Lower-case words as the lists of BIP 39 have them, with single spaces. */
const WORDS = /[a-z]{3,8}(?: [a-z]{3,8}){11,23}(?=["'`\s,;<]|$)/y;
const COUNTS = new Set([12, 15, 18, 21, 24]);
/** Prose repeats itself and has these; no list of such words does. */
const OF_PROSE = /\b(?:the|and|for|with|from|this|your|are|not|has|its)\b/;
const FEWEST_DISTINCT = 9;
const LINK = /["'`\]]{0,2}[ \t]{0,8}(?::=|=>|[:=,(]|is:?)\s{0,24}/y;

/** The words that stand for a wallet's seed, behind a name that says so. */
export function recoveryPhraseRules(): Rule[] {
  return [phrase];
}

const phrase: Rule = {
  triggers: ['mnemonic', 'seed phrase', 'seed_phrase', 'seedphrase', 'recovery phrase', 'recovery_phrase'],
  confirm(scan, _start, end) {
    const { text } = scan;
    LINK.lastIndex = end;
    if (!LINK.test(text)) return;
    let from = LINK.lastIndex;
    if (isQuote(text.charCodeAt(from))) from += 1;
    while (isSpace(text.charCodeAt(from)) && from - end < 48) from += 1;
    WORDS.lastIndex = from;
    const found = WORDS.exec(text);
    if (found === null || OF_PROSE.test(found[0])) return;
    const words = found[0].split(' ');
    if (COUNTS.has(words.length) && new Set(words).size >= FEWEST_DISTINCT)
      scan.report('private-key', from, from + found[0].length, 'low');
  },
};
