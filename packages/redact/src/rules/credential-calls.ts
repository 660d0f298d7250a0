import { isProse, isStandIn, isWordLike } from '../benign-values.js';
import { isAlnum, isSpace } from '../charset.js';
import { quotedValueAt } from '../quoted-values.js';
import type { Rule, Scan } from '../rule.js';

/** Calls whose second argument is a password, whatever the first is. */
export function credentialCallRules(): Rule[] {
  return [login];
}

const login: Rule = {
  triggers: [
    '.login(',
    'networkcredential(',
    'passwordcredential(',
    'passwordcredentials(',
    'passwordauthentication(',
    'passwordauthenticationtoken(',
    'basicauth(',
    'basiccredentials(',
    'basicawscredentials(',
    'withcredentials(',
    'simplecredentials(',
    'drivermanager.getconnection(',
    'credential(',
  ],
  confirm(scan, _start, end, trigger) {
    const { text } = scan;
    let at = pastArgument(scan, end);
    // A connection is opened with an address before the user.
    if (at > 0 && trigger.endsWith('getconnection(')) at = pastArgument(scan, at);
    if (at < 0) return;
    const value = quotedValueAt(text, at);
    if (value === undefined) return;
    const password = text.slice(value.start, value.end);
    if (password.length < 4 || password.length > 256 || isStandIn(password) || isProse(password)) return;
    if (isWordLike(password) && !/\d/.test(password)) return;
    scan.report('password', value.start, value.end, 'low');
  },
};

/** Start of the argument after the one at `from`, or -1. */
function pastArgument(scan: Scan, from: number): number {
  const { text } = scan;
  let at = from;
  while (isSpace(text.charCodeAt(at)) && at - from < 40) at += 1;
  const literal = quotedValueAt(text, at);
  if (literal !== undefined) at = literal.end + 1;
  else while (at - from < 80 && (isAlnum(text.charCodeAt(at)) || text.charCodeAt(at) === 46 || text.charCodeAt(at) === 95)) at += 1;
  if (text.charCodeAt(at) !== 44) return -1;
  at += 1;
  while (isSpace(text.charCodeAt(at)) && at - from < 400) at += 1;
  return at;
}
