import { hasDigitAndBothCases } from '../../lexicon/benign-values.js';
import { isAlnum, isDigit } from '../../lexicon/charset.js';
import type { KeyStrength } from '../../lexicon/key-names.js';
import { withoutPlaceholders } from '../../lexicon/placeholder.js';
import type { Scan } from '../rule.js';
import { isSecretValue, type ValueContext } from './assigned-values.js';
import type { NameInText } from './judged-names.js';
import type { Link } from './link.js';

/** A name that a value belongs to, and what it says about it. */
export interface Key {
  start: number;
  end: number;
  strength: KeyStrength;
}

/** The rule that a value under a name of this strength is reported by. */
export const RULE_BY_STRENGTH: Readonly<Record<KeyStrength, string>> = {
  password: 'password',
  secret: 'secret',
  key: 'key',
  weak: 'secret',
  vendor: 'secret',
  none: 'secret',
};

/** Reports the value that the pieces in `spans` make up if it is a secret of its key; returns its end, or 0. */
export function reportIfSecret(scan: Scan, key: Key, spans: number[], context: ValueContext): number {
  let value = scan.text.slice(spans[0], spans[1]);
  for (let i = 2; i < spans.length; i += 2) value += scan.text.slice(spans[i], spans[i + 1]);
  if ((key.strength === 'weak' || key.strength === 'vendor') && !mayBeGenerated(value)) return 0;
  const isSecret =
    isJudgedSecret(scan, withoutPlaceholders(value), key.strength, context) ||
    isPassphrase(scan.text, key, value, context) ||
    isPairs(scan.text, key, value) ||
    (key.strength === 'secret' && NUMBERS.test(value));
  if (!isSecret && spans.length === 2) {
    const [start, end] = spans as [number, number];
    const from = passwordOfLogin(scan, key, start, end, context);
    if (from > 0) scan.report('password', from, end, 'low');
    return from > 0 ? end : 0;
  }
  if (!isSecret) return 0;
  if (repeatsName(scan.text, key, value)) return 0;
  const end = spans[spans.length - 1] as number;
  if (spans.length === 2) scan.report(RULE_BY_STRENGTH[key.strength], spans[0] as number, end, 'low');
  else scan.reportSpans(RULE_BY_STRENGTH[key.strength], spans, 'low');
  return end;
}

/** Minimum length, in characters, of a value under a weakly suspicious key. */
const MIN_LENGTH_UNDER_WEAK_NAME = 12;

/** The quick way out for such a value, as most are: it is no shorter, and holds a digit or nothing but letters. */
function mayBeGenerated(value: string): boolean {
  if (value.length < MIN_LENGTH_UNDER_WEAK_NAME) return false;
  let letters = 0;
  for (let i = 0; i < value.length; i += 1) {
    const code = value.charCodeAt(i);
    if (isDigit(code)) return true;
    if (isAlnum(code)) letters += 1;
  }
  return letters === value.length;
}

/**
 * Small words with spaces between them, as a passphrase has them; a sentence about one says what is
 * to be done with it.
 */
const SMALL_WORDS = /^[a-z]{2,16}(?: [a-z]{1,16}){2,9}$/;
const ABOUT_ONE =
  /\b(?:your|you|enter|must|please|optional|required|invalid|used|passphrase|password|protect\w*|encrypt\w*|decrypt\w*|unlock|private|key|file)\b/;

/** Under this name, and no other, words are what a secret is made of. */
function isPassphrase(text: string, key: Key, value: string, context: ValueContext): boolean {
  if (!context.quoted || context.loose || !value.includes(' ') || !/passphrase$/i.test(text.slice(key.start, key.end)))
    return false;
  return SMALL_WORDS.test(value) && !ABOUT_ONE.test(value);
}

/** `2b 7e 15 16`, `2b:7e:15:16`. */
const PAIRS = /^[\da-f]{2}(?:([ :-])[\da-f]{2})(?:\1[\da-f]{2}){6,62}$/i;
/** Adjust gives out its secret as four numbers, with that of its version before them. */
const NUMBERS = /^(?:\d{1,4}, ?)?\d{6,10}(?:, ?\d{6,10}){3}$/;
/** The fingerprint of such a key is written so, too. */
const FINGERPRINTED = /ssh|host|pub|cert|finger|sha|md5|ident|sign/i;

