import {
  BASE64,
  BASE64_BODY,
  BASE64URL,
  DIGIT,
  HEX,
  isAlnum,
  isDigit,
  isIn,
  isUpper,
  LOWER,
} from '../../lexicon/charset.js';
import { distinctCharacters } from '../../lexicon/entropy.js';
import { looksRandom, makeUpOf } from '../../lexicon/randomness.js';
import { startsToken } from '../boundary.js';
import type { Scan } from '../rule.js';

/** The head of a token at the end of a text, behind no part of a name. */
function endingIn(head: string): RegExp {
  return new RegExp(String.raw`(?:^|[^\w.-]|\\[nrt])(${head})$`);
}

/**
 * Tokens whose heads are too short for a literal: the run of letters and digits they hold is found
 * first. True when one was reported.
 */
export function confirmVendorRun(scan: Scan, start: number, end: number): boolean {
  const length = end - start;
  const first = scan.text.charCodeAt(start);
  if (length === 34 && (first === 83 || first === 65)) return confirmTwilio(scan, start, end);
  if (length === 64) return confirmAirtable(scan, start, end);
  if (length === 32) return confirmOfThirtyTwo(scan, start, end);
  if (length === 30 && confirmBitwarden(scan, start, end)) return true;
  if (length === 20 || length === 22) return confirmShortHead(scan, start, end);
  if (length === 35) return confirmFibery(scan, start, end);
  if (length === 40) return confirmWooCommerce(scan, start, end);
  if (length === 54) return confirmRancher(scan, start, end);
  if (length >= 24 && length <= 26 && confirmVault(scan, start, end)) return true;
  if (length >= 56 && length <= 58 && first === 83) return confirmNatsSeed(scan, start, end);
  return length >= 23 && length <= 28 && first >= 77 && first <= 79 && confirmDiscord(scan, start, end);
}

/** Twilio: `SK` or `AC` and 32 hex digits. */
function confirmTwilio(scan: Scan, start: number, end: number): boolean {
  const { text } = scan;
  const head = text.slice(start, start + 2);
  if (
    (head !== 'SK' && head !== 'AC') ||
    scan.runEnd(HEX, start + 2) !== end ||
    distinctCharacters(text, start + 2, end) < 6
  )
    return false;
  scan.report('twilio-key', start, end, 'low');
  return true;
}

/** Airtable: `pat`, 14, `.` and 64 hex digits; of an application `.v1.` and a third part between. */
const AIRTABLE_GRANT = endingIn(String.raw`[A-Za-z0-9]{10,40}\.v1\.[\w-]{16,160}\.`);

function confirmAirtable(scan: Scan, start: number, end: number): boolean {
  const { text } = scan;
  if (text.charCodeAt(start - 1) !== 46) return false;
  if (!text.startsWith('pat', start - 18) || !startsToken(text, start - 18)) {
    const head =
      scan.runEnd(HEX, start) === end
        ? AIRTABLE_GRANT.exec(text.slice(Math.max(0, start - 208), start))?.[1]
        : undefined;
    if (head !== undefined) scan.report('airtable-token', start - head.length, end, 'high');
    return head !== undefined;
  }
  for (let at = start - 15; at < start - 1; at += 1) if (!isAlnum(text.charCodeAt(at))) return false;
  scan.report('airtable-token', start - 18, end, 'high');
  return true;
}

/** Asana: `1/`, the user's number, `:` and 32 hex digits. */
function confirmAsana(scan: Scan, start: number, end: number): boolean {
  const { text } = scan;
  const head = /(?:^|[^\w/.-]|\\[nrt])([12]\/(?:\d{15,18}\/)?\d{15,18}:)$/.exec(
    text.slice(Math.max(0, start - 43), start),
  );
  if (head === null || scan.runEnd(HEX, start) !== end) return false;
  scan.report('asana-token', start - (head[1] as string).length, end, 'high');
  return true;
}

