import { QUIET_KINDS } from '../../grammar/path-kind.js';
import type { Rule, Scan } from '../../grammar/rule.js';
import { confirmNearCatalogued } from '../../grammar/tokens/near-catalogued.js';
import { isPublicBehind } from '../../grammar/tokens/public-names.js';
import { confirmVendorRun } from '../../grammar/tokens/vendor-runs.js';
import { isSequence, isShown } from '../../lexicon/benign-values.js';
import {
  BASE64,
  holdsDigit,
  isAlnum,
  isBreak,
  isDigit,
  isIn,
  isQuote,
  isSpace,
  isUpper,
  TOKEN68,
  WORD,
} from '../../lexicon/charset.js';
import { PLACEHOLDER_HEAD } from '../../lexicon/placeholder.js';
import { DATA_HEAD, PUBLIC_KEY_HEAD, PublicArmor } from '../../lexicon/public-armor.js';
import { joinsWords, looksRandom, type MakeUp, makeUpOf, mayBeRandom, mixesCases } from '../../lexicon/randomness.js';

/** What model providers call their answers. */
const NUMBERED_ANSWER = /^chatcmpl-/;
/** How far before a token its ledger is named. */
const LEAD = 64;

const SHORTEST_PREFIXED = 24;
/** With both cases, in quotes or behind an operator. */
const SHORTEST_MIXED = 24;
const SHORTEST_ALONE = 32;
const LONGEST_MARK = 64;
/** As much of a neighbouring line in base64 makes a block of them. */
const BLOCK_LINE = 44;
/** A digest or an address with a mark before it: `0x`, Doxygen's `ga`, Gerrit's `I`, those of WiX. */
const MARKED_DIGEST =
  /^(?:0x(?:[0-9a-f]{24,63}|[0-9a-f]{65,})|(?:ga|[agIv])(?:[0-9a-f]{32}|[0-9a-f]{40})|gga[0-9a-f]{32}a[0-9a-f]{32}|(?:cmp|dir|fil)[0-9a-f]{32})$/i;
