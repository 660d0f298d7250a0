import { startsToken } from '../../grammar/boundary.js';
import { reachOf } from '../../grammar/reach.js';
import type { Rule, Scan } from '../../grammar/rule.js';
import { BASE64, BASE64URL, isAlnum } from '../../lexicon/charset.js';

/** A header may be this long; its first members tell what it is. */
const MAX_HEADER = 4096;
const DECODED = 256;

/**
 * JSON web tokens: the first segment decodes to a JOSE header. Unsigned ones and JWE (five
 * segments) count; so does a JWT in base64.
 */
export function jsonWebTokenRules(): Rule[] {
  return [compactToken, wrappedToken];
}

const compactToken: Rule = {
  triggers: ['eyj'],
  confirm(scan, start) {
    const { text } = scan;
    if (!text.startsWith('eyJ', start)) return;
    const before = text.charCodeAt(start - 1);
    if (!startsToken(text, start) && !(before === 95 && isAlnum(text.charCodeAt(start - 2)))) return;
    const firstDot = scan.runEnd(BASE64URL, start);
    if (firstDot - start < 12 || firstDot - start > MAX_HEADER || text.charCodeAt(firstDot) !== 46) return;
    const reach = reachOf(scan, compactToken);
    const end = endOfSegments(scan, firstDot);
    if (end <= reach.end || end - firstDot <= 8) return;
    // A segment of a token that reaches beyond it is of the same chain: decoding each would cost more than all else.
    if (start >= reach.end && !isJoseHeader(text.slice(start, Math.min(firstDot, start + DECODED)))) return;
    reach.end = end;
    scan.report('jwt', start, end, 'high');
  },
};

function isJoseHeader(segment: string): boolean {
  const header = Buffer.from(segment, 'base64url').toString('latin1');
  return header.startsWith('{"') && /"(?:alg|enc|typ|kid|cty|zip|x5[tcu]|jku|jwk|epk|crit|b64|iss)"/.test(header);
}

/**
 * Up to four more segments; JWE may leave the second empty. Padding, raw or as percent escapes,
 * belongs to the token.
 */
function endOfSegments(scan: Scan, firstDot: number): number {
  const { text } = scan;
  let end = firstDot;
  for (let segment = 0; segment < 4 && text.charCodeAt(end) === 46; segment += 1) {
    const next = scan.runEnd(BASE64URL, end + 1);
    if (next === end + 1 && text.charCodeAt(next) !== 46) break;
    end = next;
  }
  while (text.charCodeAt(end) === 61) end += 1;
  while (text.startsWith('%3D', end) || text.startsWith('%3d', end)) end += 3;
  return end;
}

/** `ZXlK` is `eyJ` in base64: a token once more encoded, as in CI variables and Kubernetes secrets. */
const wrappedToken: Rule = {
  triggers: ['zxlk'],
  confirm(scan, start) {
    const { text } = scan;
    if (
      !text.startsWith('ZXlK', start) ||
      (start > 0 && isAlnum(text.charCodeAt(start - 1)) && !startsToken(text, start))
    )
      return;
    const end = scan.runEnd(BASE64, start);
    if (end - start < 40 || end - start > 16_384) return;
    const inner = Buffer.from(text.slice(start, Math.min(end, start + DECODED)), 'base64').toString('latin1');
    const dot = inner.indexOf('.');
    if (isJoseHeader(dot < 0 ? inner : inner.slice(0, dot))) scan.report('jwt', start, end, 'high');
  },
};
