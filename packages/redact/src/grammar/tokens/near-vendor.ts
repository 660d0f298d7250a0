import {
  BASE64,
  codeAt,
  codeBefore,
  DASH,
  holdsDigit,
  isBreak,
  isIn,
  isSpace,
  TOKEN68,
  WORD,
} from '../../lexicon/charset.js';
import { PublicArmor } from '../../lexicon/public-armor.js';
import { reachOf } from '../reach.js';
import type { Scan } from '../rule.js';
import { isCalledSecret, isLong, isToken, isTokenNear, LONGEST, SAYS_SECRET, SHORTEST_QUOTED } from './near-tokens.js';

/** How far behind a vendor's name its token may stand. */
export const REACH = 80;
/** With the name of the value before it. */
const LONGEST_RUN = LONGEST + 32;
const LONGEST_NAME = 26;
/** A token in an address, where the version of an interface leads to it. */
const VERSIONED = /\/v\d{1,2}(?:\.\d{1,2})?\/([\w-]{20,120})(?=\/|$)/;
const SHORTEST_VERSIONED = 24;
/** What follows a vendor's name in a comment on the value before it. */
const NOTE =
  /^['\u2019s]{0,2}[ _-]{0,2}(?:(?:api|access|auth|app|personal|service)[ _-]?)?(?:token|key|secret|credential|password)/i;
const COMMENT = /(?:#|\/\/|--|\/\*|<!--|;)[ \t]{0,4}(?:[\w']{1,16} ){0,3}$/;

/** Their addresses are full of revisions: only what is called a token or a key counts. */
const CODE_HOST = /github|gitlab|bitbucket|gitea|sourcegraph/i;
const SECRET_OF_HOST = /^[ _-](?:(?:api|access|auth|app|personal|deploy)[ _-]){0,2}(?:token|key|secret|password)\W/i;

/** Asked apart from others, whose questions come in another order. */
const NEAR_ARMOR = {};

/**
 * Reports the first token within reach of a vendor's name, on the same line or the next, or the one
 * that a comment names; returns its end, or 0.
 */
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
    } else if (isIn(TOKEN68, code)) {
      const end = scan.runEnd(TOKEN68, at);
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
  return segment !== undefined && isToken(text, segment.start, segment.end, isLong)
    ? report(scan, segment.start, segment.end)
    : 0;
}

/** What a vendor's name says of what stands behind it. */
type Reading = 'vendor' | 'of a host' | 'none';

function readingOf(text: string, nameStart: number, nameEnd: number): Reading {
  const name = text.slice(nameStart, nameEnd);
  // `import aws_lb.front id`: what is imported is a resource, by its id. `git checkout id`: a revision, and no vendor.
  const isSpaced = codeBefore(text, nameStart) === 32;
  if (
    (isSpaced && (text.startsWith('import ', nameStart - 7) || text.startsWith('git ', nameStart - 4))) ||
    /\d[a-z]+\d/i.test(name)
  )
    return 'none';
  return CODE_HOST.test(name) && !namesSecret(text, nameEnd) ? 'of a host' : 'vendor';
}

function namesSecret(text: string, nameEnd: number): boolean {
  const code = codeAt(text, nameEnd);
  return (code === 32 || code === 45 || code === 95) && SECRET_OF_HOST.test(text.slice(nameEnd, nameEnd + 32));
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
  if (
    !mayBeNoted(text, nameEnd) ||
    !NOTE.test(text.slice(nameEnd, nameEnd + 24)) ||
    readingOf(text, nameStart, nameEnd) !== 'vendor'
  )
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
