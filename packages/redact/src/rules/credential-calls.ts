import { ENVIRONMENT_NAME, isLocation, isProse, isSequence, isStandIn, isWordLike, UUID } from '../benign-values.js';
import { isAlnum, isBreak, isSpace, isUpper, WORD } from '../charset.js';
import { quotedValueAt } from '../quoted-values.js';
import { looksRandom, makeUpOf } from '../randomness.js';
import type { Rule, Scan } from '../rule.js';
import { judgeName } from './judged-names.js';
import { pastPrefix } from './literals.js';

/** Calls with a password among their arguments: how many stand before it, and whether nothing but a password may stand there. */
const CALLS: readonly (readonly [trigger: string, before: number, certain: boolean])[] = [
  ['.login(', 1, false],
  ['credential(', 1, false],
  ['credentials(', 1, false],
  ['basicauth(', 1, false],
  ['setbasicauth(', 1, true],
  ['networkcredential(', 1, true],
  ['directoryentry(', 2, true],
  ['passwordcredential(', 1, true],
  ['passwordcredentials(', 1, true],
  ['passwordauthentication(', 1, true],
  ['passwordauthenticationtoken(', 1, true],
  ['passwordtoken(', 1, true],
  ['basicawscredentials(', 1, true],
  ['drivermanager.getconnection(', 2, true],
  ['createcredential(', 2, true],
  ['new pdo(', 2, true],
  ['mysqli_connect(', 2, true],
  ['new mysqli(', 2, true],
  ['mysql_connect(', 2, true],
  ['oci_connect(', 1, true],
  ['ftp_login(', 2, true],
  ['ldap_bind(', 2, true],
  ['imap_open(', 2, true],
  ['ssh2_auth_password(', 2, true],
  ['new sequelize(', 2, true],
  ['auth=(', 1, true],
  ['auth = (', 1, true],
  ['credentials = (', 1, false],
  ['creds = (', 1, false],
  ['.auth(', 1, false],
  ['.authenticate(', 1, false],
  ['plainauth(', 2, true],
  ['mysql_real_connect(', 3, true],
  ['dbi->connect(', 2, true],
  ['create_superuser(', 2, false],
  ['create_user(', 2, false],
  ['usermanager.createasync(', 1, false],
  ['pbekeyspec(', 0, false],
  ['.load(new fileinputstream(', 1, false],
];

/** Calls that sign or encrypt, by the place of their key. */
const KEYED: readonly (readonly [trigger: string, before: number, certain: boolean])[] = [
  ['jwt.sign(', 1, false],
  ['jwt.verify(', 1, false],
  ['jwt.encode(', 1, false],
  ['jwt.decode(', 1, false],
  ['createhmac(', 1, false],
  ['hash_hmac(', 2, false],
  ['hmac.new(', 0, false],
  ['cookieparser(', 0, false],
  ['pyotp.totp(', 0, false],
];
const CALL_BY_TRIGGER = new Map([...CALLS, ...KEYED].map((call) => [call[0], call] as const));

