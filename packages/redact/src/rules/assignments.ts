import { codeBefore, IDENTIFIER, isDigit, isIn, WORD } from '../charset.js';
import type { ResolvedPolicy } from '../policy.js';
import type { Rule, Scan } from '../rule.js';
import { isInResourceName, takesCopy } from './declarations.js';
import { endOfName, type JudgedName, judgeName } from './judged-names.js';
import type { KeyStrength } from './key-names.js';
import { isHexToken } from './key-values.js';
import { KEY_WORDS } from './key-words.js';
import { confirmValue } from './linked-values.js';
import { type Link, linkAfter } from './links.js';
import { mayStartLiteral, mayWrap } from './literals.js';
import { confirmNearVendor } from './near-vendor.js';
import { confirmValueBefore, mayFollowValue } from './value-before.js';
import { isVendorTrigger, VENDOR_NAMES, withoutTopLevel } from './vendor-names.js';

/** Longest rest of an identifier after the key word, and longest identifier. */
const MAX_TAIL = 48;
/** Of `pw`, with the link behind it. */
const SHORT_FORM = 2;
const MAX_NAME = 100;
/** Hexadecimal digits count under a short name in a query, too; badges have shorter ones. */
const SHORTEST_IN_QUERY = 20;
const READER =
  /^_{0,2}(?:encode|decode|get|has|is|find|load|read|fetch|check|validate|verify|parse|match|test|describe|it|require|import|remove|delete|lookup|generate|create|resolve|ensure|on|encrypt|decrypt|hash|mask|render|expect|assert|should|use(?!r)|to|from|contains|include)/i;
/** `encoder.setPassword(`: what stands before the method is no verb. */
const SETTER = /\.(?:set|with)[A-Z_]\w*$/;
const GETTER = /\.(?:get|fetch|load|find|lookup)[A-Z]\w*$/;
/** What becomes of a secret, not what it is: `password.encode(`, `token.split(`. */
const TRANSFORM =
  /\.(?:(?:en|de)code|trim\w*|strip|replace\w*|r?split|join|format|starts_?with|ends_?with|includes|contains|(?:last_?)?index_?of|r?find|search|match\w*|slice|substr\w*|pad\w*|concat|count|find_\w+)$/i;
