import { judgeName } from '../../grammar/assignments/judged-names.js';
import { pastArgument } from '../../grammar/call-arguments.js';
import { isCodeLiteral } from '../../grammar/code-literals.js';
import { pastPrefix } from '../../grammar/literals.js';
import { quotedValueAt } from '../../grammar/quoted-values.js';
import type { Rule, Scan } from '../../grammar/rule.js';
import {
  ENVIRONMENT_NAME,
  isLocation,
  isProse,
  isSequence,
  isStandIn,
  isWordLike,
  UUID,
} from '../../lexicon/benign-values.js';
import { type CallWithSecret, KEYED, LOGINS } from '../../lexicon/calls-with-secrets.js';
import { isUpper, WORD } from '../../lexicon/charset.js';
import { isPhrase } from '../../lexicon/phrases.js';
import { looksRandom, makeUpOf } from '../../lexicon/randomness.js';

const SIGNING = new Set(KEYED);
const CALLS_BY_TRIGGER = new Map<string, CallWithSecret[]>();
for (const call of [...LOGINS, ...KEYED])
  CALLS_BY_TRIGGER.set(call[0], [...(CALLS_BY_TRIGGER.get(call[0]) ?? []), call]);

/** Calls that encode `user:password` for a header. */
const ENCODERS = [
  'btoa(',
  'b64encode(',
  'base64.encode(',
  'base64_encode(',
  'encode_base64(',
  'mime.b64(',
  'buffer.from(',
];
const SHORTEST_KEY = 20;
const SHORTEST_HEX_KEY = 32;
const LONGEST_KEY = 200;
const LOGIN_PAIR = /^[\w.@+-]{1,64}:(?!\/\/)([^\s:"'`]{4,128})$/;

/** Calls whose argument by its place is a password, whatever the others are. */
export function credentialCallRules(): Rule[] {
  return [
    login,
    directoryBind,
    charactersOf,
    encodedPair,
    pairOption,
    valueForKey,
    valueOfNamed,
    clientOfKey,
    provider,
  ];
}

const login: Rule = {
  triggers: [...CALLS_BY_TRIGGER.keys()],
  confirm(scan, start, end, trigger) {
    // `.login(`, `->login(`; a function of that name is one's own.
    if (trigger === 'login(' && !'.>'.includes(scan.text.charAt(start - 1))) return;
    for (const call of CALLS_BY_TRIGGER.get(trigger) ?? []) confirmCall(scan, end, call);
  },
};

function confirmCall(scan: Scan, end: number, call: CallWithSecret): void {
  const { text } = scan;
  const [, before, certain] = call;
  let at = end;
  for (let skipped = 0; skipped < before && at >= 0; skipped += 1) at = pastArgument(text, at, certain);
  const value = at < 0 ? undefined : quotedValueAt(text, pastPrefix(text, at));
  if (value === undefined) return;
  const isKey = SIGNING.has(call);
  const content = text.slice(value.start, value.end);
  if (isKey ? isSigningKey(content) : isPassword(content, certain))
    scan.report(isKey ? 'secret' : 'password', value.start, value.end, 'low');
}

/** Tests sign with a word; the name of an algorithm may stand in a key's place. */
function isSigningKey(value: string): boolean {
  return (
    value.length >= 8 &&
    isPassword(value, false) &&
    !/^(?:[a-z]{2,6}-?\d{1,4}|[a-z-]+)$/i.test(value) &&
    !isLocation(value)
  );
}

function isPassword(value: string, certain: boolean): boolean {
  if (
    value.length < 4 ||
    value.length > 256 ||
    isStandIn(value) ||
    ENVIRONMENT_NAME.test(value) ||
    isCodeLiteral(value)
  )
    return false;
  if (isPhrase(value)) return true;
  if (isProse(value)) return false;
  return certain || ((!isWordLike(value) || /\d/.test(value)) && !UUID.test(value));
}

/** LDAP: `bind("cn=admin,dc=example", "password")`. Functions are bound to other things. */
const directoryBind: Rule = {
  triggers: ['.bind('],
  confirm(scan, _start, end) {
    const { text } = scan;
    if (!/^["'](?:cn|uid)=/.test(text.slice(end, end + 5))) return;
    const at = pastArgument(text, end, true);
    const value = at < 0 ? undefined : quotedValueAt(text, at);
    if (value !== undefined && isPassword(text.slice(value.start, value.end), true))
      scan.report('password', value.start, value.end, 'low');
  },
};

/** Java reads a key store with the characters of its password: `keys.load(in, "password".toCharArray())`. */
const CHARACTERS_FOR =
  /(?:\.(?:load|store|getKey|init|setKeyEntry)|PasswordProtection)\((?:(?:"[^"\n]{0,40}"|[^()"\n,]{1,60}),\s{0,2}){0,3}$/;
const LONGEST_LITERAL = 100;

const charactersOf: Rule = {
  triggers: ['".tochararray()'],
  confirm(scan, start) {
    const { text } = scan;
    const from = Math.max(0, start - LONGEST_LITERAL);
    const open = from + text.slice(from, start).lastIndexOf('"');
    if (open < from || !CHARACTERS_FOR.test(text.slice(Math.max(0, open - 140), open))) return;
    if (isPassword(text.slice(open + 1, start), true)) scan.report('password', open + 1, start, 'low');
  },
};

/** `btoa('user:password')`. */
const encodedPair: Rule = {
  triggers: ENCODERS,
  confirm(scan, _start, end, trigger) {
    const { text } = scan;
    const at = /[bu]/.test(text.charAt(end)) ? end + 1 : end;
    const value = quotedValueAt(text, at);
    if (value === undefined || value.end - value.start > 200) return;
    if (
      trigger === 'buffer.from(' &&
      !/^.{0,12}\)\.toString\(["']base64/.test(text.slice(value.end + 1, value.end + 48))
    )
      return;
    const pair = LOGIN_PAIR.exec(text.slice(value.start, value.end));
    if (pair !== null && isPassword(pair[1] as string, false))
      scan.report('password', value.end - (pair[1] as string).length, value.end, 'low');
  },
};

/**
 * A client class made of its key, alone or behind the name of an account: `AcmeClient("…")`,
 * `acme.Client("user", "…")`.
 */
const clientOfKey: Rule = {
  triggers: ['client(', 'client.new('],
  confirm(scan, start, end) {
    const { text } = scan;
    if (text.charCodeAt(start) !== 67 || !isUpper(text.charCodeAt(scan.runStart(WORD, start, 60)))) return;
    const first = quotedValueAt(text, end);
    if (first === undefined) return;
    const next = isGeneratedKey(text, first.start, first.end) ? -1 : pastArgument(text, end, false);
    const value = next < 0 ? first : quotedValueAt(text, next);
    if (value !== undefined && isGeneratedKey(text, value.start, value.end))
      scan.report('secret', value.start, value.end, 'low');
  },
};

/**
 * What chance made, of a token's characters alone; hexadecimal digits from the length of a digest,
 * and no UUID, which names a client.
 */
function isGeneratedKey(text: string, start: number, end: number): boolean {
  if (end - start < SHORTEST_KEY || end - start > LONGEST_KEY) return false;
  const made = makeUpOf(text, start, end);
  if (made.digits < 2 || (made.hex ? made.length < SHORTEST_HEX_KEY : !looksRandom(made))) return false;
  const value = text.slice(start, end);
  return (
    !UUID.test(value) &&
    /^[\w.+/=-]+$/.test(value) &&
    !isSequence(value) &&
    !isLocation(value) &&
    !/^(?:[\w-]+[./]){2}/.test(value)
  );
}

/** OmniAuth: `provider :github, 'id', 'secret'`. */
const PROVIDER_ID = /^\w{1,40}, ?(["'])[^"'\n]{1,100}\1, ?/;

const provider: Rule = {
  triggers: ['provider :'],
  confirm(scan, _start, end) {
    const { text } = scan;
    const id = PROVIDER_ID.exec(text.slice(end, end + 160));
    const value = id === null ? undefined : quotedValueAt(text, end + id[0].length);
    if (value !== undefined && isGeneratedKey(text, value.start, value.end))
      scan.report('secret', value.start, value.end, 'low');
  },
};

/** PHP: `curl_setopt($c, CURLOPT_USERPWD, 'user:password')`. */
const pairOption: Rule = {
  triggers: ['curlopt_userpwd', 'curlopt_proxyuserpwd'],
  confirm(scan, _start, end) {
    const { text } = scan;
    const link = /^[ \t]{0,8}(?:,|=>)[ \t]{0,8}/.exec(text.slice(end, end + 20));
    const value = link === null ? undefined : quotedValueAt(text, end + link[0].length);
    const pair =
      value === undefined ? null : LOGIN_PAIR.exec(text.slice(value.start, Math.min(value.end, value.start + 200)));
    if (value === undefined || pair === null || !isPassword(pair[1] as string, false)) return;
    scan.report('password', value.end - (pair[1] as string).length, value.end, 'low');
  },
};

/** Objective-C: `setValue:@"value" forKey:@"password"`, `forHTTPHeaderField:@"X-Api-Key"`. */
const valueForKey: Rule = {
  triggers: [' forkey:@"', ' forhttpheaderfield:@"'],
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

/** A parameter by its name: `ParamByName('password').AsString := 'value'`, `.Parameters["@pwd"].Value = "value"`. */
const valueOfNamed: Rule = {
  triggers: [').asstring', ').value', '].value'],
  confirm(scan, start, end) {
    const { text } = scan;
    const named = /["']@?([\w.-]{1,60})["']$/.exec(text.slice(Math.max(0, start - 64), start));
    const link = /^ {0,4}:?= {0,4}/.exec(text.slice(end, end + 12));
    if (named === null || link === null) return;
    const strength = judgeName(named[1] as string).strength;
    const value =
      strength === 'password' || strength === 'secret' ? quotedValueAt(text, end + link[0].length) : undefined;
    if (value !== undefined && isPassword(text.slice(value.start, value.end), strength === 'password'))
      scan.report(strength === 'password' ? 'password' : 'secret', value.start, value.end, 'low');
  },
};