/** Bytes in hexadecimal, with a mark between them. */
function isPairs(text: string, key: Key, value: string): boolean {
  if (key.strength === 'weak' || key.strength === 'vendor' || !PAIRS.test(value)) return false;
  return (
    new Set(value.toLowerCase().split(value.charAt(2))).size >= 6 && !FINGERPRINTED.test(text.slice(key.start, key.end))
  );
}

/** `ann:value` under `auth`: the name's own user and password. */
const LOGIN_NAME = /(?:auth|creds?|credentials?|userpwd|login)$/i;
const LOGIN = /^[A-Za-z][\w.@-]{1,39}:([^\s:/]{8,64})$/;

/** Where the password of a login starts that stands under a name for both; 0 where none does. */
function passwordOfLogin(scan: Scan, key: Key, start: number, end: number, context: ValueContext): number {
  if (key.strength !== 'weak' || context.loose || !LOGIN_NAME.test(scan.text.slice(key.start, key.end))) return 0;
  const password = LOGIN.exec(scan.text.slice(start, end))?.[1];
  if (password === undefined || !hasDigitAndBothCases(password)) return 0;
  return isJudgedSecret(scan, password, 'password', context) ? end - password.length : 0;
}

const HEX_VALUE =
  /@?\\{0,3}["'`]?(?:[0-9a-f]{32,128}|[0-9A-F]{32,128}|[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12})(?![\w-])/y;

/** Kaggle's pair, and others': next to a user name, `key` is the secret of that user. */
const BESIDE_USER = /user_?name["']?\s{0,4}[:=]\s{0,4}["'][^"'\n]{1,60}["'],?\s{1,40}["']?key["']?\s{0,4}[:=]\s{0,4}$/;
const USER_REACH = 160;

/**
 * True for hexadecimal digits, as many as digests have, and for a UUID, that are called a token and
 * nothing else, or somebody's key.
 */
export function isHexToken(text: string, { name, isToken }: NameInText, link: Link | undefined): boolean {
  if (link === undefined || link.kind === 'call' || link.kind === 'comma') return false;
  if (!isToken && name !== 'key') return false;
  HEX_VALUE.lastIndex = link.valueAt;
  if (!HEX_VALUE.test(text)) return false;
  return isToken || BESIDE_USER.test(text.slice(Math.max(0, link.valueAt - USER_REACH), link.valueAt));
}

/** A value, how it was judged, and the answer. */
interface Judgement {
  value: string;
  strength: KeyStrength;
  context: number;
  isSecret: boolean;
}

const firstJudgement = (): Judgement => ({ value: '', strength: 'none', context: -1, isSecret: false });

/** The same value under the same kind of name comes again and again in generated texts, and is judged once in a row. */
function isJudgedSecret(scan: Scan, value: string, strength: KeyStrength, context: ValueContext): boolean {
  const last = scan.memo(firstJudgement, firstJudgement);
  const bits =
    (context.quoted ? 1 : 0) + (context.loose ? 2 : 0) + (context.config ? 4 : 0) + (context.generated ? 8 : 0);
  if (last.context !== bits || last.strength !== strength || last.value !== value) {
    last.isSecret = isSecretValue(value, strength, context);
    last.value = value;
    last.strength = strength;
    last.context = bits;
  }
  return last.isSecret;
}

/** `KPSK = "kPSK"`: a constant that holds its own name. */
function repeatsName(text: string, key: Key, value: string): boolean {
  if (value.length > 40 || value.length > key.end - key.start + 4) return false;
  const folded = value.toLowerCase().replace(/[^a-z0-9]/g, '');
  return (
    folded.length >= 3 &&
    text
      .slice(key.start, key.end)
      .toLowerCase()
      .replace(/[^a-z0-9]/g, '')
      .includes(folded)
  );
}