function confirmOfThirtyTwo(scan: Scan, start: number, end: number): boolean {
  if (scan.runEnd(HEX, start) !== end) return confirmPushbullet(scan, start, end) || confirmTableau(scan, start, end);
  return (
    confirmAsana(scan, start, end) || confirmLastOfThree(scan, start, end) || confirmFirstOfSeveral(scan, start, end)
  );
}

/** Pushbullet: `o.` and 32. */
function confirmPushbullet(scan: Scan, start: number, end: number): boolean {
  const { text } = scan;
  if (!text.startsWith('o.', start - 2) || !startsToken(text, start - 2) || /[.(]/.test(text.charAt(start - 3)))
    return false;
  if (isIn(BASE64URL, text.charCodeAt(end)) || text.charCodeAt(end) === 40 || !looksRandom(makeUpOf(text, start, end)))
    return false;
  scan.report('pushbullet-token', start - 2, end, 'low');
  return true;
}

/** Tableau's personal access tokens: sixteen bytes in base64, `:` and 32. */
function confirmTableau(scan: Scan, start: number, end: number): boolean {
  const { text } = scan;
  if (!text.startsWith('==:', start - 3)) return false;
  const from = scan.runStart(BASE64_BODY, start - 3, 23);
  if (start - 3 - from !== 22 || !startsToken(text, from) || !looksRandom(makeUpOf(text, start, end))) return false;
  scan.report('tableau-token', from, end, 'low');
  return true;
}

/** Mailgun: 32 hex digits and twice eight; Ollama: 32 hex digits, `.` and 24. */
function confirmFirstOfSeveral(scan: Scan, start: number, end: number): boolean {
  const { text } = scan;
  const mark = text.charCodeAt(end);
  if ((mark !== 45 && mark !== 46) || !startsToken(text, start) || distinctCharacters(text, start, end) < 6)
    return false;
  const stop = scan.runEnd(BASE64URL, end + 1);
  if (mark === 45 ? !/^-[0-9a-f]{8}-[0-9a-f]{8}$/.test(text.slice(end, Math.min(stop, end + 24))) : stop - end !== 25)
    return false;
  if (mark === 46 && !looksRandom(makeUpOf(text, end + 1, stop))) return false;
  scan.report(mark === 45 ? 'mailgun-key' : 'ollama-key', start, stop, 'low');
  return true;
}

const FIBERY_HEAD = endingIn(String.raw`[0-9a-f]{8}\.`);

/** Fibery: eight hex digits, `.` and 35. */
function confirmFibery(scan: Scan, start: number, end: number): boolean {
  const head = FIBERY_HEAD.exec(scan.text.slice(Math.max(0, start - 11), start))?.[1];
  if (head === undefined || scan.runEnd(HEX, start) !== end) return false;
  scan.report('fibery-token', start - head.length, end, 'low');
  return true;
}

/** WooCommerce: `ck_` or `cs_`, for the consumer's key and its secret, and 40 hex digits. */
function confirmWooCommerce(scan: Scan, start: number, end: number): boolean {
  const { text } = scan;
  const head = text.slice(start - 3, start);
  if ((head !== 'ck_' && head !== 'cs_') || !startsToken(text, start - 3) || scan.runEnd(HEX, start) !== end)
    return false;
  if (distinctCharacters(text, start, end) < 6) return false;
  scan.report('woocommerce-key', start - 3, end, 'low');
  return true;
}

/** Zoho: `1000.` and twice 32 hex digits; Infisical: `st.`, 24 and twice 32. The last part is the run. */
const BEFORE_LAST = /(?:^|[^\w.]|\\[nrt])(1000\.[0-9a-f]{32}\.|st\.[0-9a-f]{24}\.[0-9a-f]{32}\.)$/;

function confirmLastOfThree(scan: Scan, start: number, end: number): boolean {
  const { text } = scan;
  if (text.charCodeAt(start - 1) !== 46 || scan.runEnd(HEX, start) !== end) return false;
  const head = BEFORE_LAST.exec(text.slice(Math.max(0, start - 65), start))?.[1];
  if (head === undefined) return false;
  scan.report(head.startsWith('st') ? 'infisical-token' : 'zoho-token', start - head.length, end, 'high');
  return true;
}

/** Bitwarden's machine accounts: `0.`, a UUID, `.`, 30 characters, `:` and a key of 16 bytes in base64. */
function confirmBitwarden(scan: Scan, start: number, end: number): boolean {
  const { text } = scan;
  if (text.charCodeAt(start - 1) !== 46 || text.charCodeAt(end) !== 58) return false;
  const head = /(?:^|[^\w.]|\\[nrt])(0\.[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\.)$/.exec(
    text.slice(Math.max(0, start - 42), start),
  )?.[1];
  const stop = scan.runEnd(BASE64, end + 1);
  if (head === undefined || stop - end < 23 || stop - end > 30) return false;
  scan.report('bitwarden-token', start - head.length, stop, 'high');
  return true;
}

/** Close: `api_`, 22, `.` and 22; Modal: `ak-` or `as-` and 22; Mandrill: `md-` and 22. */
const SHORT_HEAD = endingIn(String.raw`api_[A-Za-z0-9]{22}\.|a[ks]-|md-`);
/** Composio: `ak_` or `ck_` and 20. */
const SHORTER_HEAD = endingIn('[ac]k_');

function confirmShortHead(scan: Scan, start: number, end: number): boolean {
  const { text } = scan;
  const before = text.charCodeAt(start - 1);
  const after = text.charCodeAt(end);
  if ((before !== 45 && before !== 46 && before !== 95) || after === 45 || after === 46 || after === 95) return false;
  const head = (end - start === 22 ? SHORT_HEAD : SHORTER_HEAD).exec(text.slice(Math.max(0, start - 30), start))?.[1];
  if (head === undefined || !looksRandom(makeUpOf(text, start, end))) return false;
  scan.report('vendor-token', start - head.length, end, 'low');
  return true;
}

/** Rancher: `token-`, five characters, `:` and 54 more. */
function confirmRancher(scan: Scan, start: number, end: number): boolean {
  const head = /(?:token|kubeconfig-u)-[a-z0-9]{5,12}:$/.exec(scan.text.slice(Math.max(0, start - 32), start));
  if (head === null || scan.runEnd(LOWER | DIGIT, start) !== end) return false;
  scan.report('rancher-token', start - head[0].length, end, 'high');
  return true;
}

/** Vault's older service tokens: `s.` and 24 characters. */
function confirmVault(scan: Scan, start: number, end: number): boolean {
  const { text } = scan;
  if (!text.startsWith('s.', start - 2) || !startsToken(text, start - 2) || text.charCodeAt(end) === 40) return false;
  if (text.charCodeAt(start - 3) === 46 || !looksRandom(makeUpOf(text, start, end))) return false;
  scan.report('vault-token', start - 2, end, 'low');
  return true;
}

/** NATS: `S`, a letter for its kind, base32. */
function confirmNatsSeed(scan: Scan, start: number, end: number): boolean {
  const { text } = scan;
  if (!'ACNOUX'.includes(text.charAt(start + 1))) return false;
  for (let at = start; at < end; at += 1) {
    const code = text.charCodeAt(at);
    if (!isUpper(code) && !(isDigit(code) && code >= 50 && code <= 55)) return false;
  }
  scan.report('nats-seed', start, end, 'high');
  return true;
}

/** Discord bots: base64 of a numeric id, so it starts with M, N or O; then 6 and 27 or more. */
function confirmDiscord(scan: Scan, start: number, end: number): boolean {
  const { text } = scan;
  if (text.charCodeAt(end) !== 46) return false;
  const second = scan.runEnd(BASE64URL, end + 1);
  if (second - end !== 7 || text.charCodeAt(second) !== 46) return false;
  const stop = scan.runEnd(BASE64URL, second + 1);
  if (stop - second < 27 || stop - second > 50) return false;
  scan.report('discord-token', start, stop, 'high');
  return true;
}
