import { mixesDigits } from '../benign-values.js';
import { isAlnum } from '../charset.js';
import type { Rule } from '../rule.js';
import { reachOf } from './reach.js';

/** Hashes of passwords, by the head that names their kind. */
export function passwordHashRules(): Rule[] {
  return [passwordHash];
}

/** Crypt, bcrypt, Argon2, PBKDF2 and LDAP hashes: a dictionary can be tried against them. */
const passwordHash: Rule = {
  triggers: [
    '$2y$',
    '$2a$',
    '$2b$',
    '$6$',
    '$5$',
    '$1$',
    '$8$',
    '$9$',
    '$y$',
    '$apr1$',
    '$argon2',
    'pbkdf2_sha256$',
    '{ssha}',
    '{ssha512}',
    'grub.pbkdf2.',
  ],
  confirm(scan, start, end) {
    const { text } = scan;
    const reach = reachOf(scan, passwordHash);
    if (start < reach.end || isAlnum(text.charCodeAt(start - 1))) return;
    let stop = end;
    while (stop - end < 300 && isHash(text.charCodeAt(stop))) stop += 1;
    reach.end = stop;
    if (stop - end < 22 || /[=]{3}|\.{3}/.test(text.slice(end, stop)) || !mixesDigits(text, end, stop)) return;
    scan.report('password-hash', start, stop, 'low');
  },
};

function isHash(code: number): boolean {
  return isAlnum(code) || (code >= 43 && code <= 47) || code === 36 || code === 61;
}
