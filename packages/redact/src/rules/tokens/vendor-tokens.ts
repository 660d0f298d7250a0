import { startsToken } from '../../grammar/boundary.js';
import type { Rule, Scan } from '../../grammar/rule.js';
import { markedTokenRules } from '../../grammar/tokens/marked-tokens.js';
import { isSequence, isStandIn, isWordLike, mixesDigits, UUID } from '../../lexicon/benign-values.js';
import { ALNUM, BASE64, BASE64URL, DIGIT, isAlnum, PERCENT, TOKEN68, WORD } from '../../lexicon/charset.js';
import { endsInBase62Checksum } from '../../lexicon/checksums.js';
import { distinctCharacters, entropyOf } from '../../lexicon/entropy.js';
import { looksRandom as lettersLookRandom, makeUpOf } from '../../lexicon/randomness.js';
import { type VendorShape, vendorShapes } from '../../lexicon/vendor-shapes.js';

/** A long head is triggered by its start: fewer states, and the rest is compared once. */
const TRIGGER_LENGTH = 10;

/** Tokens that vendors mark by a literal head (RED-2). Heads are compared with their case. */
export function vendorTokenRules(): Rule[] {
  const byTrigger = new Map<string, VendorShape[]>();
  for (const shape of vendorShapes()) {
    const trigger = shape.head.slice(0, TRIGGER_LENGTH).toLowerCase();
    byTrigger.set(trigger, [...(byTrigger.get(trigger) ?? []), shape]);
  }
  const byHead: Rule[] = [...byTrigger].map(([trigger, shapes]) => ({
    triggers: [trigger],
    confirm(scan, start) {
      // Most stand in the midst of a word or of data.
      if (!startsToken(scan.text, start)) return;
      for (const shape of shapes) if (scan.text.startsWith(shape.head, start)) confirmShape(scan, start, shape);
    },
  }));
  return [...byHead, ...byStructure, ...markedTokenRules()];
}

function confirmShape(scan: Scan, start: number, shape: VendorShape): void {
  const { text } = scan;
  const bodyStart = start + shape.head.length;
  const end = pastEscapes(scan, shape.mask, trimmedEnd(scan, shape.mask, bodyStart), bodyStart + shape.max);
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
  if (
    shape.headIs === 'common'
      ? !(UUID.test(body) || looksRandom(body)) || text.charCodeAt(start - 1) === 95
      : readsAsName(body)
  )
    return;
  scan.report(shape.rule, start, end, shape.headIs === 'unique' ? 'high' : 'low');
}

/** Punctuation at the end of a run belongs to the sentence, not to the token; padding stays. */
function trimmedEnd(scan: Scan, mask: number, from: number): number {
  let end = scan.runEnd(mask, from);
  while (end > from && !isAlnum(scan.text.charCodeAt(end - 1)) && scan.text.charCodeAt(end - 1) !== 61) end -= 1;
  return end;
}

/** In an address base64 has its plus, slash and padding as escapes: the token goes on behind them. */
const BASE64_ESCAPE = /%(?:2[bf]|3d)/iy;
/** As many as a token has at most: one character of thirty-two, and half as many again. */
const MOST_ESCAPES = 64;

function pastEscapes(scan: Scan, mask: number, from: number, limit: number): number {
  let end = from;
  if ((mask & BASE64) !== BASE64) return end;
  for (let count = 0; count < MOST_ESCAPES && end < limit && scan.text.charCodeAt(end) === 37; count += 1) {
    BASE64_ESCAPE.lastIndex = end;
    if (!BASE64_ESCAPE.test(scan.text)) break;
    end = trimmedEnd(scan, mask, end + 3);
  }
  return end;
}

const CAPITALS = /^[A-Z0-9]{16,}$/;

/** `ghp_xxxxxxxx`, `sk_test_your_key_here`, `AKIA1234567890123456`-like fillers. */
function isSampleBody(body: string, mayBeWord = true): boolean {
  if (distinctCharacters(body) < 5) return true;
  if (mayBeWord && body.length < 30 && isWordLike(body)) {
    // One random token in thirty has no digit; its cases change as no word's do.
    const { changes, length } = makeUpOf(body, 0, body.length);
    if (changes < length * 0.2) return true;
  }
  return (
    /x{6}|\*{3}|\.{3}|your[-_]|[-_]here$|placeholder|example[-_.]/i.test(body) ||
    (body.length > 8 && isSequence(body) && !mixesDigits(body))
  );
}

