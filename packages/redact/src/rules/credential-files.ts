import { isLocation, isStandIn, mixesDigits } from '../benign-values.js';
import { ALNUM, DOT, isAlnum, isIn } from '../charset.js';
import { logicalLineAt } from '../logical-lines.js';
import type { Rule, Scan } from '../rule.js';
import { endsBehind, patternsByTrigger } from './patterns-by-trigger.js';
import { reachOf } from './reach.js';

/** Lines of files whose layout alone says which column is the password, and hashes of passwords. */
export function credentialFileRules(): Rule[] {
  return [passwordColumn, mailRelay, passwordHash, directive, loginBlock, passCommand, loginCommand];
}

/** How a database's name may start. */
const COLUMN = ALNUM | DOT;

/** A column that ends its line, or the literal that the line stands in. */
const LAST_COLUMN = String.raw`(\S{3,128}?)(?=["'\`](?:[\],;:)}]|\s|$)|\s|$)`;
const DATABASE_USER_PASSWORD = new RegExp(String.raw`^([\w.*-]{1,64}):([\w.*@-]{1,64}):${LAST_COLUMN}`);
const USER_PASSWORD = new RegExp(String.raw`^[ \t]{0,20}[^\s:[\]]{1,80}:${LAST_COLUMN}`);

/** `.pgpass`: host, port, database, user and password between colons. */
const passwordColumn: Rule = {
  triggers: [':5432:', ':5433:', ':6432:', ':*:'],
  confirm(scan, start, end) {
    const { text } = scan;
    const first = text.charCodeAt(end);
    if (!(isIn(COLUMN, first) || first === 42) || !isColumn(scan, start)) return;
    const rest = DATABASE_USER_PASSWORD.exec(text.slice(end, end + 280));
    if (rest !== null && !AGES.test(rest[3] as string))
      reportValue(scan, end + rest[0].length - (rest[3] as string).length, rest[3] as string);
  },
};

/** The last columns of `/etc/shadow`, whose locked accounts have a star for a password. */
const AGES = /^\d*(?::\d*){3,4}$/;

/** True when nothing but a host name stands between the start of the line and `at`. */
function isColumn(scan: Scan, at: number): boolean {
  const from = scan.lines.startOf(at);
  return at - from <= 100 && /^[-+ ]?[\w.*[\]-]{1,90}$/.test(scan.text.slice(from, at));
}

/** Postfix: `[relay]:587 user:password`. */
const mailRelay: Rule = {
  triggers: [']:587 ', ']:465 ', ']:25 ', ']:587\t', ']:465\t', ']:25\t'],
  confirm(scan, _start, end) {
    if (scan.text.charCodeAt(end) === 93) return;
    const login = USER_PASSWORD.exec(scan.text.slice(end, end + 240));
    if (login !== null) reportValue(scan, end + login[0].length - (login[1] as string).length, login[1] as string);
  },
};

function reportValue(scan: Scan, start: number, value: string): void {
  if (!isStandIn(value) && !isLocation(value)) scan.report('password', start, start + value.length, 'low');
}

