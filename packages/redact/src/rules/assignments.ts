import { mixesDigits } from '../benign-values.js';
import { BARE_VALUE, IDENTIFIER, isSpace } from '../charset.js';
import { withoutPlaceholders } from '../placeholder.js';
import type { ResolvedPolicy } from '../policy.js';
import { quotedValueAt } from '../quoted-values.js';
import type { Rule, Scan } from '../rule.js';
import { isSecretValue, type ValueContext } from './assigned-values.js';
import { bareValueAt } from './bare-values.js';
import { isAboutSecret, type KeyStrength, strengthOfKey } from './key-names.js';
import { VENDOR_NAMES } from './vendor-names.js';

const KEY_WORDS = [
  'pass',
  'pwd',
  'pswd',
  'psw',
  'secret',
  'token',
  'key',
  'auth',
  'cred',
  'session',
  'sessid',
  'signature',
  'sig',
  'kennwort',
  'contrase',
  'senha',
  'jwt',
  'csrf',
];
/** Longest rest of an identifier after the key word, and longest identifier. */
const MAX_TAIL = 48;
const MAX_NAME = 100;

const RULE_BY_STRENGTH: Readonly<Record<KeyStrength, string>> = {
  password: 'password',
  secret: 'secret',
  key: 'key',
  weak: 'secret',
  none: 'secret',
};

