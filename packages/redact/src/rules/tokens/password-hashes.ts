import { reachOf } from '../../grammar/reach.js';
import type { Rule, Scan } from '../../grammar/rule.js';
import { mixesDigits } from '../../lexicon/benign-values.js';
import { BASE64, HEX, isAlnum } from '../../lexicon/charset.js';

/** Hashes of passwords, by the head that names their kind: a dictionary can be tried against them. */
export function passwordHashRules(): Rule[] {
  return [passwordHash, labelledDigest, ntHash, keytabKey, kerberosReply];
}

const SHORTEST = 22;
const LONGEST = 300;
/** Heads in capitals, which stand for little else: phpass and Drupal. */
const CAPITALS = new Set(['$p$', '$h$', '$s$']);

/** Functions by their names, and how a hash of theirs goes on: Django's and Werkzeug's, those of crypt, GRUB's. */
const NAMED: ReadonlyMap<string, RegExp> = new Map([
  ['pbkdf2', /^(?:_sha(?:1|256)\$|:sha(?:256|512):|-sha(?:1|256|512)\$|\$\d|\.sha\d{3}\.)/i],
  ['scrypt', /^(?::\d{4,6}:|\$)/i],
]);
const LONGEST_HEAD = 12;
const LEAD = /(?:\$|grub\.)$/;

/** Crypt, bcrypt, Argon2, PBKDF2, scrypt and SCRAM, as they stand in files of accounts and columns of tables. */
const passwordHash: Rule = {
  triggers: [
    ...['$2y$', '$2a$', '$2b$', '$2x$', '$6$', '$5$', '$1$', '$7$', '$8$', '$9$', '$y$', '$apr1$', '$argon2'],
    ...['pbkdf2', 'scrypt', 'scram-sha-256$'],
    ...CAPITALS,
  ],
  confirm(scan, start, end, trigger) {
    const { text } = scan;
    const reach = reachOf(scan, passwordHash);
    if (start < reach.end || isAlnum(text.charCodeAt(start - 1))) return;
    const named = NAMED.get(trigger);
    const head = named?.exec(text.slice(end, end + LONGEST_HEAD));
    if (head === null) return;
    if (CAPITALS.has(trigger) && text.slice(start, end) !== trigger.toUpperCase()) return;
    const hasColons = trigger.startsWith('s') || trigger === 'pbkdf2';
    let stop = end + (head?.[0].length ?? 0);
    while (stop - end < LONGEST && (isHash(text.charCodeAt(stop)) || (hasColons && text.charCodeAt(stop) === 58)))
      stop += 1;
    reach.end = stop;
    if (stop - end < SHORTEST || /[=]{3}|\.{3}/.test(text.slice(end, stop)) || !mixesDigits(text, end, stop)) return;
    const from =
      named === undefined ? start : start - (LEAD.exec(text.slice(Math.max(0, start - 5), start))?.[0].length ?? 0);
    scan.report('password-hash', from, stop, 'low');
  },
};

function isHash(code: number): boolean {
  return isAlnum(code) || (code >= 43 && code <= 47) || code === 36 || code === 61;
}

/** LDAP's and Apache's, in base64 of a digest's length; PostgreSQL's own, in hexadecimal digits. */
const labelledDigest: Rule = {
  triggers: ['{ssha}', '{ssha256}', '{ssha512}', '{sha}', '{sha256}', '{sha512}', '{md5}', '"md5'],
  confirm(scan, start, end, trigger) {
    const isHexadecimal = trigger === '"md5';
    if (!(isHexadecimal ? isHexDigest(scan.text, end) : isPadded(scan, end))) return;
    const from = isHexadecimal ? start + 1 : start;
    scan.report('password-hash', from, isHexadecimal ? end + 32 : scan.runEnd(BASE64, end), 'low');
  },
};

const isHexDigest = (text: string, at: number): boolean => /^[0-9a-f]{32}"/.test(text.slice(at, at + 33));

/** Base64 as a whole, with its padding: what follows a path's part in braces is none. */
function isPadded(scan: Scan, at: number): boolean {
  const stop = scan.runEnd(BASE64, at);
  return stop - at >= SHORTEST && stop - at <= LONGEST && (stop - at) % 4 === 0 && mixesDigits(scan.text, at, stop);
}

/** Samba's and Windows' dumps of accounts: `…:LM:NT:[U`, `…:LM:NT:::`. The hash logs in as the password does. */
const LM_AND_NT = /:(?:[0-9A-F]{32}|X{32}):([0-9A-F]{32}):$/i;
const NT_REACH = 67;

const ntHash: Rule = {
  triggers: [':[u', ':::'],
  confirm(scan, start) {
    const { text } = scan;
    const hash = LM_AND_NT.exec(text.slice(Math.max(0, start + 1 - NT_REACH), start + 1))?.[1];
    if (hash !== undefined && mixesDigits(hash)) scan.report('password-hash', start - hash.length, start, 'low');
  },
};

/** `klist -K`: the key of a principal, behind the cipher that it is for. */
const PRINTED_KEY = /^[\w-]{0,16}\)\s{1,4}\(0x([\da-f]{32,64})\)/i;

const keytabKey: Rule = {
  triggers: ['-hmac-', '-hmac)'],
  confirm(scan, _start, end, trigger) {
    const { text } = scan;
    const from = trigger.endsWith(')') ? end - 1 : end;
    const found = PRINTED_KEY.exec(text.slice(from, from + 100));
    if (found === null) return;
    const stop = from + found[0].length - 1;
    scan.report('key', stop - (found[1] as string).length, stop, 'low');
  },
};

/**
 * What a ticket holds, as crackers take it: the kind of cipher, perhaps whose it is, a checksum and
 * what the account's password encrypted.
 */
const REPLY = /^\d{1,2}\$[^\s"']{0,200}?[\da-f]{24,64}\$(?=[\da-f]{32})/i;

const kerberosReply: Rule = {
  triggers: ['$krb5asrep$', '$krb5tgs$', '$krb5pa$'],
  confirm(scan, start, end) {
    const head = REPLY.exec(scan.text.slice(end, end + 300));
    if (head !== null) scan.report('password-hash', start, scan.runEnd(HEX, end + head[0].length), 'low');
  },
};
