import { DIGIT, isAlnum, isDigit, isIn, isLower, isUpper, WORD } from './charset.js';
import { distinctCharacters } from './entropy.js';
import { readsAsWords } from './randomness.js';
import { BRACE, BRACKET, COLON, DOT, LETTER_X, marksOf, NO_WORD, PERCENT, STAR, VARIED } from './value-marks.js';

/**
 * Shapes that only look like values: references, templates, samples, types, paths. Redacting them
 * would invent defects in the code under review, so each rule that judges by context asks here
 * first.
 */

/** How a value begins, or is whole, that only says where another comes from, or what it looks like. */
const INDIRECT_HEADS: readonly string[] = [
  // Variables, macros and templates.
  String.raw`\${1,2}[({A-Za-z_]|'\$\{?\w+\}?'$|%[A-Za-z_][\w.-]*%$|%\(|%\{[A-Za-z]|#\{|@@|@[\w.-]+@$|@\{|\{\{|\{%|<%|<\?(?:php|=)`,
  String.raw`\{[\w.]+\([\w.]*\)\}|\x60.*\x60$|\{[A-Za-z0-9_.]*\}$|\{\$[A-Za-z_]|\{[A-Za-z]{1,12}: ?\w+\}$`,
  // Formats of printf.
  String.raw`%[-+]?\d*[sdvqxr@](?![0-9A-Za-z])|\w+=%[sdrv]`,
  // Tags of YAML, and the macros of configuration that look like them.
  String.raw`!\w+ |![A-Z][\w-]*:[!+-]?[A-Z]|![A-Z][A-Z0-9]{2,7}$`,
  // Names of places.
  String.raw`urn:[a-z]|arn:|data:|base64:[<$]|file:|vault:|env[:(]|secrets\.|ENC\[`,
  // Elements of markup, lists, symbols, options, emphasis.
  String.raw`<[A-Za-z_/!-][^>]*>?$|&lt;[^\n]*&gt;$|\[[^\]]*\]$|:[a-z_]+$|\?$|--[a-z]|\*[\w-]+\*$`,
  // Regular expressions.
  String.raw`\(\?[:=!<P]|\[[a-z]-z|\[A-Z|\[0-9|\(\.[+*]\)`,
];
const INDIRECT_HEAD = new RegExp(`^(?:${INDIRECT_HEADS.join('|')})`);
const CODE_REFERENCE =
  /^(?:process\.env|os\.(?:environ|getenv)|import\.meta|System\.(?:getenv|getProperty)|Environment\.|ENV\[|getenv|std::env|env::var|config\.|settings\.|self\.|this\.|props\.|req\.|ctx\.|var\.|local\.|module\.|data\.)/;
const SAMPLE_WORD =
  /example|sample|dummy|placeholder|change[-_ ]?me|changeit|your[-_ ]|^your[A-Z@]|^my[-_](?:password|secret|token|key)(?!:)|^my[-_][a-z\d_-]{1,40}[-_](?:password|secret|token|key)$|^my_?token\d?$|replace[-_ ]?(?:me|with|this)|redacted|insert[-_ ]|^(?:fixme|todo)|^__[A-Za-z]\w*__$|^(?:old|new)[-_]?passw(?:or)?d\d?$|not[-_ ]?set|\u2026/i;
/** Fillers and ellipses. */
const FILLER = /x{5}|X{5}|^\*{3}|\*{4}|\*{3}$|^\.{3}|\.{3}$/;
const LANGUAGE_WORDS = new Set(
  (
    'null nil ngmodel ngform none undefined true false yes no on off always never enable disable string str number int integer boolean bool byte bytes char any object ' +
    'unknown void required optional default auto empty invalid missing hidden masked password passwd pwd pass passphrase ' +
    'secret token key username userid apikey api_key credential credentials text varchar input type value field self this new await async ' +
    'function return static const let var final public private protected readonly and or not in is if else for of the a an ' +
    'to string[] option list array dict map basic bearer oauth oauth2 digest plain login disabled enabled prompt file files ' +
    'utf-8 utf8 utf-16 ascii latin1 base64 base64url base64urlnopad base32 hex binary compat systemd on_create env vault keychain md5 sha1 sha256 sha512 bcrypt hmac rsa aes ecdsa ed25519 hs256 rs256 es256'
  ).split(' '),
);
const LONGEST_LANGUAGE_WORD = Math.max(...[...LANGUAGE_WORDS].map((word) => word.length));
export const ENVIRONMENT_NAME = /^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$/;
export const UUID = /^[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}$/;
/** The time and what chance made, in the base 32 of Crockford. */
const ULID = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/;
const URL_OR_PATH =
  /^(?:[a-z][a-z0-9+.-]{1,20}:\/\/|\.{1,2}[/\\]|~[/\\]|[A-Za-z]:[/\\]|\/\/[A-Za-z]|\/(?:[\w.@-]+\/)*[\w.@-]*$|[A-Za-z@][\w@.-]*\/(?:[\w@.-]+\/)*[\w@.-]+\.[a-z][a-z0-9]{1,5}$)/;
/**
 * What a cloud calls its parts: a word and eight, sixteen or seventeen hexadecimal digits. What
 * Stripe calls its objects: the kind and fourteen or more.
 */
export const RESOURCE_ID =
  /^(?:[a-z]+(?:-[a-z]+)*-[0-9a-f]{8}(?:[0-9a-f]{8,9})?|(?:acct|card|ch|cus|dp|evt|in|ii|pi|pm|po|price|prod|promo|seti|si|sub|txn|we)_[A-Za-z0-9]{14,32})$/;
/** `",null],"`: what stands between two strings of JSON, taken for one. */
export const BETWEEN_STRINGS = /^[,\]}][\s\d,:[\]{}a-z]*[,:[{]\s*$/;
/** Heads of keys that their vendors let everybody see. */
export const PUBLISHABLE = /^(?:sb_publishable|pk_live)_/;
/** True for what is there to be seen: the id of a resource, a publishable key. */
export const isShown = (value: string): boolean => RESOURCE_ID.test(value) || PUBLISHABLE.test(value);
export const MIME_OR_VERSION = /^(?:[a-z]+\/[a-z0-9.+-]+$|[\^~>=<v]*\d+\.\d+(?:\.\d+)?[-+.\w]*$)/;
const DOTTED_NAMES = /^[A-Za-z_$][A-Za-z_$]*(?:(?:\.|::|->)[A-Za-z_$][\w$]*)+$/;

/** Enough of a value for every test here; a longer one is judged by its start. */
const JUDGED = 256;

/**
 * True for what stands for a value without being one: a variable, a template, a call, a sample, a
 * masked text, a language word.
 */
export function isStandIn(value: string): boolean {
  const head = value.length > JUDGED ? value.slice(0, JUDGED) : value;
  const marks = marksOf(head);
  return (
    ((marks & VARIED) === 0 && !DIGITS_IN_TURN.test(head)) ||
    ((!isIn(WORD, head.charCodeAt(0)) || (marks & (DOT | COLON | BRACKET | PERCENT)) !== 0) &&
      INDIRECT_HEAD.test(head) &&
      !isDollarPassword(head)) ||
    ((marks & BRACE) !== 0 && holdsReference(head)) ||
    (((marks & (DOT | COLON | BRACKET)) !== 0 || head.startsWith('getenv')) && CODE_REFERENCE.test(head)) ||
    ((marks & (LETTER_X | STAR | DOT)) !== 0 && FILLER.test(head)) ||
    ((marks & NO_WORD) === 0 && head.length <= LONGEST_LANGUAGE_WORD && LANGUAGE_WORDS.has(head.toLowerCase())) ||
    ((marks & PERCENT) !== 0 && isPrintfFormat(head)) ||
    SAMPLE_WORD.test(head)
  );
}

/** `121212`: two characters in turn stand for nothing, but people take these for a password. */
const DIGITS_IN_TURN = /^(\d)(?!\1)(\d)(?:\1\2){1,4}$/;

/**
 * `$MeadowCobalt75`: capitals, and a number at the end, as no variable has them that is not named
 * for what it holds.
 */
const DOLLAR_AND_WORDS = /^\$(?:[A-Z][a-z]{2,12}){2,3}\d{2,4}$/;
const NAMED_FOR_IT =
  /pass|pwd|secret|key|token|cred|user|admin|name|value|host|server|data|service|account|var|param|file|path|env/i;

const isDollarPassword = (value: string): boolean => DOLLAR_AND_WORDS.test(value) && !NAMED_FOR_IT.test(value);

/** Words round the field of a format: `prefix_{}`, `{0}-key`. */
const FORMAT_FIELD = /^[\w.-]*\{\d?\}[\w.-]*$/;

/**
 * `${name}` or `{{ name }}` in a value, perhaps cut off by a quote of its own. Where brackets do
 * not pair, chance put the marks there.
 */
function holdsReference(value: string): boolean {
  if (FORMAT_FIELD.test(value)) return true;
  for (let at = 0; at < value.length - 1; at += 1) {
    const isMark = value.charCodeAt(at + 1) === 123 && (value.charCodeAt(at) === 36 || value.charCodeAt(at) === 123);
    if (isMark && (/[\s"'`]/.test(value) || bracketsPair(value, at))) return true;
  }
  return false;
}

const CLOSER = new Map([
  ['{', '}'],
  ['(', ')'],
  ['[', ']'],
]);

/** False when a bracket opened from `from` on meets the closer of another kind before the first is closed. */
function bracketsPair(value: string, from: number): boolean {
  const open: string[] = [];
  for (let at = from; at < value.length; at += 1) {
    const character = value.charAt(at);
    const closer = CLOSER.get(character);
    if (closer !== undefined) open.push(closer);
    else if (character === ')' || character === ']' || character === '}') {
      if (open.pop() !== character) return false;
      if (open.length === 0) return true;
    }
  }
  return true;
}

function isPrintfFormat(value: string): boolean {
  return value.length <= 12 && /^[^A-Za-z0-9]*%[-+]?\d*(?:\.\d+)?[a-zA-Z][^A-Za-z0-9]*$/.test(value);
}

/** True for values that carry no secret in a weak context: identifiers, hashes, UUIDs, paths, URLs, versions, prose. */
export function isOrdinary(value: string): boolean {
  return (
    ENVIRONMENT_NAME.test(value) ||
    UUID.test(value) ||
    ULID.test(value) ||
    isLocation(value) ||
    MIME_OR_VERSION.test(value) ||
    DOTTED_NAMES.test(value) ||
    isPlainHash(value) ||
    isSequence(value) ||
    isProse(value)
  );
}

/** True for a path or a URL. A base64 text that starts with a slash is neither. */
export function isLocation(value: string): boolean {
  if (!value.includes('/') && !value.includes('\\')) return false;
  if (!URL_OR_PATH.test(value.slice(0, JUDGED))) return false;
  return !(value.charCodeAt(0) === 47 && value.length >= 20 && value.indexOf('.') < 0 && hasDigitAndBothCases(value));
}

export function hasDigitAndBothCases(value: string): boolean {
  let digit = false;
  let upper = false;
  let lower = false;
  for (let i = 0; i < value.length && i < JUDGED; i += 1) {
    const code = value.charCodeAt(i);
    digit ||= isDigit(code);
    upper ||= isUpper(code);
    lower ||= isLower(code);
  }
  return digit && upper && lower;
}

/** Hex of a digest's length: MD5, SHA-1, SHA-224, SHA-256, SHA-384, SHA-512. */
function isPlainHash(value: string): boolean {
  return (
    (value.length === 32 ||
      value.length === 40 ||
      value.length === 56 ||
      value.length === 64 ||
      value.length === 96 ||
      value.length === 128) &&
    /^(?:[0-9a-f]+|[0-9A-F]+)$/.test(value)
  );
}

/** Chance repeats a character long before; of the letters of one case a little before. */
const SHORTEST_ALPHABET = 32;
const LETTERS_OF_ONE_CASE = /^(?:[a-z]{24,26}|[A-Z]{24,26})$/;

/** Bytes that count up: what tests of ciphers have for keys. */
const COUNTED_BYTES = /^(?:(?:0x)?0{0,2}0102030405060708|6061626364656667|a0a1a2a3a4a5a6a7)[\da-f]*$/i;

/** Alphabets and counts: `abcdefgh`, `0123456789`, and those in another order, which have no character twice. */
export function isSequence(value: string): boolean {
  const mayBeAlphabet = (value.length >= SHORTEST_ALPHABET && value.length <= 128) || LETTERS_OF_ONE_CASE.test(value);
  if (mayBeAlphabet && distinctCharacters(value) === value.length) return true;
  if (COUNTED_BYTES.test(value)) return true;
  let ascending = 1;
  for (let i = 1; i < value.length && i < JUDGED; i += 1) {
    ascending = value.charCodeAt(i) === value.charCodeAt(i - 1) + 1 ? ascending + 1 : 1;
    if (ascending >= 7) return true;
  }
  return false;
}

/**
 * A word of any language, with the marks of a sentence round it; a mark by itself, as some
 * languages set it; an address.
 */
const WORD_OF_PROSE =
  /^(?:[("'\u00a1\u00ab\u00bf\u201c\u201e\p{L}][\p{L}\p{M}'\u2019-]*(?:[)".,:;!?\u00bb\u201d][)"'.,:;!?\u00bb\u201d]*)?|[:;!?\u2013\u2014]|[a-z]+:\/\/\S+)$/u;
/**
 * Scripts without capitals, most of them without spaces: nobody types a password in them, but
 * translations of its name are written so.
 */
const OTHER_SCRIPT = /[\u0590-\u1cff\u3040-\u9fff\uac00-\ud7af]{3}/;
/** Numbers in a text so long are no part of a password. */
const LONG_TEXT = 24;
/** `Parola:`, the label of a field of a form. */
const LABEL = /^[\p{L}\p{M}'\u2019-]{3,40}:$/u;

/** Words with spaces between them, most without digits; text in a script of its own; the label of a field. */
export function isProse(value: string): boolean {
  if (!value.includes(' ')) return (value.endsWith(':') && LABEL.test(value)) || isInOtherScript(value);
  const words = value.slice(0, JUDGED).replaceAll("\\'", "'").split(' ');
  const plain = words.filter((word) => WORD_OF_PROSE.test(word)).length;
  return (words.length >= 2 && plain * 3 >= words.length * 2) || isInOtherScript(value);
}

function isInOtherScript(value: string): boolean {
  return OTHER_SCRIPT.test(value) && (value.length >= LONG_TEXT || !/\d/.test(value));
}

/**
 * Letters joined by single separators. Each character can be read in one way only: a choice between
 * words in a row would backtrack exponentially.
 */
const WORDS = /^(?=[A-Za-z]{0,2}[a-z]{2}|[A-Z]{2})[A-Za-z]+(?:[-_. :][A-Za-z]+)*\d{0,2}$/;

/**
 * True for one or more words in snake, kebab, dotted or camel case with nothing that a generator
 * would put between them.
 */
export function isWordLike(value: string): boolean {
  if (value.length > 60) return false;
  const words = caseChanges(value) + 1;
  return (
    WORDS.test(value) &&
    (words <= Math.max(1, value.length / (value.length < 16 ? 4 : 6)) ||
      (words * 4 <= value.length && readsAsWords(value)))
  );
}

function caseChanges(value: string): number {
  let changes = 0;
  for (let i = 1; i < value.length; i += 1) {
    if (isLower(value.charCodeAt(i - 1)) && isUpper(value.charCodeAt(i))) changes += 1;
  }
  return changes;
}

/** True when letters and digits mix as in a generated token; a single number at the end of a word does not count. */
export function mixesDigits(value: string, start = 0, end = value.length): boolean {
  let digits = 0;
  let letters = 0;
  for (let i = start; i < end && i < start + JUDGED; i += 1) {
    const code = value.charCodeAt(i);
    if (isIn(DIGIT, code)) digits += 1;
    else if (isAlnum(code)) letters += 1;
  }
  return digits > 0 && letters > 0;
}