/** What may stand between a key and its value: closing quotes and brackets, an array bound, then a link. Every part is bounded. */
const LINK =
  /((?:\\{0,7}["'`]|[\])]){0,4})(\[\d{0,6}\])?[ \t]{0,40}(===?|!==?|::?=|\?\?=|\|\|=|[?.+]=|=>|->|=|:-|:(?!:)|,|\(|\|\||\?\?|>)[ \t]{0,40}/y;
/** `: string = `, `String = `: a type between name and value. */
const TYPE_THEN_EQUALS =
  /(?:&(?:'[a-z]{1,12} )?(?:mut )?)?[A-Za-z_][\w.]{0,40}(?:<[\w, .?]{0,40}>)?[?!*&]{0,2}(?:\[\])?(?: \| (?:null|undefined|None))?(?:[ \t]{1,8}=(?![=>])[ \t]{0,8}|=(?=["'`]))/y;
const SPACED_TYPE = /[ \t]{1,8}\*?[A-Za-z][\w.]{0,30}[ \t]{1,8}:?=[ \t]{0,8}/y;
/** `name: DB_PASSWORD` with its `value:` beside it or on the next line, in YAML, JSON and XML. */
const NAME_THEN_VALUE =
  /(?:\\{0,3}["'])?[ \t]{0,8},?[ \t]{0,8}(?:\r?\n[-+ ]?[ \t]{0,40})?(?:\\{0,3}["'])?(?:value|default)(?:\\{0,3}["'])?[ \t]{0,8}[:=][ \t]{0,8}/iy;
const SPACE_THEN_QUOTE = /["'\])]{0,2}[ \t]{1,8}(?=\\{0,7}["'])/y;
/** A prefix of a literal or a wrapper that hands it on unchanged. */
const LITERAL_PREFIX =
  /(?:[rRbBuUfFLlNE@$]{1,2}(?=["'`])|(?:new )?(?:String|str|SecretStr|Secret|SecureString|GuardedString|Some|Optional\.of|Password|bytes|bytearray|\[\]byte|String::from|std::string|Buffer\.from|TEXT|_T|@)\((?=["']))/y;
const READER =
  /^(?:get|has|is|find|load|read|fetch|check|validate|verify|parse|match|test|describe|it|require|import|remove|delete|lookup|generate|create|resolve|ensure|on|encrypt|decrypt|hash|mask|render|expect|assert|should|use|to|from|contains|include)/i;

const VENDOR_NAME = new RegExp(VENDOR_NAMES.join('|'), 'i');

interface Memory {
  keyEnd: number;
  coveredTo: number;
}

/** Values assigned to, compared with or passed under a name that says secret (RED-3), in code, configuration, headers and queries. */
export function assignmentRules(policy: ResolvedPolicy): Rule[] {
  const rule: Rule = {
    triggers: policy.strict ? [...KEY_WORDS, ...VENDOR_NAMES] : KEY_WORDS,
    confirm(scan, start, end) {
      const memory = scan.memo(rule, (): Memory => ({ keyEnd: -1, coveredTo: 0 }));
      if (start < memory.coveredTo) return;
      const keyEnd = scan.runEnd(IDENTIFIER, end);
      if (keyEnd === memory.keyEnd || keyEnd - end > MAX_TAIL) return;
      memory.keyEnd = keyEnd;
      memory.coveredTo = Math.max(memory.coveredTo, confirmKey(scan, start, keyEnd));
    },
  };
  return [rule, identifiedBy];
}

interface Key {
  start: number;
  end: number;
  strength: KeyStrength;
}

/** Returns the end of the value reported, or 0. */
function confirmKey(scan: Scan, triggerStart: number, keyEnd: number): number {
  const { text } = scan;
  let start = scan.runStart(IDENTIFIER, triggerStart, MAX_NAME);
  if (text.charCodeAt(start - 1) === 92 && 'nrt'.includes(text.charAt(start))) start += 1;
  if (keyEnd - start >= MAX_NAME) return 0;
  const end = trimTail(text, keyEnd);
  const strength = strengthIn(scan, text.slice(start, end));
  if (strength === 'none') return 0;
  return confirmLink(scan, { start, end, strength });
}

/** Under the strict pack a weak name counts as a strong one, and a vendor's name as a weak one. */
function strengthIn(scan: Scan, name: string): KeyStrength {
  const strength = strengthOfKey(name);
  if (!scan.policy.strict) return strength;
  if (strength === 'weak') return 'secret';
  return strength === 'none' && name.length < 40 && VENDOR_NAME.test(name) && !isAboutSecret(name) ? 'weak' : strength;
}

function trimTail(text: string, keyEnd: number): number {
  let end = keyEnd;
  while (text.charCodeAt(end - 1) === 45 || text.charCodeAt(end - 1) === 46) end -= 1;
  return end;
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

function confirmLink(scan: Scan, key: Key): number {
  const { text } = scan;
  if (matchAt(NAME_THEN_VALUE, text, key.end) !== null) return confirmValue(scan, key, NAME_THEN_VALUE.lastIndex, ':', false);
  if (isLongOption(text, key.start) && isSpace(text.charCodeAt(key.end)))
    return confirmValue(scan, key, skipSpaces(text, key.end), '--', false);
  const link = matchAt(LINK, text, key.end);
  if (link === null) {
    if (matchAt(SPACED_TYPE, text, key.end) !== null) return confirmValue(scan, key, SPACED_TYPE.lastIndex, '=', false);
    return matchAt(SPACE_THEN_QUOTE, text, key.end) === null ? 0 : confirmValue(scan, key, SPACE_THEN_QUOTE.lastIndex, ' ', false);
  }
  const valueAt = LINK.lastIndex;
  const closing = link[1] as string;
  const operator = link[3] as string;
  if (operator === '>') return isTag(text, key.start, closing) ? confirmElement(scan, key, valueAt) : 0;
  if (operator === ',' && !/["'`]/.test(closing)) return 0;
  if (operator === '(' && (closing !== '' || READER.test(text.slice(key.start, key.end)))) return 0;
  if (operator === ':' && scan.kind !== 'config' && matchAt(TYPE_THEN_EQUALS, text, valueAt) !== null)
    return confirmValue(scan, key, TYPE_THEN_EQUALS.lastIndex, '=', false);
  return confirmValue(scan, key, valueAt, operator, /["'`]/.test(closing));
}

function isLongOption(text: string, start: number): boolean {
  return text.charCodeAt(start) === 45 && (text.charCodeAt(start + 1) === 45 || text.charCodeAt(start - 1) === 32);
}

function skipSpaces(text: string, from: number): number {
  let at = from;
  while (isSpace(text.charCodeAt(at)) && at - from < 40) at += 1;
  return at;
}

/** `<password>` or `<entry key="password">`: only then does `>` lead to a value. */
function isTag(text: string, keyStart: number, closing: string): boolean {
  const before = text.charCodeAt(keyStart - 1);
  return before === 60 || before === 58 || /["']/.test(closing);
}

function confirmElement(scan: Scan, key: Key, from: number): number {
  const { text } = scan;
  let end = from;
  while (end < text.length && end - from < 512 && text.charCodeAt(end) !== 60 && text.charCodeAt(end) !== 10) end += 1;
  if (text.charCodeAt(end) !== 60 || text.charCodeAt(end + 1) !== 47) return 0;
  return reportIfSecret(scan, key, from, end, { quoted: true, loose: false, config: true });
}

function confirmValue(scan: Scan, key: Key, from: number, operator: string, keyQuoted: boolean): number {
  const { text } = scan;
  const at = matchAt(LITERAL_PREFIX, text, from) === null ? from : LITERAL_PREFIX.lastIndex;
  const loose = operator !== '=' && operator !== ':' && operator !== ':=' && operator !== '=>' && operator !== '--' && operator !== ':-';
  const quoted = quotedValueAt(text, at);
  if (quoted !== undefined) {
    if (text.startsWith('-----BEGIN', quoted.start) || holdsUserinfo(text, quoted.start, quoted.end)) return 0;
    return reportIfSecret(scan, key, quoted.start, quoted.end, { quoted: true, loose, config: scan.kind === 'config' });
  }
  if (loose) return 0;
  const bare = bareValueAt(scan, key.start, at, operator, keyQuoted);
  if (bare === undefined || text.startsWith('-----BEGIN', bare.start) || holdsUserinfo(text, bare.start, bare.end)) return 0;
  return reportIfSecret(scan, key, bare.start, bare.end, { quoted: false, loose: false, config: bare.literal });
}

/** A URI is left to the rule for URIs, which keeps its host readable. */
function holdsUserinfo(text: string, start: number, end: number): boolean {
  const scheme = text.slice(start, Math.min(end, start + 40)).indexOf('://');
  return scheme > 0 && text.slice(start, Math.min(end, start + 300)).includes('@');
}

function reportIfSecret(scan: Scan, key: Key, start: number, end: number, context: ValueContext): number {
  if (scan.kind === 'lock' || scan.kind === 'opaque') return 0;
  if (!isSecretValue(withoutPlaceholders(scan.text.slice(start, end)), key.strength, context)) return 0;
  scan.report(RULE_BY_STRENGTH[key.strength], start, end, 'low');
  return end;
}

/** SQL: `IDENTIFIED BY 'value'`, with or without `PASSWORD` or a plugin between. */
const identifiedBy: Rule = {
  triggers: ['identified by'],
  confirm(scan, _start, end) {
    const at = skipSpaces(scan.text, end);
    const value = scan.text.charCodeAt(at) === 96 ? undefined : quotedValueAt(scan.text, at);
    const start = value?.start ?? at;
    const stop = value?.end ?? scan.runEnd(BARE_VALUE, at);
    if (value === undefined && !(mixesDigits(scan.text, start, stop) && /[;\s]/.test(scan.text.charAt(stop)))) return;
    if (stop - start < 512)
      reportIfSecret(scan, { start, end: start, strength: 'password' }, start, stop, { quoted: true, loose: false, config: true });
  },
};