/** What a ledger calls its digests, which are as long as keys. */
const OF_LEDGER =
  /\b(?:tx|txn|tx_?id|transaction|block|[\w-]{0,24}root|topics?|commitment|parent|[\w-]{0,24}separator)\b["'`]{0,2}[\s:=([]{0,6}["'`]?$/i;
/** Documentation marks its own so. */
const EXAMPLE = /EXAMPLE|example|WebKitFormBoundary/;
/** Accounts and contracts of the Stellar ledger, for everybody to see. */
const ADDRESS = /^[GC][A-Z2-7]{55}$/;
/** The letters that draw a line, and numbers. */
const DRAWING = /^[MmLlHhVvCcSsQqTtAaZz0-9-]+$/;
/** Words before a digest or an id, joined to it; of fewer digits they may lead a token. */
const NAMED_DIGEST =
  /^(?:v\d+|sha\d*|md5|hash|id|rev|ref|commit|build|chunk|img|image|file|uid|uuid|pod|node|self|project|tenant|network|subnet|port|router|volume|snapshot|instance|task|job|run|cluster)[_-]$/i;
/** Longer ones are data. */
const LONGEST = 120;

/**
 * Tokens that nothing but their look gives away: a prefix of words and a random rest, a random
 * literal, a random word (RED-2).
 */
export function randomTokenRules(): Rule[] {
  return [randomTokens];
}

const randomTokens: Rule = {
  triggers: [],
  skipKinds: QUIET_KINDS,
  confirm() {},
  confirmRun(scan, start, end) {
    // Names as long as a token have their digits at their end.
    if (holdsDigit(scan.text, start, end - 2) || mayBeNumber(scan.text, start, end)) confirmToken(scan, start, end);
  },
};

/** Base64 of a number, as Discord's tokens begin, has few digits, and often only one at its end. */
function mayBeNumber(text: string, start: number, end: number): boolean {
  return text.charCodeAt(end) === 46 && isDigit(text.charCodeAt(end - 1)) && 'MNO'.includes(text.charAt(start));
}

/** A letter, digit, underscore or single dash. */
function isToken(text: string, at: number, step: number): boolean {
  const code = text.charCodeAt(at);
  return isIn(WORD, code) || (code === 45 && text.charCodeAt(at + step) !== 45);
}

/** How much of what starts at `at` belongs to an escape that begins before it: `\n`, `\x3d`, `\u003d`, `%3D`. */
function escapeLength(text: string, at: number): number {
  const before = text.charCodeAt(at - 1);
  if (before === 37) return 2;
  if (before !== 92) return 0;
  const letter = text.charAt(at);
  return letter === 'u' ? 5 : letter === 'x' ? 3 : 'nrtbfv0'.includes(letter) ? 1 : 0;
}

function confirmToken(scan: Scan, runStart: number, runEnd: number): void {
  const { text } = scan;
  if (runEnd - runStart > LONGEST || confirmVendorRun(scan, runStart + escapeLength(text, runStart), runEnd)) return;
  const run = makeUpOf(text, runStart, runEnd);
  if (confirmNearCatalogued(scan, runStart, run)) return;
  const random = looksRandom(run);
  if (!random && !(text.charCodeAt(runStart - 1) === 95 && mayBeRandom(run))) return;
  let start = runStart + escapeLength(text, runStart);
  if (start === runStart) while (runStart - start < LONGEST && isToken(text, start - 1, -1)) start -= 1;
  let end = runEnd;
  while (end - runEnd < LONGEST && isToken(text, end, 1)) end += 1;
  start += escapeLength(text, start);
  while (start < runStart && !isAlnum(text.charCodeAt(start))) start += 1;
  while (end > runEnd && !isAlnum(text.charCodeAt(end - 1))) end -= 1;
  if (end - start > LONGEST || isPartOfData(scan, start, end)) return;
  const made = makeUpOf(text, start, end);
  const token = text.slice(start, end);
  if (isNamedDigest(text, start, runStart, run) || DATA_HEAD.test(token)) return;
  if (
    made.hex ||
    isSequence(token) ||
    EXAMPLE.test(token) ||
    ADDRESS.test(token) ||
    isEncodedText(token) ||
    NUMBERED_ANSWER.test(token) ||
    PUBLIC_KEY_HEAD.test(token)
  )
    return;
  if (isShown(token)) return;
  if (MARKED_DIGEST.test(text.slice(runStart, runEnd)) || DRAWING.test(token)) return;
  if (token.startsWith('0x') && OF_LEDGER.test(text.slice(Math.max(0, start - LEAD), start))) return;
  if (
    isRevisionOf(text, start, runStart, run) ||
    SIMD_TYPE.test(token) ||
    (made.digits <= 2 && isIdentifier(scan, start, end))
  )
    return;
  const prefixed = hasWordPrefix(text, start, runStart);
  if (!random && !prefixed) return;
  if (!(prefixed ? end - runStart >= SHORTEST_PREFIXED : standsAlone(scan, made, start, end))) return;
  if (isPublicBehind(text, start) || isLineOfBlock(text, start, end)) return;
  if (!scan.memo(PublicArmor, () => new PublicArmor(text)).holds(start))
    scan.report(prefixed ? 'prefixed-token' : 'random-token', start, end, 'low');
}

/**
 * Hexadecimal digits, as many as digests have, with a word before or behind them that is theirs:
 * `hash_…`, `…_small`.
 */
function isNamedDigest(text: string, start: number, runStart: number, { hex, length }: MakeUp): boolean {
  if (!hex || (length !== 32 && length < 38)) return false;
  return start === runStart || NAMED_DIGEST.test(text.slice(start, runStart));
}

/** `rules_cc-8bd6…`, `crash-647c…`: forty digits behind a dash name a revision of something. */
function isRevisionOf(text: string, start: number, runStart: number, { hex, length }: MakeUp): boolean {
  return hex && length === 40 && runStart > start && text.charCodeAt(runStart - 1) === 45;
}

/** `kI32x4TruncSatF64x2SZero`: types of as many numbers as a register holds. */
const SIMD_TYPE = /[IFSiu]\d{1,2}x\d{1,2}/;
const COMMENT_BEFORE = /\/\/|\/\*|^\s*(?:\*|#|--|;)/;

const LONGEST_CODE = 240;

/** In code a word outside of literals and comments is a name; what a tag follows is text of a page. */
function isIdentifier(scan: Scan, start: number, end: number): boolean {
  const { text } = scan;
  if (scan.kind !== 'source' || isQuoted(text, start, end) || !/^[A-Za-z_]\w*$/.test(text.slice(start, end)))
    return false;
  if (text.charCodeAt(end) === 60 || scan.quotes.openQuoteAt(start) !== 0) return false;
  const lineStart = scan.lines.startOf(start);
  return (
    start - lineStart < LONGEST_CODE &&
    !COMMENT_BEFORE.test(text.slice(lineStart, start)) &&
    /[=(:,]\s{0,4}$/.test(text.slice(lineStart, start))
  );
}

/**
 * True for a token that nothing but its look gives away: longer than one with a prefix, longer
 * still in one case or amid other text.
 */
function standsAlone(scan: Scan, made: MakeUp, start: number, end: number): boolean {
  if (!looksRandom(made) || joinsWords(scan.text.slice(start, end))) return false;
  const mixed = mixesCases(made);
  const length = end - start;
  if (length < (mixed ? SHORTEST_MIXED : SHORTEST_ALONE)) return false;
  // Numbers of curves and digests of ledgers stand in lists, keys behind a name.
  if (scan.text.startsWith('0x', start))
    return isAssigned(scan, start - (isQuote(scan.text.charCodeAt(start - 1)) ? 1 : 0), end);
  return (mixed && length >= SHORTEST_ALONE) || isQuoted(scan.text, start, end) || isAssigned(scan, start, end);
}

/** True for all that stands between two quotes, escaped or not. */
function isQuoted(text: string, start: number, end: number): boolean {
  const open = text.charCodeAt(start - 1);
  return isQuote(open) && text.charCodeAt(text.charCodeAt(end) === 92 ? end + 1 : end) === open;
}

/** True for a value behind `=`, `:` or `=>`, alone in its place, and for a word of its own in a file of values. */
function isAssigned({ text, kind }: Scan, start: number, end: number): boolean {
  if (isIn(TOKEN68, text.charCodeAt(end))) return false;
  let at = start;
  while (start - at < 12 && isSpace(text.charCodeAt(at - 1))) at -= 1;
  const operator = text.charCodeAt(at - 1);
  if (operator === 61 || operator === 58 || operator === 62) return true;
  return kind === 'config' && (at < start || isBreak(operator)) && (end >= text.length || text.charCodeAt(end) <= 32);
}

/** `acme_live_`, `xk-`: one or more short words in front, in one case. */
function hasWordPrefix(text: string, start: number, runStart: number): boolean {
  const length = runStart - start;
  if (length < 3 || length > 24) return false;
  const prefix = text.slice(start, runStart);
  return (
    /^[a-z][a-z0-9]{1,11}(?:[_-][a-z0-9]{1,10}){0,3}[_-]$/.test(prefix) &&
    !/^(?:v\d+|sha\d*|md5|hash|id|rev|ref|commit|build|chunk|index|main|test|x|data|img|image|file|css|js|sc|emotion|svelte|dir|jsx?|ns|cid|uid|uuid|k8s|pod|node)[_-]/.test(
      prefix,
    )
  );
}

/** Base64 of readable text is no random token; whether the text holds a secret is another rule's to say. */
function isEncodedText(token: string): boolean {
  return /^[\x20-\x7e\r\n\t]+$/.test(
    Buffer.from(token.slice(0, token.length - (token.length % 4)), 'base64').toString('latin1'),
  );
}

/** Base64 of more than a token, a digest, part of a path or an address. */
function isPartOfData(scan: Scan, start: number, end: number): boolean {
  const { text } = scan;
  const before = text.charCodeAt(start - 1);
  const after = text.charCodeAt(end);
  if (before === 47 || before === 43 || before === 35 || before === 64) return true;
  if (isEscapedData(text, start)) return true;
  if (before === 32 && text.charCodeAt(start - 2) > 32 && isBlockLine(text, start - 1 - BLOCK_LINE)) return true;
  if (after === 47 || after === 43 || after === 40 || after === 92)
    return after !== 92 || isUpper(text.charCodeAt(end + 1));
  if (after === 61 && isIn(BASE64, text.charCodeAt(end + 1)) && text.charCodeAt(end + 1) !== 61) return true;
  return (before === 46 || after === 46) && isAlnum(text.charCodeAt(before === 46 ? start - 2 : end + 1));
}

/** Data in an address, with plus and slash of its base64 escaped. */
const DATA_ADDRESS = /base64,[A-Za-z0-9+/%]{0,600}$/;
const LONGEST_LEAD = 620;

/** True behind `%2B` or `%2F` of data in an address. */
function isEscapedData(text: string, start: number): boolean {
  return text.charCodeAt(start - 3) === 37 && DATA_ADDRESS.test(text.slice(Math.max(0, start - LONGEST_LEAD), start));
}

/**
 * What joins two lines of a block: the ends of literals, a plus, a full stop or a backslash, the
 * break. No comma: members of a list are values of their own.
 */
const JOINT = String.raw`(?:\\[rn]){0,2}["'\x60]?[ \t]{0,4}[+.\\]?[ \t]{0,4}\r?\n[-+ \t]{0,40}["'\x60]?`;
const JOINT_BEHIND = new RegExp(`^=*${JOINT}`);
const JOINT_BEFORE = new RegExp(`${JOINT}$`);
const LONGEST_JOINT = 56;
/** What an earlier pass made of a line. */
const HIDDEN_LINE = /\[REDACTED:[a-z0-9-]+:\d+\]$/;

/**
 * One of several lines of base64: embedded data, a certificate, a patch. Both of two such lines say
 * so of each other, and go on saying it once hidden.
 */
function isLineOfBlock(text: string, start: number, end: number): boolean {
  const behind = JOINT_BEHIND.exec(text.slice(end, end + LONGEST_JOINT));
  if (behind !== null) {
    const next = end + behind[0].length;
    if (text.startsWith('-----', next) || text.startsWith(PLACEHOLDER_HEAD, next) || isBlockLine(text, next))
      return true;
  }
  const before = JOINT_BEFORE.exec(text.slice(Math.max(0, start - LONGEST_JOINT), start));
  if (before === null) return false;
  const last = start - before[0].length;
  if (text.charCodeAt(last - 1) === 44) return false;
  return isBlockLine(text, last - BLOCK_LINE) || HIDDEN_LINE.test(text.slice(Math.max(0, last - LONGEST_MARK), last));
}

/** True when a good stretch of the text at `from` is base64. */
function isBlockLine(text: string, from: number): boolean {
  let run = 0;
  for (let at = Math.max(0, from); at - from < BLOCK_LINE; at += 1) if (isIn(BASE64, text.charCodeAt(at))) run += 1;
  return run >= BLOCK_LINE - 4;
}
