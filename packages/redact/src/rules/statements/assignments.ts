import { endOfName, judgeName, judgeNameAt, type NameInText } from '../../grammar/assignments/judged-names.js';
import { isHexToken } from '../../grammar/assignments/key-values.js';
import type { Link } from '../../grammar/assignments/link.js';
import { confirmValue } from '../../grammar/assignments/linked-values.js';
import { linkAfter } from '../../grammar/assignments/links.js';
import { confirmValueBefore, mayFollowValue } from '../../grammar/assignments/value-before.js';
import { isInResourceName, takesCopy } from '../../grammar/declarations.js';
import { mayStartLiteral, mayWrap } from '../../grammar/literals.js';
import { QUIET_KINDS } from '../../grammar/path-kind.js';
import type { Rule, Scan } from '../../grammar/rule.js';
import { confirmNearVendor } from '../../grammar/tokens/near-vendor.js';
import { codeBefore, IDENTIFIER, isDigit, isIn, WORD } from '../../lexicon/charset.js';
import type { KeyStrength } from '../../lexicon/key-names.js';
import { KEY_WORDS } from '../../lexicon/key-words.js';
import { VENDOR_NAMES, withoutTopLevel } from '../../lexicon/vendor-names.js';
import type { ResolvedPolicy } from '../../policy/resolve-policy.js';

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
/** Takes whose it is, too: its arguments are identified by their places. */
const POSITIONAL = /(?:[a-z](?:Credentials?|Authentication(?:Token)?)|^keyring\.set_password)$/;
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

/**
 * Values assigned to, compared with or passed under a name that says secret (RED-3), in code,
 * configuration, headers and queries; and what stands near a vendor's.
 */
export function assignmentRules(policy: ResolvedPolicy): Rule[] {
  const named = (triggers: readonly string[], ofVendor: boolean): Rule => ({
    triggers,
    skipKinds: QUIET_KINDS,
    confirm(scan, start, end) {
      const memory = scan.memo(newMemory, newMemory);
      if (start < memory.coveredTo) return;
      const keyEnd = isIn(IDENTIFIER, scan.text.charCodeAt(end - 1)) ? endOfName(scan, end) : start + SHORT_FORM;
      if (keyEnd === memory.keyEnd || keyEnd - end > MAX_TAIL) return;
      memory.keyEnd = keyEnd;
      memory.coveredTo = Math.max(memory.coveredTo, confirmKey(scan, start, keyEnd, ofVendor, policy.strict));
    },
  });
  return [named(KEY_WORDS, false), named([...VENDOR_NAMES], true)];
}

/** Returns the end of the value reported, or 0. */
function confirmKey(scan: Scan, triggerStart: number, keyEnd: number, ofVendor: boolean, strict: boolean): number {
  const { text } = scan;
  const start = startOfName(scan, triggerStart);
  if (keyEnd - start >= MAX_NAME) return 0;
  const end = trimTail(text, keyEnd);
  const before = codeBefore(text, start);
  const name = judgeNameAt(text, start, end);
  const isHost = ofVendor && before === 47 && text.startsWith('//', start - 2);
  const vendor = isHost ? judgeName(withoutTopLevel(text.slice(start, end))).vendor : ofVendor && name.vendor;
  if ((!name.mayHold && !vendor) || isReport(text, start) || isInResourceName(text, start)) return 0;
  if (before === 40 && CHECKSUM_OF.test(text.slice(Math.max(0, start - 12), start))) return 0;
  const next = linkAfter(text, start, end, scan.kind === 'config');
  const reversed = mayFollowValue(text, start);
  if (next === undefined && !reversed && !vendor) return 0;
  // `scheme://user:password@host`.
  if (next?.kind === 'colon' && text.startsWith('://', start - 3)) return 0;
  const strength = strengthAt(text, name, start, next, strict);
  const link = next === undefined || mayLead(scan, next, strength) ? next : undefined;
  if ((link === undefined && !reversed && !vendor) || isNoName(text, name.name, start, end)) return 0;
  if (strength === 'none' || (strength === 'weak' && name.isNonce && isHexNonce(text, link)))
    return vendor ? confirmNearVendor(scan, start, end) : 0;
  const key = {
    start,
    end,
    strength: strength === 'weak' && isAsGoodAsKey(scan, name, start, link) ? ('key' as const) : strength,
  };
  if (link !== undefined && !(link.kind === 'call' && gives(name))) {
    const reached = confirmValue(scan, key, link);
    if (reached > 0) return reached;
  }
  if (reversed && strength === 'password') return confirmValueBefore(scan, key);
  return vendor ? confirmNearVendor(scan, start, end) : 0;
}

