import { QUIET_KINDS } from '../../grammar/path-kind.js';
import type { Rule } from '../../grammar/rule.js';
import { isBreak } from '../../lexicon/charset.js';

/** Codes that let in whoever lost the second factor (RED-3): lists below their name, or behind it. */
export function recoveryCodeRules(): Rule[] {
  return [codes];
}

/** Between the name of a list and its first code. */
const OPENING = /(?:["'`*]{0,3}[ \t]{0,4}(?:=>|[:=])["'*]{0,3}|[ \t]{0,4}(?=\r?\n))\s{0,24}(?:\[\s{0,24})?/y;
/** One code and what stands before it: its number, a dash, a quote, the comma behind the last. */
const CODE =
  /(?:[-+ ]?[ \t]{0,24}(?:\d{1,2}[.):]|[-*\u2022])?[ \t]{1,4})?["'`]?((?=[a-z-]{0,12}\d)[a-z\d]{4,5}(?:-[a-z\d]{4,5}){1,3}|\d{4} \d{4}|\d{8}|(?=[a-z]{0,9}\d)(?=\d{0,9}[a-z])[a-z\d]{8,10})["'`]?(?=[\s,;\]]|$)/iy;
const GAP = /[ \t]{0,8}[,;]?[ \t]{0,4}(?:\r?\n)?/y;
const MOST = 24;

const codes: Rule = {
  triggers: ['backup', 'recovery', 'scratch', 'emergency'].flatMap((kind) => [
    `${kind} code`,
    `${kind}_code`,
    `${kind}code`,
    `${kind}-code`,
  ]),
  skipKinds: QUIET_KINDS,
  confirm(scan, _start, end) {
    const { text } = scan;
    OPENING.lastIndex = text.charAt(end) === 's' ? end + 1 : end;
    if (!OPENING.test(text)) return;
    let at = OPENING.lastIndex;
    for (let count = 0; count < MOST; count += 1) {
      CODE.lastIndex = at;
      const found = CODE.exec(text);
      if (found === null) return;
      const from = at + found[0].lastIndexOf(found[1] as string);
      scan.report('secret', from, from + (found[1] as string).length, 'low');
      GAP.lastIndex = CODE.lastIndex;
      at = GAP.test(text) ? GAP.lastIndex : CODE.lastIndex;
      if (at === CODE.lastIndex || (isBreak(text.charCodeAt(at)) && count > 0)) return;
    }
  },
};
