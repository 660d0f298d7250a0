import type { Rule } from '../../grammar/rule.js';
import { isAlnum } from '../../lexicon/charset.js';

/** Name, vendor, version, date of expiry and count, before the signature of a feature. */
const FEATURE = /^\S{1,60} \S{1,24} [\d.]{1,16} \S{1,16} \S{1,16} ([\dA-F]{12,20})(?=[\s\\"]|$)/;
const SIGNATURE = /^"?((?:[\dA-F]{4,}[ \t]{1,2}){0,40}[\dA-F]{4,})"?(?![\w-])/;
const SHORTEST = 12;

/** Signatures of the features in a FlexNet license file (RED-2): who has them runs the tool. */
export function licenseLineRules(): Rule[] {
  return [feature];
}

const feature: Rule = {
  triggers: ['feature ', 'increment ', ' sign=', '\tsign=', ' sign2='],
  confirm(scan, start, end, trigger) {
    const { text } = scan;
    // Prose and code write these words small.
    if (text.charCodeAt(end - 2) > 90 || (isAlnum(trigger.charCodeAt(0)) && isAlnum(text.charCodeAt(start - 1))))
      return;
    const found = (text.charCodeAt(end - 1) === 61 ? SIGNATURE : FEATURE).exec(text.slice(end, end + 400));
    const signature = found?.[1];
    if (found === null || signature === undefined || signature.length < SHORTEST || !/\d/.test(signature)) return;
    const at = end + found[0].lastIndexOf(signature);
    scan.report('license', at, at + signature.length, 'low');
  },
};