/** After a head that is short or a word itself. */
function looksRandom(body: string): boolean {
  if (isStandIn(body) || !mixesDigits(body)) return false;
  const made = makeUpOf(body, 0, body.length);
  const { hex, changes, length } = made;
  // One case alone changes seldom when digits are few: then its letters have to follow one another as in no word.
  return entropyOf(body) > (hex ? 2.8 : 3.3) && (changes >= length * 0.2 || (!hex && lettersLookRandom(made)));
}

/** Words joined by dashes or underscores: a name that happens to start as the head does. */
function readsAsName(body: string): boolean {
  const { digits, changes, length } = makeUpOf(body, 0, body.length);
  return digits === 0 && changes < length * 0.2 && /[-_]/.test(body);
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
    const run = scan.runStart(ALNUM, start, 40);
    const from = start - run === 33 && startsToken(scan.text, run + 1) ? run + 1 : run;
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
    const stop = scan.runEnd(BASE64URL, end);
    if (stop - end < 16 || stop - end > 120) return;
    const from = scan.runStart(BASE64URL, start, 120);
    if (start - from >= 12 && scan.text.startsWith('sk-', from)) scan.report('openai-key', from, stop, 'high');
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

/** Braintree: `access_token$production$`, 16, `$`, 32. */
const braintree: Rule = {
  triggers: ['access_token$'],
  confirm(scan, start, end) {
    const token = /^(?:production|sandbox)\$[0-9a-z]{12,20}\$[0-9a-f]{28,40}/.exec(scan.text.slice(end, end + 80));
    if (token !== null) scan.report('braintree-token', start, end + token[0].length, 'high');
  },
};

/** MaxMind: 6, `_`, 29, `_mmk`. */
const maxmind: Rule = {
  triggers: ['_mmk'],
  confirm(scan, start, end) {
    const from = scan.runStart(WORD, start, 60);
    if (/^[A-Za-z0-9]{6}_[A-Za-z0-9]{24,34}$/.test(scan.text.slice(from, start)) && !isAlnum(scan.text.charCodeAt(end)))
      scan.report('maxmind-key', from, end, 'high');
  },
};

/** Facebook applications: 15 or 16 digits, a bar as itself or percent-encoded, 27 or more. */
const facebook: Rule = {
  triggers: ['0|', '1|', '2|', '3|', '4|', '5|', '6|', '7|', '8|', '9|'],
  confirm(scan, _start, end) {
    const from = scan.runStart(DIGIT, end - 1, 20);
    const stop = scan.runEnd(BASE64URL, end);
    if (end - 1 - from < 15 || end - 1 - from > 17 || stop - end < 27 || stop - end > 40) return;
    if (looksRandom(scan.text.slice(end, stop))) scan.report('facebook-token', from, stop, 'low');
  },
};

/** GitHub applications' newer tokens: `ghs_`, an id, `_` and a JSON web token. */
const githubAppToken: Rule = {
  triggers: ['ghs_'],
  confirm(scan, start, end) {
    const id = scan.runEnd(DIGIT, end);
    if (id === end || !scan.text.startsWith('_eyJ', id)) return;
    const stop = scan.runEnd(TOKEN68, id);
    if (stop - id > 60) scan.report('github-token', start, stop, 'high');
  },
};

const TWITTER_HEAD = 'A'.repeat(21);

/** Twitter: 21 times `A`, then letters, digits and percent escapes. */
const twitter: Rule = {
  triggers: ['aaaaaaaa'],
  confirm(scan, start) {
    const { text } = scan;
    if (isAlnum(text.charCodeAt(start - 1)) || !text.startsWith(TWITTER_HEAD, start)) return;
    const stop = scan.runEnd(ALNUM | PERCENT, start);
    const tail = start + TWITTER_HEAD.length;
    if (
      stop - start < 80 ||
      stop - start > 140 ||
      !text.slice(tail, stop).includes('%') ||
      !mixesDigits(text, tail, stop)
    )
      return;
    scan.report('twitter-token', start, stop, 'high');
  },
};

/** Adyen: `AQE`, base64 that ends in `=-`, and one part or two more. */
const adyen: Rule = {
  triggers: ['aqe'],
  confirm(scan, start) {
    const { text } = scan;
    if (!text.startsWith('AQE', start) || !startsToken(text, start)) return;
    const stop = scan.runEnd(TOKEN68, start);
    if (stop - start < 100 || stop - start > 300) return;
    const token = text.slice(start, stop);
    if (/=-[A-Za-z0-9]/.test(token) && mixesDigits(token)) scan.report('adyen-key', start, stop, 'high');
  },
};

/** Tokens whose parts tell them, not a head alone. */
const byStructure: readonly Rule[] = [
  sendgrid,
  mailchimp,
  openaiMark,
  telegram,
  braintree,
  maxmind,
  facebook,
  githubAppToken,
  twitter,
  adyen,
];
