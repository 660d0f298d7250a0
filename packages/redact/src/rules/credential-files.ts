import { isLocation, isStandIn, mixesDigits } from '../benign-values.js';
import { isAlnum, isBreak } from '../charset.js';
import { logicalLineAt } from '../logical-lines.js';
import type { Rule, Scan } from '../rule.js';

/** Lines of files whose layout alone says which column is the password, and hashes of passwords. */
export function credentialFileRules(): Rule[] {
  return [passwordColumn, mailRelay, passwordHash, directive, loginBlock, session];
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

/** Directives of servers, switches and installers: what stands between the words and the password. */
const DIRECTIVES: readonly (readonly [trigger: string, before: RegExp])[] = [
  ['stats auth ', /^[^\s:]{1,60}:/],
  ['createuser ', /^(?:-e \S{1,60} )?\S{1,60} (?:MD5|SHA(?:-?\d{3})?) ["']?/i],
  ['enable secret ', /^(?:level \d{1,2} )?(?:\d )?/],
  ['enable password ', /^(?:level \d{1,2} )?(?:\d )?/],
  [' secret 0 ', /^/],
  [' secret 5 ', /^/],
  [' secret 8 ', /^/],
  [' secret 9 ', /^/],
  [' password 0 ', /^/],
  [' password 7 ', /^/],
  ['snmp-server community ', /^/],
  ['rootpw ', /^(?:--(?:plaintext|iscrypted|allow-ssh) ){0,3}(?!--)/],
  ['-password password ', /^/],
  ['-password-again password ', /^/],
  ['requirepass ', /^["']?/],
  ['masterauth ', /^["']?/],
];
const DIRECTIVE_BY_TRIGGER = new Map(DIRECTIVES);

const directive: Rule = {
  triggers: DIRECTIVES.map(([trigger]) => trigger),
  confirm(scan, start, end, trigger) {
    const { text } = scan;
    const before = DIRECTIVE_BY_TRIGGER.get(trigger)?.exec(text.slice(end, end + 160));
    if (!before || (trigger.charCodeAt(0) > 45 && isAlnum(text.charCodeAt(start - 1)))) return;
    const from = end + before[0].length;
    const value = /^[^\s"'`;]{4,128}(?=["'`;]|\s|$)/.exec(text.slice(from, from + 130));
    // In prose a word follows: a directive's value mixes digits in, or ends its line.
    if (
      value === null ||
      !(mixesDigits(value[0]) || /^["'`;]{0,2}(?: [A-Z]{3,6})?\s*(?:\n|$)/.test(text.slice(from + value[0].length, from + 160)))
    )
      return;
    if (scan.kind !== 'source') reportValue(scan, from, value[0]);
  },
};

const MAX_LOGINS = 12;

/** Lines of names and passwords below the word that announces them: `chpasswd`, `<auth-user-pass>`. */
const loginBlock: Rule = {
  triggers: ['chpasswd:\n', 'chpasswd <<', '<auth-user-pass>\n'],
  confirm(scan, _start, end, trigger) {
    const { text } = scan;
    let line = logicalLineAt(text, end, 160, true);
    if (trigger === '<auth-user-pass>\n') {
      const password = logicalLineAt(text, line.next, 160, true);
      const value = text.slice(password.start, password.end);
      if (/^\S{4,128}$/.test(value) && !value.startsWith('<')) reportValue(scan, password.start, value);
      return;
    }
    for (let count = 0; count < MAX_LOGINS; count += 1) {
      const login = /^[\s+-]{0,16}["']?[a-z_][\w-]{0,31}:(\S{4,128}?)["']?$/.exec(text.slice(line.start, line.end));
      if (login !== null) reportValue(scan, line.start + login[0].lastIndexOf(login[1] as string), login[1] as string);
      if (line.next === line.end) return;
      line = logicalLineAt(text, line.next, 160, true);
    }
  },
};

/** A recorded session of FTP, POP or IMAP. */
const session: Rule = {
  triggers: ['\npass ', '\n+pass ', '> pass ', 'c: pass ', ' login '],
  confirm(scan, start, end, trigger) {
    const { text } = scan;
    const line = logicalLineAt(text, end, 200, false);
    const rest = text.slice(end, line.end);
    if (trigger === ' login ') {
      const tagged = /^\S{1,80} (["']?)([^\s"']{4,128})\1$/.exec(rest);
      if (
        tagged === null ||
        !text.startsWith(' LOGIN ', start) ||
        !/(?:^|\n|[:>] )\w{1,8}$/.test(text.slice(Math.max(0, start - 12), start))
      )
        return;
      reportValue(scan, end + rest.lastIndexOf(tagged[2] as string), tagged[2] as string);
    } else if (
      text.startsWith('PASS ', end - 5) &&
      /^\S{4,128}$/.test(rest) &&
      /USER \S{1,80}\s/.test(text.slice(Math.max(0, start - 160), start + 1))
    )
      reportValue(scan, end, rest);
  },
};

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