/** Takes whose it is, too: its arguments are told by their places. */
const POSITIONAL = /(?:[a-z](?:Credentials?|Authentication(?:Token)?)|^keyring\.set_password)$/;
/** `password.equals(`, `txtPassword.Text = `: what is asked of it, or the part of a control that holds it. */
const MEMBER_OF = /\.(?:equals(?:IgnoreCase)?|Equals|compareTo|[tT]ext|[vV]alue)$/;
/** `MD5(secrets.md)= `: a list of checksums. */
const CHECKSUM_OF = /(?:md5|sha-?\d{1,3}(?:-\d{3})?) ?\($/i;
/** `pre-shared key`, `API key`: in two words, as notes have them. */
const OWNED = /\b(?:shared|api|access|secret|signing|encryption|auth)[ -]$/i;
const LONGEST_OWNER = 11;

interface Memory {
  keyEnd: number;
  coveredTo: number;
}

const newMemory = (): Memory => ({ keyEnd: -1, coveredTo: 0 });

/** Values assigned to, compared with or passed under a name that says secret (RED-3), in code, configuration, headers and queries. */
export function assignmentRules(policy: ResolvedPolicy): Rule[] {
  const rule: Rule = {
    triggers: [...KEY_WORDS, ...VENDOR_NAMES],
    confirm(scan, start, end, trigger) {
      if (scan.kind === 'lock' || scan.kind === 'opaque') return;
      const memory = scan.memo(rule, newMemory);
      if (start < memory.coveredTo) return;
      const keyEnd = isIn(IDENTIFIER, scan.text.charCodeAt(end - 1)) ? endOfName(scan, end) : start + SHORT_FORM;
      if (keyEnd === memory.keyEnd || keyEnd - end > MAX_TAIL) return;
      memory.keyEnd = keyEnd;
      memory.coveredTo = Math.max(memory.coveredTo, confirmKey(scan, start, keyEnd, trigger, policy.strict));
    },
  };
  return [rule];
}

/** Returns the end of the value reported, or 0. */
function confirmKey(scan: Scan, triggerStart: number, keyEnd: number, trigger: string, strict: boolean): number {
  const { text } = scan;
  const first = isIn(IDENTIFIER, text.charCodeAt(triggerStart)) ? triggerStart : triggerStart + 1;
  let start = scan.runStart(IDENTIFIER, first, MAX_NAME);
  if (codeBefore(text, start) === 92 && 'nrt'.includes(text.charAt(start))) start += 1;
  if (keyEnd - start >= MAX_NAME || isReport(text, start) || isInResourceName(text, start)) return 0;
  const before = codeBefore(text, start);
  if (before === 40 && CHECKSUM_OF.test(text.slice(Math.max(0, start - 12), start))) return 0;
  const end = trimTail(text, keyEnd);
  const next = linkAfter(text, start, end, scan.kind === 'config');
  // `scheme://user:password@host`.
  if (next?.kind === 'colon' && text.startsWith('://', start - 3)) return 0;
  const link = next === undefined || mayLead(scan, next) ? next : undefined;
  const reversed = mayFollowValue(text, start);
  if (link === undefined && !reversed && !isVendorTrigger(trigger)) return 0;
  const name = text.slice(start, end);
  // `!MD5:!PSK:!kRSA`: ciphers.
  if (name === 'PSK' && (text.startsWith(':!', end) || before === 33)) return 0;
  // The shell's command: `$(pwd)`, `\`pwd\``.
  if (name === 'pwd' && (text.startsWith('$(', start - 2) || (before === 96 && text.startsWith('`:/', end)))) return 0;
  const judged = judgeName(name.includes('.') ? name.replace(MEMBER_OF, '') : name);
  const { vendor: named } = before === 47 && text.startsWith('//', start - 2) ? judgeName(withoutTopLevel(name)) : judged;
  const vendor = named && isVendorTrigger(trigger);
  if (link === undefined && !reversed && !vendor) return 0;
  const strength = isConstantOf(text, name, start, link)
    ? 'password'
    : name.length === 3 && OWNED.test(text.slice(Math.max(0, start - LONGEST_OWNER), start))
      ? 'key'
      : strengthIn(judged, strict);
  if (strength === 'none' || (strength === 'weak' && isHexNonce(text, name, link))) return vendor ? confirmNearVendor(scan, start, end) : 0;
  const inQuery =
    strength === 'weak' &&
    (before === 63 || before === 38) &&
    link?.kind === 'assign' &&
    scan.runEnd(WORD, link.valueAt) - link.valueAt >= SHORTEST_IN_QUERY;
  const key = { start, end, strength: inQuery || (strength === 'weak' && isHexToken(text, name, link)) ? ('key' as const) : strength };
  if (
    link !== undefined &&
    !(
      link.kind === 'call' &&
      !SETTER.test(name) &&
      (READER.test(name) || GETTER.test(name) || TRANSFORM.test(name) || POSITIONAL.test(name))
    )
  ) {
    const reached = confirmValue(scan, key, link);
    if (reached > 0) return reached;
  }
  if (reversed && strength === 'password') return confirmValueBefore(scan, key);
  return vendor ? confirmNearVendor(scan, start, end) : 0;
}

/** The report of a test: `--- PASS: TestName`, `PASS: file_test.go:12`. */
const REPORTED = /PASS: [\w/]{0,40}(?:[tT]est|\\{0,2}\.(?:go|py|js|ts|c|cc|sh)\b)/y;

function isReport(text: string, start: number): boolean {
  if (text.charCodeAt(start) !== 80 || !text.startsWith('PASS: ', start)) return false;
  REPORTED.lastIndex = start;
  return text.startsWith('--- ', start - 4) || REPORTED.test(text);
}

/** Tests of ciphers are full of nonces in hexadecimal digits. */
const HEX_NONCE = /["'`]?(?:0x)?[\da-f]{16,}(?![\w+/-])/iy;

function isHexNonce(text: string, name: string, link: Link | undefined): boolean {
  if (link === undefined || !/nonce$/i.test(name)) return false;
  HEX_NONCE.lastIndex = link.valueAt;
  return HEX_NONCE.test(text);
}

/** `PASSWORD_PROPERTY, "v"`: the constant that a password is put under. */
const CONSTANT = /PASSWORD_(?:PROPERTY|PROP|CONFIG|PARAM|PARAMETER|OPTION|FIELD|ATTRIBUTE)$/;

function isConstantOf(text: string, name: string, start: number, link: Link | undefined): boolean {
  return link?.kind === 'comma' && !link.keyQuoted && CONSTANT.test(name) && takesCopy(text, start);
}

/** The quick way out before a name is judged: in code a value behind a space, a bracket or a comma is a literal. */
function mayLead({ kind, text }: Scan, link: Link): boolean {
  if (kind !== 'source') return true;
  switch (link.kind) {
    case 'space':
      return mayStartLiteral(text, link.valueAt) || mayStartNumbers(text.charCodeAt(link.valueAt));
    case 'call':
      return (
        mayStartLiteral(text, link.valueAt) || mayWrap(text.charCodeAt(link.valueAt)) || mayStartNumbers(text.charCodeAt(link.valueAt))
      );
    case 'comma':
      return !link.keyQuoted || mayStartLiteral(text, link.valueAt) || mayWrap(text.charCodeAt(link.valueAt));
    default:
      return true;
  }
}

const mayStartNumbers = (code: number): boolean => code === 123 || isDigit(code);

/** Under the strict pack a weak name counts as a strong one. */
function strengthIn({ strength, vendor }: JudgedName, strict: boolean): KeyStrength {
  if (strict && strength === 'weak') return 'secret';
  if (strength !== 'none' && strength !== 'weak') return strength;
  return vendor ? 'vendor' : strength;
}

function trimTail(text: string, keyEnd: number): number {
  let end = keyEnd;
  while (text.charCodeAt(end - 1) === 45 || text.charCodeAt(end - 1) === 46) end -= 1;
  return end;
}
