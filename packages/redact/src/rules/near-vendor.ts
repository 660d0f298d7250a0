import { isSequence } from '../benign-values.js';
import { BASE64, isBreak, isIn, TOKEN68 } from '../charset.js';
import { entropyOf } from '../entropy.js';
import { looksRandom, makeUpOf } from '../randomness.js';
import type { Scan } from '../rule.js';

/** How far behind a vendor's name its token may stand. */
const REACH = 80;
const SHORTEST = 20;
const LONGEST = 200;
/** Words between name and value that make even hexadecimal digits a secret. */
const SAYS_SECRET = /token|key|secret|api|auth|cred|passw/i;
/** A digest, a revision or an address, not a token. */
const PUBLIC_BEFORE = /(?:[@/#]|sha\d*[-:]?|md5|hash|commit|rev|id|version|integrity|checksum|digest|etag)["'=: ]{0,4}$/i;

/** Their addresses are full of revisions. */
const CODE_HOST = /github|gitlab|bitbucket|gitea|sourcegraph/i;

interface Memory {
  end: number;
}

const memoryKey = {};

/** Reports the first token that stands within reach of a vendor's name, on the same line or the next; returns its end, or 0. */
export function confirmNearVendor(scan: Scan, nameStart: number, nameEnd: number): number {
  const { text } = scan;
  if (
    isIn(BASE64, text.charCodeAt(nameStart - 1)) ||
    CODE_HOST.test(text.slice(nameStart, nameEnd)) ||
    /\d[a-z]+\d/i.test(text.slice(nameStart, nameEnd))
  )
    return 0;
  const memory = scan.memo(memoryKey, (): Memory => ({ end: 0 }));
  const stop = Math.min(text.length, nameEnd + REACH);
  let breaks = 0;
  for (let at = Math.max(nameEnd, memory.end); at < stop; at += 1) {
    const code = text.charCodeAt(at);
    if (isBreak(code)) {
      if (code === 10) breaks += 1;
      if (breaks > 2) return 0;
    } else if (isIn(TOKEN68, code)) {
      const end = scan.runEnd(TOKEN68, at);
      memory.end = end;
      if (end - at >= SHORTEST && isTokenOf(text, nameEnd, at, end)) {
        scan.report('vendor-token', at, trimmed(text, at, end), 'low');
        return end;
      }
      at = end;
    }
  }
  return 0;
}

function trimmed(text: string, start: number, from: number): number {
  let end = from;
  while (end > start && '.~'.includes(text.charAt(end - 1))) end -= 1;
  return end;
}

function isTokenOf(text: string, nameEnd: number, start: number, end: number): boolean {
  if (end - start > LONGEST || text.charCodeAt(end) === 40) return false;
  const between = text.slice(nameEnd, start);
  if (PUBLIC_BEFORE.test(between)) return false;
  const value = text.slice(start, end);
  if (/^[./]|(?:^|\/)[a-z]{3,}\/|\/[a-z]{4,}$|=./.test(value)) return false;
  if (isSequence(value) || value.includes('//') || /[A-Za-z]{12}/.test(value) || /\.[a-z]{2,4}$/.test(value)) return false;
  const made = makeUpOf(text, start, end);
  if (made.hex)
    return made.digits >= 4 && (end - start) % 4 === 0 && (between.length < 6 || SAYS_SECRET.test(between)) && entropyOf(value) > 2.9;
  return looksRandom(made);
}