/** Directives of servers, switches and installers: what stands between the words and the password. */
const DIRECTIVES = patternsByTrigger([
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
  ['root_password password ', /^/],
  ['root_password_again password ', /^/],
  ['requirepass ', /^["']?/],
  [':_authtoken=', /^["']?/],
  [':_password=', /^["']?/],
  [':rubygems_api_key: ', /^["']?/],
  ['[registry]\n', /^token = "/],
  ['[registries.', /^[\w-]{1,40}\]\ntoken = "/],
  ['credentials "', /^[\w.-]{1,80}" \{\s{1,12}token\s{1,8}=\s{1,8}"/],
  ['\n- name: ', /^\S{1,80}\n\s{1,4}user:\n\s{2,8}token: ["']?/],
  ['\nuser ', /^\S{1,80}\npassword ["']?/],
  ['masterauth ', /^["']?/],
  ['createuser ', /^(?:-e \S{1,60} )?\S{1,60} \S{3,8} \S{3,128} (?:AES|DES)(?:-?\d{3})? ["']?/i],
  ['insecure-password ', /^/],
  [' key 0 ', /^/],
  [' key 7 ', /^/],
  ['isakmp key ', /^(?:[06] )?/],
  [' message-digest-key ', /^\d{1,3} md5 (?:\d )?/],
  [' authentication-key ', /^(?:\d )?/],
  [' key-string ', /^(?:\d )?/],
  ['neighbor ', /^\S{1,45} password (?:\d )?/],
  ['cache_peer ', /^[^\n]{0,100}? login=[^\s:]{1,60}:/],
  ['sqlconnectinfo ', /^\S{1,80} \S{1,60} /],
  ['rocommunity ', /^/],
  ['rwcommunity ', /^/],
  [' on >', /^/],
  ['socks5 ', /^[\w.-]{1,80}[ \t]{1,8}\d{2,5}[ \t]{1,8}\S{1,60}[ \t]{1,8}/],
  ['-setcookie ', /^["']?/],
  ['temporary password is generated for ', /^\S{1,80}: /],
  ['following password to proceed to installation:', /^\s{1,8}/],
]);

const directive: Rule = {
  triggers: [...DIRECTIVES.keys()],
  confirm(scan, start, end, trigger) {
    const { text } = scan;
    if (scan.kind === 'source' || (trigger.charCodeAt(0) > 45 && isAlnum(text.charCodeAt(start - 1)))) return;
    for (const at of endsBehind(text, end, 160, DIRECTIVES.get(trigger))) confirmDirective(scan, at);
  },
};

function confirmDirective(scan: Scan, from: number): void {
  const { text } = scan;
  const value = /^[^\s"'`;]{4,128}(?=["'`;]|\s|$)/.exec(text.slice(from, from + 130));
  // In prose a word follows: a directive's value mixes digits in, or ends its line.
  if (
    value === null ||
    !(mixesDigits(value[0]) || /^["'`;]{0,2}(?: [A-Z]{2,6}(?: \d{1,3})?)?\s*(?:\n|$)/.test(text.slice(from + value[0].length, from + 160)))
  )
    return;
  reportValue(scan, from, value[0]);
}

const MAX_LOGINS = 12;

/** Lines of names and passwords below the word that announces them: `chpasswd`, `<auth-user-pass>`. */
const loginBlock: Rule = {
  triggers: ['chpasswd:\n', 'chpasswd <<', '<auth-user-pass>\n'],
  confirm(scan, start, end, trigger) {
    const { text } = scan;
    const reach = reachOf(scan, loginBlock);
    if (start < reach.end) return;
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
      reach.end = line.end;
      if (line.next === line.end) return;
      line = logicalLineAt(text, line.next, 160, true);
    }
  },
};

/** A recorded session of FTP or POP: `PASS` on the line after `USER`. */
const passCommand: Rule = {
  triggers: ['\npass ', '\n+pass ', '> pass ', 'c: pass '],
  confirm(scan, start, end) {
    const { text } = scan;
    if (!text.startsWith('PASS ', end - 5) || !/USER \S{1,80}\s/.test(text.slice(Math.max(0, start - 160), start + 1))) return;
    const line = logicalLineAt(text, end, 200, false);
    const value = text.slice(end, line.end);
    if (/^\S{4,128}$/.test(value)) reportValue(scan, end, value);
  },
};

/** A recorded session of IMAP: a tag, `LOGIN`, the user and the password. */
const loginCommand: Rule = {
  triggers: [' login '],
  confirm(scan, start, end) {
    const { text } = scan;
    if (!text.startsWith(' LOGIN ', start) || !/(?:^|\n|[:>] )\w{1,8}$/.test(text.slice(Math.max(0, start - 12), start))) return;
    const rest = text.slice(end, logicalLineAt(text, end, 200, false).end);
    const login = /^\S{1,80} (["']?)([^\s"']{4,128})\1$/.exec(rest);
    if (login !== null) reportValue(scan, end + rest.lastIndexOf(login[2] as string), login[2] as string);
  },
};

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
