import { isSequence, isStandIn, isWordLike, mixesDigits } from '../benign-values.js';
import { startsToken } from '../boundary.js';
import { ALNUM, BASE64URL, isAlnum, TOKEN68, WORD } from '../charset.js';
import { endsInBase62Checksum } from '../checksums.js';
import { distinctCharacters, entropyOf } from '../entropy.js';
import type { Rule, Scan } from '../rule.js';
import { VENDOR_SHAPES, type VendorShape } from './vendor-shapes.js';

/** A long head is triggered by its start: fewer states, and the rest is compared once. */
const TRIGGER_LENGTH = 10;

/** Tokens that vendors mark by a literal head (RED-2). Heads are compared with their case. */
export function vendorTokenRules(): Rule[] {
  const byTrigger = new Map<string, VendorShape[]>();
  for (const shape of VENDOR_SHAPES) {
    const trigger = shape.head.slice(0, TRIGGER_LENGTH).toLowerCase();
    byTrigger.set(trigger, [...(byTrigger.get(trigger) ?? []), shape]);
  }
  const byHead: Rule[] = [...byTrigger].map(([trigger, shapes]) => ({
    triggers: [trigger],
    confirm(scan, start) {
      for (const shape of shapes) confirmShape(scan, start, shape);
    },
  }));
  return [...byHead, sendgrid, mailchimp, openaiMark, telegram, discord, prefixedToken];
}

function confirmShape(scan: Scan, start: number, shape: VendorShape): void {
  const { text } = scan;
  if (!text.startsWith(shape.head, start) || !startsToken(text, start)) return;
  const bodyStart = start + shape.head.length;
  const end = trimmedEnd(scan, shape.mask, bodyStart);
  const length = end - bodyStart;
  if (length < shape.min || length > shape.max) return;
  if ((shape.mask & WORD) === shape.mask && isAlnum(text.charCodeAt(end)) && !shape.checksum) return;
  const body = text.slice(bodyStart, Math.min(end, bodyStart + 256));
  if (shape.checksum && endsInBase62Checksum(body)) {
    scan.report(shape.rule, start, end, 'high');
    return;
  }
  // Sixteen capitals in a row are no word: one key in twenty has no digit, or one at its end.
  if (isSampleBody(body, !CAPITALS.test(body))) return;
  if (shape.headIs === 'common' && !looksRandom(body)) return;
  scan.report(shape.rule, start, end, shape.headIs === 'unique' ? 'high' : 'low');
}

/** Punctuation at the end of a run belongs to the sentence, not to the token; padding stays. */
function trimmedEnd(scan: Scan, mask: number, from: number): number {
  let end = scan.runEnd(mask, from);
  while (end > from && !isAlnum(scan.text.charCodeAt(end - 1)) && scan.text.charCodeAt(end - 1) !== 61) end -= 1;
  return end;
}

const CAPITALS = /^[A-Z0-9]{16,}$/;

/** `ghp_xxxxxxxx`, `sk_test_your_key_here`, `AKIA1234567890123456`-like fillers. */
function isSampleBody(body: string, mayBeWord = true): boolean {
  if (distinctCharacters(body) < 5) return true;
  if (mayBeWord && body.length < 30 && isWordLike(body)) return true;
  return (
    /x{6}|\*{3}|\.{3}|your[-_]|[-_]here$|placeholder|example[-_.]/i.test(body) ||
    (body.length > 8 && isSequence(body) && !mixesDigits(body))
  );
}

function looksRandom(body: string): boolean {
  return mixesDigits(body) && !isStandIn(body) && entropyOf(body) > (/^[0-9a-fA-F-]+$/.test(body) ? 2.8 : 3.3);
}

/** SendGrid: `SG.` 22 `.` 43. */
const sendgrid: Rule = {
  triggers: ['sg.'],
  confirm(scan, start, end) {
    if (!scan.text.startsWith('SG.', start) || !startsToken(scan.text, start)) return;
    const dot = scan.runEnd(BASE64URL, end);
    if (dot - end < 16 || dot - end > 32 || scan.text.charCodeAt(dot) !== 46) return;
    const stop = scan.runEnd(BASE64URL, dot + 1);
    if (stop - dot > 32 && stop - dot < 80) scan.report('sendgrid-key', start, stop, 'high');
  },
};

