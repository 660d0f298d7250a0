import { isSequence, isShown } from '../benign-values.js';
import { BASE64, CLASSES, codeAt, codeBefore, DASH, isBreak, isIn, isSpace, TOKEN68, WORD } from '../charset.js';
import { entropyOf } from '../entropy.js';
import { joinsWords, looksRandom, makeUpOf, readsAsWords } from '../randomness.js';
import type { Scan } from '../rule.js';
import { holdsDigit } from './made-up-words.js';
import { DATA_HEAD, PublicArmor } from './public-armor.js';
import { reachOf } from './reach.js';

/** How far behind a vendor's name its token may stand. */
export const REACH = 80;
const SHORTEST = 20;
/** A literal by itself may be as short as vendors' tokens are. */
const SHORTEST_QUOTED = 15;
/** Longer runs are data, and so are lines of base64 that nothing else stands on. */
export const LONGEST = 200;
const DATA_LINE = 60;
/** With the name of the value before it. */
const LONGEST_RUN = LONGEST + 32;
/** Words between name and value that make even hexadecimal digits a secret. */
const SAYS_SECRET = /token|key|secret|api|auth|cred|passw|login|bearer/i;
/** A digest, a revision or an address, not a token; what the longest of them may take. */
const PUBLIC_LEAD = 24;
const PUBLIC_BEFORE =
  /(?:[@/#]|sha\d*[-:]?|md5|hash|commit|rev|id|version|integrity|checksum|digest|etag|secure|checkout|\.(?:zip|t?gz|xz|bz2|7z|exe|msi|dmg|deb|rpm|jar|whl|apk)|(?:public|publishable|site)[-_ ]?key)["'=:> ]{0,6}$/i;
/** The name or option right before a value. */
const NAME_BEFORE =
  /(?:^|[\s"'({,:])(?:--?)?([A-Za-z][\w-]{0,24})(?:["']?[ \t]{0,4}(?:=>|[:=])[ \t]{0,4}|[ \t]{1,4}(?:is:?[ \t]{1,4})?)["'`]?$/;
const LONGEST_NAME = 26;
const CALLED = 48;
const CALLED_SECRET = /(?:token|key|secret|password)$/i;
/** Names of digests, revisions, accounts and resources. */
const PUBLIC_NAME =
  /sha|sum|hash|head|rev|commit|digest|release|version|build|tag|ref|branch|image|integrity|id$|uuid|guid|ur[il]|href|src|path|file|dir|project|org|account|tenant|zone|region|site|team|user|owner|host|bucket|color|trace|span|etag|node|group|asset|page|post|track|album|video|channel|playlist|list|request|response|message|event|order|invoice|job|run$|record|resource|in$|at$|of$|by$|from$|is$/i;
/** A token in an address, where the version of an interface leads to it. */
const VERSIONED = /\/v\d{1,2}(?:\.\d{1,2})?\/([\w-]{20,120})(?=\/|$)/;
const SHORTEST_VERSIONED = 24;
/** What follows a vendor's name in a comment on the value before it. */
const NOTE = /^['\u2019s]{0,2}[ _-]{0,2}(?:(?:api|access|auth|app|personal|service)[ _-]?)?(?:token|key|secret|credential|password)/i;
const COMMENT = /(?:#|\/\/|--|\/\*|<!--|;)[ \t]{0,4}(?:[\w']{1,16} ){0,3}$/;

/** Their addresses are full of revisions: only what is called a token or a key counts. */
const CODE_HOST = /github|gitlab|bitbucket|gitea|sourcegraph/i;
const SECRET_OF_HOST = /^[ _-](?:(?:api|access|auth|app|personal|deploy)[ _-]){0,2}(?:token|key|secret|password)\W/i;

/** Between a vendor's name and a value right beside it: nothing but what makes, assigns or introduces one, as in `Raven("`, `hive = `, `canny key is `. */
export const BESIDE =
  /(?:_?[Cc]lient|Api|API)?(?:(?:\.[Nn]ew)?\(["'`]|["'`]\)\(["'`]|[ _-](?:(?:api|access|auth|bearer|hec)[ _-]?)?(?:key|token|secret|credentials)(?: is| to|["'`]?[ \t]?[:=])?[ \t]?["'`]?|["'`]?[ \t]{0,3}(?:=>|:=|[:=|])?[ \t]{0,3}["'`]?)$/;

/** Asked apart from others, whose questions come in another order. */
const NEAR_ARMOR = {};

/** Reports the first token within reach of a vendor's name, on the same line or the next, or the one that a comment names; returns its end, or 0. */
export function confirmNearVendor(scan: Scan, nameStart: number, nameEnd: number): number {
  const { text } = scan;
  if (isIn(BASE64, text.charCodeAt(nameStart - 1)) && !text.startsWith('//', nameStart - 2)) return 0;
  const reach = reachOf(scan, confirmNearVendor);
  const stop = Math.min(text.length, nameEnd + REACH);
  let breaks = 0;
  let reading: Reading | undefined;
  for (let at = Math.max(nameEnd, reach.end); at < stop; at += 1) {
    const code = text.charCodeAt(at);
    if (isBreak(code)) {
      if (code === 10) breaks += 1;
      if (breaks > 2) break;
    } else if (((CLASSES[code] as number) & TOKEN68) !== 0) {
      const end = endOfWord(scan, at);
      const mayHold = end - at >= SHORTEST_QUOTED && holdsDigit(text, at, Math.min(end, at + LONGEST_RUN));
      if (mayHold) reading ??= readingOf(text, nameStart, nameEnd);
      if (reading === 'none') return 0;
      reach.end = end;
      const reached = mayHold ? confirmIn(scan, nameStart, nameEnd, at, end, reading === 'of a host') : 0;
      if (reached > 0) return reached;
      at = end;
    }
  }
  return confirmNoted(scan, nameStart, nameEnd);
}

/** As `runEnd` says, without asking it: most words are short. */
function endOfWord(scan: Scan, from: number): number {
  const { text } = scan;
  const near = Math.min(text.length, from + SHORTEST_QUOTED);
  let end = from;
  while (end < near && ((CLASSES[text.charCodeAt(end)] as number) & TOKEN68) !== 0) end += 1;
  return end < near || end === text.length ? end : scan.runEnd(TOKEN68, from);
}

/** Reports the token in a run from `at` to `end`, the whole of it or a part. */
function confirmIn(scan: Scan, nameStart: number, nameEnd: number, at: number, end: number, ofHost: boolean): number {
  const { text } = scan;
  const value = startOfNamed(text, at, end);
  if (
    end - value >= SHORTEST_QUOTED &&
    (!ofHost || !isIn(WORD, codeBefore(text, value))) &&
    isTokenNear(text, nameStart, nameEnd, value, end) &&
    (!ofHost || isCalledSecret(text, value))
  )
    return report(scan, value, end);
  const segment = ofHost ? undefined : versionedSegment(text, at, end);
  return segment !== undefined && isToken(text, segment.start, segment.end, isLong) ? report(scan, segment.start, segment.end) : 0;
}

/** What a vendor's name says of what stands behind it. */
type Reading = 'vendor' | 'of a host' | 'none';

function readingOf(text: string, nameStart: number, nameEnd: number): Reading {
  const name = text.slice(nameStart, nameEnd);
  // `import aws_lb.front id`: what is imported is a resource, by its id. `git checkout id`: a revision, and no vendor.
  const isSpaced = codeBefore(text, nameStart) === 32;
  if ((isSpaced && (text.startsWith('import ', nameStart - 7) || text.startsWith('git ', nameStart - 4))) || /\d[a-z]+\d/i.test(name))
    return 'none';
  return CODE_HOST.test(name) && !namesSecret(text, nameEnd) ? 'of a host' : 'vendor';
}

function namesSecret(text: string, nameEnd: number): boolean {
  const code = codeAt(text, nameEnd);
  return (code === 32 || code === 45 || code === 95) && SECRET_OF_HOST.test(text.slice(nameEnd, nameEnd + 32));
}

/** True behind the name or option of a secret. */
export function isCalledSecret(text: string, start: number): boolean {
  const name = NAME_BEFORE.exec(text.slice(Math.max(0, start - CALLED), start))?.[1];
  return name !== undefined && CALLED_SECRET.test(name);
}

/** `KEY=value` is one run: the value of what is called a secret begins behind its name. */
function startOfNamed(text: string, at: number, end: number): number {
  const stop = Math.min(end - SHORTEST_QUOTED, at + LONGEST_NAME);
  let value = at;
  while (value < stop && isIn(WORD | DASH, text.charCodeAt(value))) value += 1;
  if (value >= stop || value === at || text.charCodeAt(value) !== 61 || text.charCodeAt(value + 1) === 61) return at;
  return SAYS_SECRET.test(text.slice(at, value)) ? value + 1 : at;
}

/** The part of an address that follows the version of an interface. */
function versionedSegment(text: string, from: number, to: number): { start: number; end: number } | undefined {
  if (to - from < SHORTEST_VERSIONED) return undefined;
  const found = VERSIONED.exec(text.slice(from, Math.min(to, from + LONGEST)));
  if (found === null) return undefined;
  const end = from + found.index + found[0].length;
  return { start: end - (found[1] as string).length, end };
}

/** Lines of a certificate hold no tokens. */
function report(scan: Scan, start: number, from: number): number {
  if (scan.memo(NEAR_ARMOR, () => new PublicArmor(scan.text)).holds(start)) return 0;
  let end = from;
  while (end > start && '.~'.includes(scan.text.charAt(end - 1))) end -= 1;
  scan.report('vendor-token', start, end, 'low');
  return from;
}

/** A client made of its key: `("`, `.New("`, `::Client.new('`, `Client("user", "`. */
const MADE_OF = /^(?:(?:::|\\{1,2}|\.)\w{1,24}){0,3}\((?:["'`][\w.@-]{1,40}["'`],[ \t]?)?["'`]$/;
/** A call that asks for a thing by its id. */
const ASKS = /(?:get|find|fetch|load|delete|remove|update|show|retrieve|list|open|read|by|for|render|expect|assert)[A-Za-z]*$/i;

/** `Get(mistralClient, "id")`. */
const ASKED = /\b(?:get|find|fetch|delete|remove|update|show|retrieve|list)[A-Za-z]{0,12}\($/i;
const LONGEST_CALL = 24;
/** As much as the names of one enumeration begin with. */
export const SAME_HEAD = 8;
/** `'name', 'digest'`. */
const LISTED = /^["'`],\s{0,4}["'`]$/;
const OF_DIGESTS = /hash|digest|checksum/i;

/** True for a name in a call or list of digests: `hashes.set('name', '…')`. */
export function isAmongDigests(text: string, nameStart: number): boolean {
  return OF_DIGESTS.test(text.slice(Math.max(0, nameStart - 32), nameStart));
}

/** True for a text that is a token, for the vendor's name before it and what stands between. */
export function isTokenNear(text: string, nameStart: number, nameEnd: number, start: number, end: number): boolean {
  if (!isTokenPlace(text, end)) return false;
  const between = text.slice(nameEnd, start);
  if (between.includes('arn:') || /^:[a-z]+:$/.test(between)) return false;
  if (ASKED.test(text.slice(Math.max(0, nameStart - LONGEST_CALL), nameStart))) return false;
  if (LISTED.test(between) && isAmongDigests(text, nameStart)) return false;
  if (text.startsWith(text.slice(nameStart, nameStart + SAME_HEAD), start)) return false;
  if (PUBLIC_BEFORE.test(between.slice(-PUBLIC_LEAD))) return false;
  return isToken(text, start, end, (short) => (short ? SAYS_SECRET.test(between) : isSecretPlace(between, text.slice(nameStart, nameEnd))));
}

/** True behind what leads to a digest, a revision or an address. */
export function saysPublic(text: string, start: number): boolean {
  return PUBLIC_BEFORE.test(text.slice(Math.max(0, start - PUBLIC_LEAD), start));
}

function isSecretPlace(between: string, name: string): boolean {
  if (between.includes('(') && MADE_OF.test(between)) return !ASKS.test(name.slice(name.lastIndexOf('.') + 1));
  return !/[A-Za-z0-9]/.test(between) || SAYS_SECRET.test(between) || isNamedPrivately(between);
}

/** True when a name stands right before the value and says nothing public of it. */
function isNamedPrivately(between: string): boolean {
  const name = NAME_BEFORE.exec(between)?.[1];
  return name !== undefined && !PUBLIC_NAME.test(name);
}

/** The first characters that NOTE may have. */
const NOTED = new Uint8Array(128);
for (const character of "' _-aApPsStTkKcC") NOTED[character.charCodeAt(0)] = 1;

/** The quick way out before NOTE. */
function mayBeNoted(text: string, nameEnd: number): boolean {
  const code = codeAt(text, nameEnd);
  return code >= 128 || NOTED[code] === 1;
}

/** `x = "value"  # vendor's token`: a comment that names the value before it. */
function confirmNoted(scan: Scan, nameStart: number, nameEnd: number): number {
  const { text } = scan;
  if (!mayBeNoted(text, nameEnd) || !NOTE.test(text.slice(nameEnd, nameEnd + 24)) || readingOf(text, nameStart, nameEnd) !== 'vendor')
    return 0;
  const mark = COMMENT.exec(text.slice(Math.max(0, nameStart - 56), nameStart));
  if (mark === null) return 0;
  let end = nameStart - mark[0].length;
  const near = end;
  while (near - end < 8 && (isSpace(text.charCodeAt(end - 1)) || '"\'`,;)'.includes(text.charAt(end - 1)))) end -= 1;
  const start = scan.runStart(TOKEN68, end, LONGEST);
  if (end - start < SHORTEST_QUOTED || !isToken(text, start, end, () => true)) return 0;
  report(scan, start, end);
  return nameEnd;
}

/** `V4L2_PIX_FMT_NV12`: four words at least. */
const CONSTANT = /^[A-Z\d]+(?:_[A-Z\d]+){3,}$/;

/** As few hexadecimal digits as a token has; or as many as Pusher's, Customer.io's and Uploadcare's, which no digest and no id has. */
const SHORTEST_HEX = 28;
const SHORT_HEX = 20;

/** Shorter hexadecimal runs are too common but for those of twenty. */
export const mayBeHexToken = (length: number): boolean => length >= SHORTEST_HEX || length === SHORT_HEX;

const isLong = (short: boolean): boolean => !short;

/** False for a name that is called, the text of a link and a member's name. */
export function isTokenPlace(text: string, end: number): boolean {
  return text.charCodeAt(end) !== 40 && !text.startsWith('](', end) && !/^["'`]\??:/.test(text.slice(end, end + 3));
}

/** One of several lines of one length. */
function isLineOfData(text: string, start: number, end: number): boolean {
  if (!isBreak(codeAt(text, end)) || !isBreak(codeBefore(text, start))) return false;
  const line = end - start + 1;
  return isBreak(codeAt(text, end + line)) || isBreak(codeBefore(text, start - line));
}

/** True for text that chance made; for hexadecimal digits only where the place says that they are secret. */
function isToken(text: string, start: number, end: number, isSecretPlace: (short: boolean) => boolean): boolean {
  const length = end - start;
  const quoted = /["'`]/.test(text.charAt(start - 1)) && text.charAt(end) === text.charAt(start - 1);
  if (length > LONGEST || length < (quoted ? SHORTEST_QUOTED : SHORTEST)) return false;
  const value = text.slice(start, end);
  if (length >= DATA_LINE && isLineOfData(text, start, end)) return false;
  if (
    /^0x(?:[\da-fA-F]*\.[\da-f]+p|[\da-fA-F]{1,63}[uUlL]{0,3}$|[\da-f]{65})|^[a-z]+[A-Z]\w*_[\da-f]{16}$|^[./]|(?:^|\/)[a-z]{3,}\/|\/[a-z]{4,}$|=[^=]|^\d{1,3}\.\d{1,3}-[0-9a-f]+$/.test(
      value,
    )
  )
    return false;
  if (
    DATA_HEAD.test(value) ||
    CONSTANT.test(value) ||
    isSequence(value) ||
    isShown(value) ||
    /EXAMPLE|example/.test(value) ||
    /\.[a-z]{1,4}$/.test(value)
  )
    return false;
  const made = makeUpOf(text, start, end);
  if (!made.hex) return made.digits >= 2 && looksRandom(made) && !(joinsWords(value) && readsAsWords(value));
  // Forty capital digits are the fingerprint of an OpenPGP key.
  if (length === 40 && made.upper > 0 && made.lower === 0) return false;
  if (!mayBeHexToken(length)) return false;
  return made.digits >= 4 && made.digits < length && entropyOf(value) > 2.9 && isSecretPlace(length === SHORT_HEX);
}