/** Where the identifier starts that a trigger stands in. */
function startOfName(scan: Scan, triggerStart: number): number {
  const { text } = scan;
  const start = scan.runStart(
    IDENTIFIER,
    isIn(IDENTIFIER, text.charCodeAt(triggerStart)) ? triggerStart : triggerStart + 1,
    MAX_NAME,
  );
  return codeBefore(text, start) === 92 && 'nrt'.includes(text.charAt(start)) ? start + 1 : start;
}

/** `!MD5:!PSK:!kRSA`: ciphers. `$(pwd)`, `\`pwd\``: the shell's command. */
function isNoName(text: string, name: string, start: number, end: number): boolean {
  if (name === 'PSK') return text.startsWith(':!', end) || codeBefore(text, start) === 33;
  return (
    name === 'pwd' &&
    (text.startsWith('$(', start - 2) || (codeBefore(text, start) === 96 && text.startsWith('`:/', end)))
  );
}

/**
 * What a name says of the value behind it, where it stands. Under the strict pack a weak name
 * counts as a strong one.
 */
function strengthAt(
  text: string,
  name: NameInText,
  start: number,
  link: Link | undefined,
  strict: boolean,
): KeyStrength {
  if (name.isConstant && link?.kind === 'comma' && !link.keyQuoted && takesCopy(text, start)) return 'password';
  if (name.name.length === 3 && isOwned(text, start)) return 'key';
  const { strength, vendor } = name;
  if (strict && strength === 'weak') return 'secret';
  return vendor && (strength === 'none' || strength === 'weak') ? 'vendor' : strength;
}

function isOwned(text: string, start: number): boolean {
  const before = codeBefore(text, start);
  return (before === 32 || before === 45) && OWNED.test(text.slice(Math.max(0, start - LONGEST_OWNER), start));
}

/** A name that says little, before a long word in a query or hexadecimal digits as keys have them. */
function isAsGoodAsKey(scan: Scan, name: NameInText, start: number, link: Link | undefined): boolean {
  const { text } = scan;
  const before = codeBefore(text, start);
  const isInQuery =
    (before === 63 || before === 38) &&
    link?.kind === 'assign' &&
    scan.runEnd(WORD, link.valueAt) - link.valueAt >= SHORTEST_IN_QUERY;
  return isInQuery || isHexToken(text, name, link);
}

/** True where a call of the name gives a secret or makes something of it: what stands in its brackets is none. */
function gives(name: NameInText): boolean {
  name.gives ??=
    !SETTER.test(name.name) &&
    (READER.test(name.name) || GETTER.test(name.name) || TRANSFORM.test(name.name) || POSITIONAL.test(name.name));
  return name.gives;
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

function isHexNonce(text: string, link: Link | undefined): boolean {
  if (link === undefined) return false;
  HEX_NONCE.lastIndex = link.valueAt;
  return HEX_NONCE.test(text);
}

/** The quick way out before a value is read: in code one behind a space, a bracket or a comma is a literal. */
function mayLead({ kind, text }: Scan, link: Link, strength: KeyStrength): boolean {
  if (kind !== 'source') return true;
  switch (link.kind) {
    case 'space':
      return mayStartLiteral(text, link.valueAt) || mayStartNumbers(text.charCodeAt(link.valueAt));
    case 'call':
      return (
        mayStartLiteral(text, link.valueAt) ||
        mayWrap(text.charCodeAt(link.valueAt)) ||
        mayStartNumbers(text.charCodeAt(link.valueAt))
      );
    case 'comma':
      return (
        mayStartLiteral(text, link.valueAt) ||
        mayWrap(text.charCodeAt(link.valueAt)) ||
        // Numbers, which a name that says little is no reason to look at.
        (!link.keyQuoted && strength !== 'weak' && strength !== 'vendor')
      );
    default:
      return true;
  }
}

const mayStartNumbers = (code: number): boolean => code === 123 || isDigit(code);

function trimTail(text: string, keyEnd: number): number {
  let end = keyEnd;
  while (text.charCodeAt(end - 1) === 45 || text.charCodeAt(end - 1) === 46) end -= 1;
  return end;
}
