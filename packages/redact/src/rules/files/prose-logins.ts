import { reportPassword } from '../../grammar/report-password.js';
import type { Rule } from '../../grammar/rule.js';
import { isWordLike, mixesDigits } from '../../lexicon/benign-values.js';
import { isAlnum } from '../../lexicon/charset.js';
import { isMadeByHand } from '../../lexicon/made-up-words.js';

/** Logins as people tell each other (RED-3): `Credentials: ann / password`, `login/password: ann/password`. */
export function proseLoginRules(): Rule[] {
  return [pair];
}

/**
 * A user, a slash, a colon or an `and`, and a password, each perhaps in marks of its own; no third
 * step, which would make it a path, and no version.
 */
const PAIR =
  /^[`"'*]{0,2}[\w.@+\\-]{2,60}[`"'*]{0,2}(?:[ \t]?\/[ \t]?|:| and )[`"'*]{0,2}(?![\s`"'*]|v?\d{1,4}\.)([^\s`"'/<>]{6,64})(?=[`"'*\s]|$)/;
const LONGEST = 150;

const pair: Rule = {
  triggers: [
    ...[
      'credentials: ',
      'creds: ',
      'login: ',
      'logins: ',
      'credentials are ',
      'creds are ',
      'login with ',
      'log in with ',
      'log in as ',
    ],
    ...['password', 'passwd', 'pass', 'pw'].flatMap((name) => [`/${name}: `, `/${name} : `, `/${name} `]),
  ],
  skipKinds: ['source'],
  confirm(scan, start, end, trigger) {
    const { text } = scan;
    if (isAlnum(text.charCodeAt(start - 1)) !== (text.charCodeAt(start) === 47)) return;
    const found = PAIR.exec(text.slice(end, end + LONGEST));
    if (found === null) return;
    const value = (found[1] as string).replace(/[*.,;:)]{1,8}$/, '');
    if (
      value.length < 6 ||
      !mixesDigits(value) ||
      (!trigger.startsWith('/') && isWordLike(value) && !isMadeByHand(value))
    )
      return;
    reportPassword(scan, end + found[0].lastIndexOf(found[1] as string), value);
  },
};
