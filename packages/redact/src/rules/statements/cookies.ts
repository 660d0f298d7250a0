import { reachOf } from '../../grammar/reach.js';
import type { Rule, Scan } from '../../grammar/rule.js';
import { isStandIn, isWordLike } from '../../lexicon/benign-values.js';
import { COOKIE_VALUE, isIn } from '../../lexicon/charset.js';
import { entropyOf } from '../../lexicon/entropy.js';

const RULE = 'cookie';
/** Longest header looked at. */
const MAX_HEADER = 4096;
const MAX_VALUE = 2048;
const HEADER_LINK = /(?:\\{0,7}["'`])?[ \t]{0,8}(?:=>|:|,)[ \t]{0,8}(?:\\{0,7}["'`])?[ \t]{0,4}/y;
const ATTRIBUTE = /^(?:path|domain|expires|max-age|samesite|version|priority|comment|lang|locale|theme|consent)$/i;

/** Values in Cookie and Set-Cookie headers, and of session cookies by their well-known names. */
export function cookieRules(): Rule[] {
  return [header, option, inFile, sessionName];
}

/** `curl -b 'name=value'`. */
const option: Rule = {
  triggers: [" -b '", ' -b "', " --cookie '", ' --cookie "'],
  confirm(scan, _start, from) {
    confirmPairs(scan, from);
  },
};

const header: Rule = {
  triggers: ['cookie'],
  confirm(scan, start, from) {
    const reach = reachOf(scan, header);
    HEADER_LINK.lastIndex = from;
    if (start < reach.end || !HEADER_LINK.test(scan.text)) return;
    reach.end = confirmPairs(scan, HEADER_LINK.lastIndex);
  },
};

/**
 * Reads `name=value; name=value` and reports the values that are not attributes, words or
 * templates. Returns where it stopped.
 */
function confirmPairs(scan: Scan, from: number): number {
  const { text } = scan;
  const stop = Math.min(text.length, from + MAX_HEADER);
  let at = from;
  while (at < stop) {
    const nameStart = at;
    while (at < stop && isCookieName(text.charCodeAt(at))) at += 1;
    if (at === nameStart || text.charCodeAt(at) !== 61) break;
    const valueStart = at + 1;
    at = valueStart;
    while (at < stop && isCookieValue(text.charCodeAt(at))) at += 1;
    reportCookie(scan, text.slice(nameStart, valueStart - 1), valueStart, at);
    if (text.charCodeAt(at) !== 59) break;
    at += 1;
    while (text.charCodeAt(at) === 32) at += 1;
  }
  return at;
}

const isCookieName = (code: number): boolean =>
  code > 32 && code < 127 && !'=;,"\'`<>(){}[]\\/?@:'.includes(String.fromCharCode(code));
const isCookieValue = (code: number): boolean => code === 38 || isIn(COOKIE_VALUE, code);

/** A call, and what follows an assignment of minified code. */
const CODE = /^[\w$.]+\(|^[\w$.]+\?[\w$]+\.\w+\(|\(\)[{;]|^(?:null|true|false|void 0|!\d)\W/;

function reportCookie(scan: Scan, name: string, start: number, end: number): void {
  const value = scan.text.slice(start, Math.min(end, start + 256));
  if (value.length < 8 || ATTRIBUTE.test(name) || isStandIn(value) || isWordLike(value) || CODE.test(value)) return;
  if (/\d/.test(value) || entropyOf(value) > 3.2) scan.report(RULE, start, end, 'low');
}

const sessionName: Rule = {
  triggers: [
    'jsessionid=',
    'phpsessid=',
    'connect.sid=',
    'asp.net_sessionid=',
    '.aspxauth=',
    '_gitlab_session=',
    'sessionid=',
    '_session=',
    'session_id=',
    'laravel_session=',
    'csrftoken=',
    'swarm-session=',
  ],
  confirm(scan, start, end) {
    const reach = reachOf(scan, sessionName);
    if (start < reach.end) return;
    const stop = Math.min(scan.runEnd(COOKIE_VALUE, end), end + MAX_VALUE);
    reach.end = stop;
    if (stop - end >= 16) reportCookie(scan, 'session', end, stop);
  },
};

/** What Netscape's file of cookies holds between a domain and a value, with tabs between: flags, path, time, name. */
const FIELDS = /^[^\t\n]{0,80}\t(?:TRUE|FALSE)\t\d{1,12}\t([^\t\n]{1,60})\t/;

const inFile: Rule = {
  triggers: ['true\t/', 'false\t/'],
  confirm(scan, _start, end) {
    const fields = FIELDS.exec(scan.text.slice(end, end + 200));
    if (fields === null) return;
    const from = end + fields[0].length;
    const stop = Math.min(scan.runEnd(COOKIE_VALUE, from), from + MAX_VALUE);
    reportCookie(scan, fields[1] as string, from, stop);
  },
};