/** Calls that encode `user:password` for a header. */
const ENCODERS = ['btoa(', 'b64encode(', 'base64.encode(', 'base64_encode(', 'encode_base64(', 'buffer.from('];
const SHORTEST_KEY = 20;
const SHORTEST_HEX_KEY = 32;
const LONGEST_KEY = 200;
const LOGIN_PAIR = /^[\w.@+-]{1,64}:(?!\/\/)([^\s:"'`]{4,128})$/;

/** Calls whose argument by its place is a password, whatever the others are. */
export function credentialCallRules(): Rule[] {
  return [login, encodedPair, pairOption, valueForKey, clientOfKey];
}

const login: Rule = {
  triggers: [...CALL_BY_TRIGGER.keys()],
  confirm(scan, _start, end, trigger) {
    const [, before, certain] = CALL_BY_TRIGGER.get(trigger) as (typeof CALLS)[number];
    let at = end;
    for (let skipped = 0; skipped < before && at >= 0; skipped += 1) at = pastArgument(scan, at, certain);
    const value = at < 0 ? undefined : quotedValueAt(scan.text, pastPrefix(scan.text, at));
    if (value === undefined) return;
    const isKeyed = KEYED.some(([name]) => name === trigger);
    const text = scan.text.slice(value.start, value.end);
    if (isKeyed ? isSigningKey(text) : isPassword(text, certain))
      scan.report(isKeyed ? 'secret' : 'password', value.start, value.end, 'low');
  },
};

/** Tests sign with a word; the name of an algorithm may stand in a key's place. */
function isSigningKey(value: string): boolean {
  return value.length >= 8 && isPassword(value, false) && !/^(?:[a-z]{2,6}-?\d{1,4}|[a-z-]+)$/i.test(value) && !isLocation(value);
}

function isPassword(value: string, certain: boolean): boolean {
  if (value.length < 4 || value.length > 256 || isStandIn(value) || isProse(value) || ENVIRONMENT_NAME.test(value)) return false;
  return certain || !isWordLike(value) || /\d/.test(value);
}

/** Longest argument that is passed over in brackets. */
const MOST_IN_BRACKETS = 120;

/** Start of the argument after the one at `from`, or -1. Only where the call leaves no doubt may it stand on another line. */
function pastArgument(scan: Scan, from: number, wraps: boolean): number {
  const { text } = scan;
  let at = pastBlank(text, from, 80, wraps);
  if (text.startsWith('new ', at)) at += 4;
  const literal = quotedValueAt(text, at);
  if (literal !== undefined) at = literal.end + 1;
  else while (at - from < 120 && isName(text.charCodeAt(at))) at += 1;
  const bracket = text.charCodeAt(at);
  if (bracket === 40 || bracket === 91 || bracket === 123) at = pastBrackets(text, at);
  // What closes a call that its trigger left open.
  else if (bracket === 41 && text.charCodeAt(at + 1) === 44) at += 1;
  return at > 0 && text.charCodeAt(at) === 44 ? pastBlank(text, at + 1, 400, wraps) : -1;
}

function pastBlank(text: string, from: number, most: number, wraps: boolean): number {
  let at = from;
  while (at - from < most && (isSpace(text.charCodeAt(at)) || (wraps && isBreak(text.charCodeAt(at))))) at += 1;
  return at;
}

/** Past the bracket that closes the one at `from`, or -1. */
function pastBrackets(text: string, from: number): number {
  let depth = 0;
  for (let at = from; at - from < MOST_IN_BRACKETS; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 40 || code === 91 || code === 123) depth += 1;
    else if (code === 41 || code === 93 || code === 125) depth -= 1;
    if (depth === 0) return at + 1;
  }
  return -1;
}

const isName = (code: number): boolean => isAlnum(code) || code === 46 || code === 95 || code === 36;

/** `btoa('user:password')`. */
const encodedPair: Rule = {
  triggers: ENCODERS,
  confirm(scan, _start, end, trigger) {
    const { text } = scan;
    const at = /[bu]/.test(text.charAt(end)) ? end + 1 : end;
    const value = quotedValueAt(text, at);
    if (value === undefined || value.end - value.start > 200) return;
    if (trigger === 'buffer.from(' && !/^.{0,12}\)\.toString\(["']base64/.test(text.slice(value.end + 1, value.end + 48))) return;
    const pair = LOGIN_PAIR.exec(text.slice(value.start, value.end));
    if (pair !== null && isPassword(pair[1] as string, false))
      scan.report('password', value.end - (pair[1] as string).length, value.end, 'low');
  },
};

/** A client class made of its key, alone or behind the name of an account: `AcmeClient("…")`, `acme.Client("user", "…")`. */
const clientOfKey: Rule = {
  triggers: ['client(', 'client.new('],
  confirm(scan, start, end) {
    const { text } = scan;
    if (text.charCodeAt(start) !== 67 || !isUpper(text.charCodeAt(scan.runStart(WORD, start, 60)))) return;
    const first = quotedValueAt(text, end);
    if (first === undefined) return;
    const next = isGeneratedKey(text, first.start, first.end) ? -1 : pastArgument(scan, end, false);
    const value = next < 0 ? first : quotedValueAt(text, next);
    if (value !== undefined && isGeneratedKey(text, value.start, value.end)) scan.report('secret', value.start, value.end, 'low');
  },
};

/** What chance made, of a token's characters alone; hexadecimal digits from the length of a digest, and no UUID, which names a client. */
function isGeneratedKey(text: string, start: number, end: number): boolean {
  if (end - start < SHORTEST_KEY || end - start > LONGEST_KEY) return false;
  const made = makeUpOf(text, start, end);
  if (made.digits < 2 || (made.hex ? made.length < SHORTEST_HEX_KEY : !looksRandom(made))) return false;
  const value = text.slice(start, end);
  return !UUID.test(value) && /^[\w.+/=-]+$/.test(value) && !isSequence(value) && !isLocation(value) && !/^(?:[\w-]+[./]){2}/.test(value);
}

/** PHP: `curl_setopt($c, CURLOPT_USERPWD, 'user:password')`. */
const pairOption: Rule = {
  triggers: ['curlopt_userpwd', 'curlopt_proxyuserpwd'],
  confirm(scan, _start, end) {
    const { text } = scan;
    const link = /^[ \t]{0,8}(?:,|=>)[ \t]{0,8}/.exec(text.slice(end, end + 20));
    const value = link === null ? undefined : quotedValueAt(text, end + link[0].length);
    const pair = value === undefined ? null : LOGIN_PAIR.exec(text.slice(value.start, Math.min(value.end, value.start + 200)));
    if (value === undefined || pair === null || !isPassword(pair[1] as string, false)) return;
    scan.report('password', value.end - (pair[1] as string).length, value.end, 'low');
  },
};

/** Objective-C: `setValue:@"value" forKey:@"password"`. */
const valueForKey: Rule = {
  triggers: [' forkey:@"'],
  confirm(scan, start, end) {
    const { text } = scan;
    const key = quotedValueAt(text, end - 1);
    if (key === undefined || key.end - key.start > 60 || text.charCodeAt(start - 1) !== 34) return;
    const strength = judgeName(text.slice(key.start, key.end)).strength;
    if (strength === 'none' || strength === 'weak') return;
    let open = start - 2;
    while (start - open < 200 && open > 0 && text.charCodeAt(open) !== 34 && text.charCodeAt(open) !== 10) open -= 1;
    if (text.charCodeAt(open) === 34 && isPassword(text.slice(open + 1, start - 1), strength === 'password'))
      scan.report(strength === 'password' ? 'password' : 'secret', open + 1, start - 1, 'low');
  },
};
