import { IDENTIFIER, isIn, WORD } from '../charset.js';
import type { ResolvedPolicy } from '../policy.js';
import type { Rule, Scan } from '../rule.js';
import type { ValueContext } from './assigned-values.js';
import { bareValueAt } from './bare-values.js';
import { declares, fillsLine, givesValue, isCompared, isInitialized, isInResourceName, takesCopy } from './declarations.js';
import { confirmElement, isShownOnPage } from './element-values.js';
import { type JudgedName, judgeName } from './judged-names.js';
import type { KeyStrength } from './key-names.js';
import { isHexToken, type Key, reportIfSecret } from './key-values.js';
import { KEY_WORDS } from './key-words.js';
import { type Link, linkAfter } from './links.js';
import { literalPieces, mayStartLiteral, mayWrap, nextLineValue, pastPrefix } from './literals.js';
import { confirmNearVendor, isAmongDigests, SAME_HEAD } from './near-vendor.js';
import { confirmValueBefore, mayFollowValue } from './value-before.js';
import { isVendorTrigger, VENDOR_NAMES, withoutTopLevel } from './vendor-names.js';

/** Longest rest of an identifier after the key word, and longest identifier. */
const MAX_TAIL = 48;
/** Of `pw`, with the link behind it. */
const SHORT_FORM = 2;
const MAX_NAME = 100;
/** Hexadecimal digits count under a short name in a query, too; badges have shorter ones. */
const SHORTEST_IN_QUERY = 20;
/** `spotify:track:…`, `azure-native:cache/v1:Redis`, `aws-batch:defaultToAL`: the vendor names a scheme or a package. */
const SCHEME_PART = /^(?:[a-z][a-z\d-]{2,}[:/]|[a-z]{3,}[A-Z][A-Za-z]*\d{0,4}$)/;
const NEXT_MEMBER = /^["'`][ \t]{0,4}(?::(?!:)|=>)/;
/** `process.env.PW || `, `os.getenv("PW") or `: what a program has where nobody says otherwise follows. */
const UNLESS_GIVEN = /(?:[\w.$]|\[["']\w{1,40}["']\]|\((?:["']\w{1,40}["'])?\)){1,80}[ \t]{1,4}(?:\|\||\?\?|or)[ \t]{1,4}(?=["'`])/y;

const READER =
  /^_{0,2}(?:encode|decode|get|has|is|find|load|read|fetch|check|validate|verify|parse|match|test|describe|it|require|import|remove|delete|lookup|generate|create|resolve|ensure|on|encrypt|decrypt|hash|mask|render|expect|assert|should|use|to|from|contains|include)/i;
const GETTER = /\.(?:get|fetch|load|find|lookup)[A-Z]\w*$/;
/** What becomes of a secret, not what it is: `password.encode(`, `token.split(`. */
const TRANSFORM =
  /\.(?:(?:en|de)code|trim\w*|strip|replace\w*|r?split|join|format|starts_?with|ends_?with|includes|contains|(?:last_?)?index_?of|r?find|search|match\w*|slice|substr\w*|pad\w*|concat|count)$/i;
/** Takes whose it is, too: its arguments are told by their places. */
const POSITIONAL = /[a-z](?:Credentials?|Authentication(?:Token)?)$/;
/** `MD5(secrets.md)= `: a list of checksums. */
const CHECKSUM_OF = /(?:md5|sha-?\d{1,3}(?:-\d{3})?) ?\($/i;
/** `pre-shared key`. */
const SHARED = /shared[ -]$/i;
/** `CREATE USER app WITH PASSWORD 'v'`. */
const SQL_PASSWORD = /\b(?:with|role \S{1,40}|user \S{1,40}|encrypted)\s{1,8}$/i;

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
      const keyEnd = isIn(IDENTIFIER, scan.text.charCodeAt(end - 1)) ? scan.runEnd(IDENTIFIER, end) : start + SHORT_FORM;
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
  if (text.charCodeAt(start - 1) === 92 && 'nrt'.includes(text.charAt(start))) start += 1;
  // The report of a test: `--- PASS: TestName`.
  if (keyEnd - start >= MAX_NAME || text.startsWith('--- PASS', start - 4) || isInResourceName(text, start)) return 0;
  if (text.charCodeAt(start - 1) === 40 && CHECKSUM_OF.test(text.slice(Math.max(0, start - 12), start))) return 0;
  const end = trimTail(text, keyEnd);
  const next = linkAfter(text, start, end, scan.kind === 'config');
  const link = next === undefined || mayLead(scan, next) ? next : undefined;
  const reversed = mayFollowValue(text, start);
  const ofVendor = isVendorTrigger(trigger);
  if (link === undefined && !reversed && !ofVendor) return 0;
  const name = text.slice(start, end);
  // The shell's command: `$(pwd)`, `\`pwd\``.
  if (name === 'pwd' && (text.startsWith('$(', start - 2) || (text.charCodeAt(start - 1) === 96 && text.startsWith('`:/', end)))) return 0;
  const judged = judgeName(name);
  const vendor = ofVendor && (text.startsWith('//', start - 2) ? judgeName(withoutTopLevel(name)) : judged).vendor;
  if (link === undefined && !reversed && !vendor) return 0;
  const strength = name.length === 3 && SHARED.test(text.slice(Math.max(0, start - 7), start)) ? 'key' : strengthIn(judged, strict);
  if (strength === 'none') return vendor ? confirmNearVendor(scan, start, end) : 0;
  const before = text.charCodeAt(start - 1);
  const inQuery =
    strength === 'weak' &&
    (before === 63 || before === 38) &&
    link?.kind === 'assign' &&
    scan.runEnd(WORD, link.valueAt) - link.valueAt >= SHORTEST_IN_QUERY;
  const key = { start, end, strength: inQuery || (strength === 'weak' && isHexToken(text, name, link)) ? ('key' as const) : strength };
  if (
    link !== undefined &&
    !(link.kind === 'call' && (READER.test(name) || GETTER.test(name) || TRANSFORM.test(name) || POSITIONAL.test(name)))
  ) {
    const reached = confirmValue(scan, key, link);
    if (reached > 0) return reached;
  }
  if (reversed && strength === 'password') return confirmValueBefore(scan, key);
  return vendor ? confirmNearVendor(scan, start, end) : 0;
}

/** The quick way out before a name is judged: in code a value behind a space, a bracket or a comma is a literal. */
function mayLead({ kind, text }: Scan, link: Link): boolean {
  if (kind !== 'source') return true;
  switch (link.kind) {
    case 'space':
      return mayStartLiteral(text, link.valueAt);
    case 'call':
      return mayStartLiteral(text, link.valueAt) || mayWrap(text.charCodeAt(link.valueAt));
    case 'comma':
      return !link.keyQuoted || mayStartLiteral(text, link.valueAt) || mayWrap(text.charCodeAt(link.valueAt));
    default:
      return true;
  }
}

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

function confirmValue(scan: Scan, key: Key, link: Link): number {
  const { text } = scan;
  const { kind, keyQuoted } = link;
  if (kind === 'element') return keyQuoted && isShownOnPage(text, key.start) ? 0 : confirmElement(scan, key, link.valueAt);
  const canWrap = kind === 'assign' || kind === 'colon' || kind === 'comma' || kind === 'call' || kind === 'pair';
  const below = canWrap ? nextLineValue(scan, key.start, link.valueAt) : -1;
  const at = pastPrefix(text, below < 0 ? link.valueAt : below);
  const bound = kind !== 'comma' || keyQuoted || (mayStartLiteral(text, at) && (takesCopy(text, key.start) || isCompared(text, key.start)));
  if (kind === 'comma' && key.strength === 'vendor' && isAmongDigests(text, key.start)) return 0;
  const pieces = bound ? literalPieces(text, at, below >= 0) : undefined;
  if (pieces !== undefined) {
    if (kind === 'comma' && isListed(text, key, pieces)) return 0;
    if (kind === 'space' && text.charCodeAt(at) === 96) return 0;
    const loose = isLoose(scan, key, link, pieces[1] as number);
    const generated = kind === 'space' && loose && (key.strength !== 'password' || key.end - key.start < 5);
    const reached = confirmLiteral(scan, key, pieces, { quoted: true, loose, config: scan.kind === 'config', generated });
    return below < 0 ? reached : Math.max(reached, confirmReplacedLine(scan, key, pieces[pieces.length - 1] as number));
  }
  const given = scan.kind === 'source' && (kind === 'assign' || kind === 'colon') ? pastGiven(text, at) : undefined;
  if (given !== undefined) return confirmLiteral(scan, key, given, { quoted: true, loose: true, config: false, generated: false });
  const opener = text.charCodeAt(link.valueAt);
  if (below >= 0 && opener === 40) return 0;
  const bare = bareValueAt(scan, key.start, link, at, below < 0 ? 'no' : opener === 124 || opener === 62 ? 'block' : 'line');
  if (bare === undefined) return 0;
  if (key.strength === 'vendor' && text.charCodeAt(bare.start - 1) === 58 && SCHEME_PART.test(text.slice(bare.start, bare.end))) return 0;
  const quoted = bare.literal === 'yes' && isPartOfString(text, bare.start, bare.end);
  const context = { quoted, loose: false, config: bare.literal === 'yes', generated: bare.literal === 'if generated' };
  return confirmLiteral(scan, key, [bare.start, bare.end], context);
}

/** `Password=a(b;Encrypt=`: a bracket in a part of a connection string calls nothing. */
function isPartOfString(text: string, start: number, end: number): boolean {
  if (text.charCodeAt(end) !== 59) return false;
  const value = text.slice(start, end);
  return value.includes('(') && !value.includes(')');
}

/** The literal that an expression falls back on. */
function pastGiven(text: string, at: number): number[] | undefined {
  UNLESS_GIVEN.lastIndex = at;
  return UNLESS_GIVEN.test(text) ? literalPieces(text, UNLESS_GIVEN.lastIndex, false) : undefined;
}

/** What follows a name in a list: the name of the next member, `'next': `, or another name of an enumeration. */
function isListed(text: string, key: Key, pieces: readonly number[]): boolean {
  const end = pieces[pieces.length - 1] as number;
  return NEXT_MEMBER.test(text.slice(end, end + 8)) || text.startsWith(text.slice(key.start, key.start + SAME_HEAD), pieces[0]);
}

/** Where a plain word is more likely a label, a mode or a name than a value. */
function isLoose(scan: Scan, key: Key, link: Link, valueEnd: number): boolean {
  const { text } = scan;
  switch (link.kind) {
    case 'assign':
    case 'option':
    case 'pair':
    case 'fallback':
      return false;
    case 'colon':
      return link.keyQuoted && /\?[ \t]{0,4}["'`]$/.test(text.slice(Math.max(0, key.start - 6), key.start));
    case 'call':
      return !isInitialized(text, key.start, text.slice(key.start, key.end));
    case 'comma':
      return !(link.keyQuoted ? givesValue(text, key.start) : takesCopy(text, key.start));
    case 'space':
      if (declares(text, key.start)) return false;
      if (key.strength !== 'password') return true;
      return (
        !SQL_PASSWORD.test(text.slice(Math.max(0, key.start - 60), key.start)) &&
        !fillsLine(text, scan.lines.startOf(key.start), key.start, valueEnd)
      );
    default:
      return true;
  }
}

function confirmLiteral(scan: Scan, key: Key, pieces: number[], context: ValueContext): number {
  const { text } = scan;
  const start = pieces[0] as number;
  if (text.startsWith('-----BEGIN', start) || holdsUserinfo(text, start, pieces[1] as number)) return 0;
  return reportIfSecret(scan, key, pieces, context);
}

/** In a diff the removed value is followed by the added one, on a line of its own. */
function confirmReplacedLine(scan: Scan, key: Key, end: number): number {
  const next = /^["'`][,;)]{0,3}\r?\n\+[ \t]{1,60}(?=["'`])/.exec(scan.text.slice(end, end + 80));
  const pieces = next === null ? undefined : literalPieces(scan.text, end + next[0].length, true);
  return pieces === undefined ? 0 : confirmLiteral(scan, key, pieces, { quoted: true, loose: false, config: false, generated: false });
}

/** A URI is left to the rule for URIs, which keeps its host readable. */
function holdsUserinfo(text: string, start: number, end: number): boolean {
  const scheme = text.slice(start, Math.min(end, start + 40)).indexOf('://');
  return scheme > 0 && text.slice(start, Math.min(end, start + 300)).includes('@');
}
