import { startsToken } from '../../grammar/boundary.js';
import { isCodeLiteral } from '../../grammar/code-literals.js';
import type { Rule, Scan } from '../../grammar/rule.js';
import { isStandIn, isWordLike, mixesDigits } from '../../lexicon/benign-values.js';
import { BASE64, isAlnum, isSpace, TOKEN68 } from '../../lexicon/charset.js';

const RULE = 'authorization';
/** Between the name of a header and its scheme: quotes of any escaping, a link and spaces. */
const HEADER_LINK = /(?:\\{0,7}["'`]|\]){0,2}[ \t]{0,8}(?:=>|:|=|,)[ \t]{0,8}(?:\\{0,7}["'`])?[ \t]{0,4}/y;
/** Has a rule of its own. */
const BEARER = /bearer[ \t]/iy;
/** Schemes other than Bearer and Basic. */
const OTHER_SCHEME =
  /(?:token|api-?token|apikey|api-key|key|ssws|negotiate|ntlm|hawk|aws4-hmac-sha256|sharedkey|splunk|genie-?key|bot|oauth|digest|pat|jwt|dpop|private-token|algolia|sso-key)[ \t]{1,4}(?:token=|[\w-]{1,64}:)?/iy;

/** A scheme of somebody's own: its token is as long as tokens are. */
const ANY_SCHEME = /[A-Za-z][\w-]{2,24}[ \t]{1,4}(?=[\w.~+/=:-]{20})/y;

/** `"Bearer " + "…"`, `("Bearer", "…")`: scheme and token in literals of their own. */
const BETWEEN_LITERALS = /(["'`])[ \t]{0,4}[+.,&][ \t]{0,4}@?\1/y;

/**
 * Credentials in Authorization headers and their kin (RED-2): Bearer, Basic, token schemes, Digest
 * responses, SMTP AUTH.
 */
export function authorizationHeaderRules(): Rule[] {
  return [bearer, basic, authorization, digestResponse, smtpAuth, smtpAnswer];
}

const bearer: Rule = {
  triggers: ['bearer', 'bearer%20'],
  confirm(scan, start, end) {
    const { text } = scan;
    if (!startsToken(text, start)) return;
    let at = end;
    while (isSpace(text.charCodeAt(at)) && at - end < 8) at += 1;
    if (text.startsWith('%20', at)) at += 3;
    BETWEEN_LITERALS.lastIndex = at;
    if (BETWEEN_LITERALS.test(text)) at = BETWEEN_LITERALS.lastIndex;
    if (at > end) reportToken(scan, at, 12);
  },
};

const basic: Rule = {
  triggers: ['basic '],
  confirm(scan, start, end) {
    BETWEEN_LITERALS.lastIndex = end;
    const from = BETWEEN_LITERALS.test(scan.text) ? BETWEEN_LITERALS.lastIndex : end;
    const stop = scan.runEnd(BASE64, from);
    const encoded = scan.text.slice(from, stop);
    if (!startsToken(scan.text, start) || encoded.length < 8 || encoded.length > 1024 || isWordLike(encoded)) return;
    if (decodesToCredentials(encoded) || (isGenerated(encoded) && isHeader(scan.text, start)))
      scan.report(RULE, from, stop, 'low');
  },
};

/** Some services take their key as it is. */
const isGenerated = (value: string): boolean => value.length >= 24 && mixesDigits(value);
const isHeader = (text: string, at: number): boolean =>
  /authorization["']?[ \t]{0,4}[:=,][ \t]{0,4}["']?$/i.test(text.slice(Math.max(0, at - 28), at));

/** True for base64 of `user:password` in printable characters. */
function decodesToCredentials(encoded: string): boolean {
  const decoded = Buffer.from(encoded, 'base64').toString();
  if (decoded.length < 3 || decoded.includes('\ufffd') || !decoded.includes(':')) return false;
  for (let i = 0; i < decoded.length; i += 1) {
    const code = decoded.charCodeAt(i);
    if (code < 32 || code === 127) return false;
  }
  return true;
}

const authorization: Rule = {
  triggers: ['authorization'],
  confirm(scan, start, end) {
    HEADER_LINK.lastIndex = end;
    if (!startsTokenOrDash(scan.text, start) || !HEADER_LINK.test(scan.text)) return;
    const at = HEADER_LINK.lastIndex;
    BEARER.lastIndex = at;
    if (BEARER.test(scan.text)) return;
    OTHER_SCHEME.lastIndex = at;
    ANY_SCHEME.lastIndex = at;
    if (OTHER_SCHEME.test(scan.text)) reportToken(scan, OTHER_SCHEME.lastIndex, 8);
    else reportToken(scan, ANY_SCHEME.test(scan.text) ? ANY_SCHEME.lastIndex : at, 16);
  },
};

function startsTokenOrDash(text: string, at: number): boolean {
  return startsToken(text, at) || text.charCodeAt(at - 1) === 45 || isAlnum(text.charCodeAt(at - 1));
}

const MEMBER = /^[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)+$/;
/** `a.B=a.C=`: minified code. */
const ASSIGNMENTS = /^[A-Za-z_$.]+=[A-Za-z_$.=]+$/;
/** `oauth/pre_authorization`: a file of code. */
const WORDS_OF_PATH = /^[a-z]+(?:[/_][a-z]+)+$/;

/** Reports the token at `at` when it is neither a word, a format nor a name; short ones must mix digits in. */
function reportToken(scan: Scan, at: number, plainLength: number): void {
  const { text } = scan;
  let end = scan.runEnd(TOKEN68, at);
  while (end > at && (text.charCodeAt(end - 1) === 46 || text.charCodeAt(end - 1) === 45)) end -= 1;
  const length = end - at;
  if (length < 8 || length > 16_384) return;
  const value = text.slice(at, Math.min(end, at + 256));
  if (!mixesDigits(value) && (length < plainLength + 8 || isWordLike(value))) return;
  if (text.charCodeAt(end) === 40 || isStandIn(value)) return;
  if (
    MEMBER.test(value) &&
    (!/\d/.test(value.replace(/_\d+(?=\.)|\bV\d+(?=\.)/g, '')) ||
      isWordLike(value.replaceAll('.', '-').replace(/\d_/g, '_')))
  )
    return;
  if (/^\d+[ul]*$/i.test(value) || WORDS_OF_PATH.test(value) || ASSIGNMENTS.test(value) || isCodeLiteral(value)) return;
  scan.report(RULE, at, end, 'low');
}

/** The response of HTTP Digest, which a dictionary can be tried against. */
const digestResponse: Rule = {
  triggers: ['response="', 'response=\\"'],
  confirm(scan, _start, end) {
    const stop = scan.runEnd(BASE64, end);
    if (stop - end >= 32 && stop - end <= 128 && /^[0-9a-f]+$/.test(scan.text.slice(end, stop)))
      scan.report(RULE, end, stop, 'low');
  },
};

/** SMTP and IMAP: `AUTH PLAIN <base64>`, `AUTH LOGIN <base64>` (RED-5). */
const smtpAuth: Rule = {
  triggers: ['auth plain ', 'auth login ', 'authenticate plain ', 'auth cram-md5 ', 'auth xoauth2 '],
  confirm(scan, _start, end) {
    const stop = scan.runEnd(BASE64, end);
    const encoded = scan.text.slice(end, Math.min(stop, end + 512));
    if (
      encoded.length < 8 ||
      scan.text.charCodeAt(stop) === 40 ||
      isWordLike(encoded) ||
      (!/[0-9=]/.test(encoded) && !/[a-z][A-Z]/.test(encoded))
    )
      return;
    scan.report(RULE, end, stop, 'low');
  },
};

/** `334 UGFzc3dvcmQ6` of a recorded session asks for the password in base64; the next line is the answer. */
const smtpAnswer: Rule = {
  triggers: ['334 ugfzc3dvcmq6'],
  confirm(scan, _start, end) {
    const before = /^\r?\n(?:[-+>]|[Cc](?:lient)?:|>>>)?[ \t]{0,4}(?=[A-Za-z0-9+/=]{4,512}\s{0,4}(?:\n|$))/.exec(
      scan.text.slice(end, end + 560),
    );
    if (before === null) return;
    const from = end + before[0].length;
    scan.report(RULE, from, scan.runEnd(BASE64, from), 'low');
  },
};
