import { ENVIRONMENT_NAME, isLocation, isProse, isSequence, isStandIn, isWordLike, UUID } from '../benign-values.js';
import { isAlnum, isSpace, isUpper, WORD } from '../charset.js';
import { quotedValueAt } from '../quoted-values.js';
import { looksRandom, makeUpOf } from '../randomness.js';
import type { Rule, Scan } from '../rule.js';
import { judgeName } from './judged-names.js';

/** Calls with a password among their arguments: how many stand before it, and whether nothing but a password may stand there. */
const CALLS: readonly (readonly [trigger: string, before: number, certain: boolean])[] = [
  ['.login(', 1, false],
  ['credential(', 1, false],
  ['credentials(', 1, false],
  ['basicauth(', 1, false],
  ['setbasicauth(', 1, true],
  ['networkcredential(', 1, true],
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
];
const CALL_BY_TRIGGER = new Map(CALLS.map((call) => [call[0], call] as const));

/** Calls that encode `user:password` for a header. */
const ENCODERS = ['btoa(', 'b64encode(', 'base64.encode(', 'base64_encode(', 'encode_base64(', 'buffer.from('];
const SHORTEST_KEY = 20;
const SHORTEST_HEX_KEY = 32;
const LONGEST_KEY = 200;
const LOGIN_PAIR = /^[\w.@+-]{1,64}:(?!\/\/)([^\s:"'`]{4,128})$/;

/** Calls whose argument by its place is a password, whatever the others are. */
export function credentialCallRules(): Rule[] {
  return [login, encodedPair, valueForKey, clientOfKey];
}

const login: Rule = {
  triggers: CALLS.map(([trigger]) => trigger),
  confirm(scan, _start, end, trigger) {
    const [, before, certain] = CALL_BY_TRIGGER.get(trigger) as (typeof CALLS)[number];
    let at = end;
    for (let skipped = 0; skipped < before && at >= 0; skipped += 1) at = pastArgument(scan, at);
    const value = at < 0 ? undefined : quotedValueAt(scan.text, at);
    if (value !== undefined && isPassword(scan.text.slice(value.start, value.end), certain))
      scan.report('password', value.start, value.end, 'low');
  },
};

function isPassword(value: string, certain: boolean): boolean {
  if (value.length < 4 || value.length > 256 || isStandIn(value) || isProse(value) || ENVIRONMENT_NAME.test(value)) return false;
  return certain || !isWordLike(value) || /\d/.test(value);
}

/** Start of the argument after the one at `from`, or -1. */
function pastArgument(scan: Scan, from: number): number {
  const { text } = scan;
  let at = from;
  while (isSpace(text.charCodeAt(at)) && at - from < 40) at += 1;
  const literal = quotedValueAt(text, at);
  if (literal !== undefined) at = literal.end + 1;
  else while (at - from < 80 && isName(text.charCodeAt(at))) at += 1;
  if (text.charCodeAt(at) !== 44) return -1;
  at += 1;
  while (isSpace(text.charCodeAt(at)) && at - from < 400) at += 1;
  return at;
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
    const next = isGeneratedKey(text, first.start, first.end) ? -1 : pastArgument(scan, end);
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
