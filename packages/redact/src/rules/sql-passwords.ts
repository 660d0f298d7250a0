import { mixesDigits } from '../benign-values.js';
import { BARE_VALUE } from '../charset.js';
import { quotedValueAt } from '../quoted-values.js';
import type { Rule } from '../rule.js';
import { isSecretValue, type ValueContext } from './assigned-values.js';

const LONGEST = 512;
const CONTEXT: ValueContext = { quoted: true, loose: false, config: true, generated: false };
const CLAUSE = /(?:by|with[ \t]{1,4}[\w"'`]{1,40}[ \t]{1,4}(?:by|as))[ \t]{1,4}(?:password[ \t]{1,4}|values[ \t]{1,4})?/iy;

/** What is identified so in a statement; prose has other subjects. */
const ACCOUNT = /\b(?:user|role|login)\b/i;

/** Passwords of SQL accounts (RED-3): `IDENTIFIED BY 'v'`, `IDENTIFIED WITH plugin BY 'v'`. `PASSWORD 'v'` is an assignment. */
export function sqlPasswordRules(): Rule[] {
  return [identifiedBy];
}

const identifiedBy: Rule = {
  triggers: ['identified '],
  confirm(scan, start, end) {
    const { text } = scan;
    CLAUSE.lastIndex = end;
    if (!CLAUSE.test(text)) return;
    const at = CLAUSE.lastIndex;
    if (!(text.startsWith('IDENTIFIED', start) || ACCOUNT.test(text.slice(Math.max(0, start - 120), start)))) return;
    const quote = text.charCodeAt(at);
    const literal = quote === 96 ? undefined : quotedValueAt(text, at);
    const from = literal?.start ?? at;
    const stop = literal?.end ?? scan.runEnd(BARE_VALUE, at);
    if (stop - from >= LONGEST) return;
    // Comments in code quote names so: without single quotes a digit must tell the password from them.
    const certain = literal !== undefined && (quote === 39 || scan.kind !== 'source');
    if (!certain && !(mixesDigits(text, from, stop) && /["';\s]/.test(text.charAt(stop)))) return;
    if (isSecretValue(text.slice(from, stop), 'password', CONTEXT)) scan.report('password', from, stop, 'low');
  },
};