/** Mailchimp: 32 hex digits, `-us` and a data centre. */
const mailchimp: Rule = {
  triggers: ['-us'],
  confirm(scan, start, end) {
    const from = scan.runStart(ALNUM, start, 40);
    const body = scan.text.slice(from, start);
    const centre = scan.text.charCodeAt(end);
    if (body.length !== 32 || !/^[0-9a-f]{32}$/.test(body) || centre < 48 || centre > 57) return;
    if (distinctCharacters(body) >= 5) scan.report('mailchimp-key', from, scan.runEnd(ALNUM, end), 'high');
  },
};

/** OpenAI keys of every kind carry this mark in the middle, whatever their head. */
const openaiMark: Rule = {
  triggers: ['t3blbkfj'],
  confirm(scan, start, end) {
    if (!scan.text.startsWith('T3BlbkFJ', start)) return;
    const from = scan.runStart(BASE64URL, start, 120);
    const stop = scan.runEnd(BASE64URL, end);
    if (start - from >= 12 && stop - end >= 16 && stop - end <= 120 && scan.text.startsWith('sk-', from))
      scan.report('openai-key', from, stop, 'high');
  },
};

/** Telegram bots: digits, `:AA`, 33 more. */
const telegram: Rule = {
  triggers: [':aa'],
  confirm(scan, start, end) {
    const { text } = scan;
    if (!text.startsWith(':AA', start)) return;
    const stop = scan.runEnd(BASE64URL, end);
    if (stop - end < 32 || stop - end > 34) return;
    let from = start;
    while (start - from < 12 && text.charCodeAt(from - 1) >= 48 && text.charCodeAt(from - 1) <= 57) from -= 1;
    if (start - from >= 7) scan.report('telegram-token', from, stop, 'high');
  },
};

/** Discord bots: base64 of a numeric id, so it starts with M, N or O and a fixed alphabet; then 6 and 27 or more. */
const discord: Rule = {
  triggers: ['mt', 'nd', 'nj', 'nt', 'nz', 'od', 'ot', 'mz', 'mj'],
  confirm(scan, start) {
    const { text } = scan;
    const first = text.charCodeAt(start);
    if (first < 77 || first > 79 || !startsToken(text, start)) return;
    const dot = scan.runEnd(BASE64URL, start);
    if (dot - start < 23 || dot - start > 28 || text.charCodeAt(dot) !== 46) return;
    const second = scan.runEnd(BASE64URL, dot + 1);
    if (second - dot !== 7 || text.charCodeAt(second) !== 46) return;
    const stop = scan.runEnd(BASE64URL, second + 1);
    if (stop - second >= 27 && stop - second <= 50) scan.report('discord-token', start, stop, 'high');
  },
};

/** `acme_live_` and a long random rest: the form most vendors without a name of their own here have settled on. */
const prefixedToken: Rule = {
  triggers: [
    'live',
    'test',
    'pat',
    'sk',
    'key',
    'secret',
    'token',
    'api',
    'prod',
    'production',
    'sandbox',
    'v1',
    'v2',
    'oat',
    'sat',
    'svc',
    'access',
    'refresh',
  ].map((word) => `_${word}_`),
  confirm(scan, start, end) {
    const { text } = scan;
    const stop = scan.runEnd(ALNUM, end);
    if (stop - end < 24 || stop - end > 160) return;
    const from = scan.runStart(WORD, start, 24);
    if (from === start || !startsToken(text, from)) return;
    const body = text.slice(end, stop);
    if (countDigits(body) >= 2 && looksRandom(body) && !isSampleBody(body))
      scan.report('prefixed-token', from, scan.runEnd(TOKEN68 & WORD, end), 'low');
  },
};

function countDigits(body: string): number {
  let digits = 0;
  for (let i = 0; i < body.length; i += 1) if (body.charCodeAt(i) >= 48 && body.charCodeAt(i) <= 57) digits += 1;
  return digits;
}
