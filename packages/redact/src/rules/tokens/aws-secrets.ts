import { startsToken } from '../../grammar/boundary.js';
import type { Rule, Scan } from '../../grammar/rule.js';
import { isSequence, isStandIn } from '../../lexicon/benign-values.js';
import { BASE64, endOfRun, isIn } from '../../lexicon/charset.js';
import { looksRandom, makeUpOf, mixesCases } from '../../lexicon/randomness.js';

/** An id: four letters of its kind and sixteen of base32. */
const ID = /[A-Z2-7]{16}(?![A-Za-z0-9])/y;
const KIND = 4;
/** A secret has forty characters of base64 and no padding. */
const LENGTH = 40;
/** How far from its id a secret is looked for: names, brackets, quotes and a few breaks of lines. */
const REACH = 160;
const MOST_BREAKS = 3;

/**
 * The secret beside the id of an AWS access key (RED-2), whatever stands between the two: a tuple,
 * a list, a table, two variables. By itself it looks like any base64.
 */
export const awsSecret: Rule = {
  triggers: ['akia', 'asia', 'abia', 'acca'],
  confirm(scan, start, end) {
    const { text } = scan;
    ID.lastIndex = end;
    if (!isUpperCase(text, start) || !startsToken(text, start) || !ID.test(text)) return;
    const idEnd = ID.lastIndex;
    if (reportIn(scan, idEnd, idEnd + REACH)) return;
    // Not in the middle of a longer run.
    const from = Math.max(0, start - REACH);
    reportIn(scan, from === 0 ? 0 : endOfRun(BASE64, text, from, REACH), start);
  },
};

const isUpperCase = (text: string, at: number): boolean => /^[A-Z]+$/.test(text.slice(at, at + KIND));

/** Reports the first run of that length and look within so many characters; false where there is none. */
function reportIn(scan: Scan, from: number, to: number): boolean {
  const { text } = scan;
  let breaks = 0;
  for (let at = from; at < Math.min(to, text.length) && breaks <= MOST_BREAKS; ) {
    const code = text.charCodeAt(at);
    if (code === 10) breaks += 1;
    if (!isIn(BASE64, code)) {
      at += 1;
      continue;
    }
    // `=` leads to a value as well as it pads one.
    const start = code === 61 ? at + 1 : at;
    const stop = endOfRun(BASE64, text, start, LENGTH + 1);
    if (stop - start === LENGTH && isSecret(text, start, stop)) {
      scan.report('aws-secret-key', start, stop, 'low');
      return true;
    }
    at = Math.max(stop, at + 1);
  }
  return false;
}

function isSecret(text: string, start: number, end: number): boolean {
  const made = makeUpOf(text, start, end);
  if (made.hex || !mixesCases(made) || !looksRandom(made)) return false;
  const value = text.slice(start, end);
  return !value.includes('=') && !isStandIn(value) && !isSequence(value);
}
