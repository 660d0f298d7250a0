import { isLocation, isStandIn, mixesDigits } from '../benign-values.js';
import { isAlnum, isBreak } from '../charset.js';
import type { Rule, Scan } from '../rule.js';

/** Lines of files whose layout alone says which column is the password, and hashes of passwords. */
export function credentialFileRules(): Rule[] {
  return [passwordColumn, mailRelay, passwordHash];
}

/** `.pgpass`: host, port, database, user and password between colons. */
const passwordColumn: Rule = {
  triggers: [':5432:', ':5433:', ':6432:', ':*:'],
  confirm(scan, start, end) {
    const { text } = scan;
    const rest = /^([\w.*-]{1,64}):([\w.*@-]{1,64}):(\S{3,128})(?=\s|$)/.exec(text.slice(end, end + 280));
    if (rest === null || !isColumn(text, start)) return;
    reportValue(scan, end + rest[0].length - (rest[3] as string).length, rest[3] as string);
  },
};

/** True when nothing but a host name stands between the start of the line and `at`. */
function isColumn(text: string, at: number): boolean {
  let from = at;
  while (at - from < 100 && from > 0 && !isBreak(text.charCodeAt(from - 1))) from -= 1;
  return /^[-+ ]?[\w.*[\]-]{1,90}$/.test(text.slice(from, at));
}

/** Postfix: `[relay]:587 user:password`. */
const mailRelay: Rule = {
  triggers: [']:587 ', ']:465 ', ']:25 ', ']:587\t', ']:465\t', ']:25\t'],
  confirm(scan, _start, end) {
    const login = /^\s{0,20}[^\s:]{1,80}:(\S{3,128})(?=\s|$)/.exec(scan.text.slice(end, end + 240));
    if (login !== null) reportValue(scan, end + login[0].length - (login[1] as string).length, login[1] as string);
  },
};

function reportValue(scan: Scan, start: number, value: string): void {
  if (!isStandIn(value) && !isLocation(value)) scan.report('password', start, start + value.length, 'low');
}

/** Crypt, bcrypt, Argon2, PBKDF2 and LDAP hashes: a dictionary can be tried against them. */
const passwordHash: Rule = {
  triggers: ['$2y$', '$2a$', '$2b$', '$6$', '$5$', '$1$', '$y$', '$apr1$', '$argon2', 'pbkdf2_sha256$', '{ssha}', '{ssha512}'],
  confirm(scan, start, end) {
    const { text } = scan;
    if (isAlnum(text.charCodeAt(start - 1))) return;
    let stop = end;
    while (stop - end < 300 && isHash(text.charCodeAt(stop))) stop += 1;
    if (stop - end < 22 || /[=]{3}|\.{3}/.test(text.slice(end, stop)) || !mixesDigits(text, end, stop)) return;
    scan.report('password-hash', start, stop, 'low');
  },
};

function isHash(code: number): boolean {
  return isAlnum(code) || (code >= 43 && code <= 47) || code === 36 || code === 61;
}
