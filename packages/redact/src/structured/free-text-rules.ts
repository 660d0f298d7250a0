import type { Rule } from '../grammar/rule.js';
import { BASE64URL, isIn, isSpace, TOKEN68, WORD } from '../lexicon/charset.js';
import { endOfKeyMarker } from '../rules/tokens/private-keys.js';
import { REDACTED } from './masks.js';

/** Three segments of at least ten characters, the first with `eyJ`: by shape alone, no decoding. */
const jwtShape: Rule = {
  triggers: ['eyj'],
  confirm(scan, start) {
    const { text } = scan;
    if (!text.startsWith('eyJ', start)) return;
    const first = scan.runEnd(BASE64URL, start);
    if (first - start < 13 || text.charCodeAt(first) !== 46) return;
    const second = scan.runEnd(BASE64URL, first + 1);
    if (second - first < 11 || text.charCodeAt(second) !== 46) return;
    const third = scan.runEnd(BASE64URL, second + 1);
    if (third - second >= 11) scan.report('jwt', start, third, 'high');
  },
};

/** `Bearer` and whatever token follows; the scheme's name stays. */
const bearerToken: Rule = {
  triggers: ['bearer'],
  confirm(scan, _start, end) {
    const { text } = scan;
    let at = end;
    while (isSpace(text.charCodeAt(at)) || text.charCodeAt(at) === 10 || text.charCodeAt(at) === 13) at += 1;
    if (at > end) scan.report('authorization', at, scan.runEnd(TOKEN68, at), 'low');
  },
};

interface Pending {
  begin: number;
}

/** From BEGIN to END with whatever stands between, PKCS#8 included. */
const pemBlock: Rule = {
  triggers: ['-----begin ', '-----end '],
  confirm(scan, start, end, trigger) {
    const pending = scan.memo(pemBlock, (): Pending => ({ begin: -1 }));
    const markerEnd = endOfKeyMarker(scan.text, end);
    if (markerEnd < 0) return;
    if (trigger === '-----begin ') {
      if (pending.begin < 0) pending.begin = start;
    } else if (pending.begin >= 0) {
      scan.reportSpans('private-key', [pending.begin, markerEnd], 'high');
      pending.begin = -1;
    }
  },
};

/** Longest user info that is read; longer ones are tokens, which other rules find. */
const MAX_USERINFO = 2048;
/** White space, quotes, `/ ? #`, angle brackets and backslash end the authority of an address. */
const AUTHORITY_END = /[\s"'`/?#<>\\]/g;

/**
 * `scheme://user:password@host`: the password, however short and whatever scheme. An audit payload
 * explains no addresses, so that nothing in it passes for a sample.
 */
const userinfoPassword: Rule = {
  triggers: ['://'],
  confirm(scan, start, end) {
    const { text } = scan;
    if (!isIn(WORD, text.charCodeAt(start - 1))) return;
    // The next address ends this one at its slashes, so that all of them together are read once.
    AUTHORITY_END.lastIndex = end;
    const authority = text.slice(end, Math.min(AUTHORITY_END.exec(text)?.index ?? text.length, end + MAX_USERINFO));
    const colon = authority.indexOf(':');
    const at = authority.lastIndexOf('@');
    if (colon < 0 || at <= colon + 1 || authority.slice(colon + 1, at) === REDACTED) return;
    scan.report('uri-password', end + colon + 1, end + at, 'high');
  },
};

/** The patterns of audit section 3 that stand in free text whatever else it holds (AUD-6, ruling R4). */
export const freeTextRules: readonly Rule[] = [jwtShape, bearerToken, pemBlock, userinfoPassword];
