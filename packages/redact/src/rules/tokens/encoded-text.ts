import { reachOf } from '../../grammar/reach.js';
import type { Rule, Scan } from '../../grammar/rule.js';
import { BASE64_BODY } from '../../lexicon/charset.js';

/** Words that text with a secret in it holds: names of secrets, schemes of connection strings. */
const NAMES = ['password', 'passwd', 'secret', 'token', 'api_key', 'access_key', 'private_key', 'private key'];
const SCHEMES = ['postgres://', 'postgresql:', 'mysql://', 'mongodb', 'redis://', 'amqp://', 'https://'];
const WORDS = [...NAMES, ...NAMES.map((name) => name.toUpperCase()), 'Bearer ', ...SCHEMES];

const SHORTEST_TRIGGER = 6;
const SHORTEST_RUN = 24;
const LONGEST_RUN = 65_536;

/**
 * A word in base64 at each of the three places it may have in a group of bytes, without the
 * characters that its neighbours share.
 */
function formsOf(word: string): string[] {
  return [0, 1, 2]
    .map((offset) => {
      const encoded = Buffer.from('\0'.repeat(offset) + word).toString('base64');
      return encoded.slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + word.length) * 8) / 6));
    })
    .filter((form) => form.length >= SHORTEST_TRIGGER);
}

/**
 * Text in base64 that holds a secret once decoded: `.env` files in CI variables, connection strings
 * in Kubernetes secrets. Hidden as a whole.
 */
export function encodedTextRules(): Rule[] {
  const forms = new Set(WORDS.flatMap(formsOf));
  const encodedText: Rule = {
    triggers: [...new Set([...forms].map((form) => form.toLowerCase()))],
    confirm(scan, start, end) {
      const { text } = scan;
      const reach = reachOf(scan, encodedText);
      if (start < reach.end || !forms.has(text.slice(start, end))) return;
      const from = scan.runStart(BASE64_BODY, start, LONGEST_RUN);
      let stop = scan.runEnd(BASE64_BODY, start);
      reach.end = stop;
      while (text.charCodeAt(stop) === 61) stop += 1;
      if (stop - from < SHORTEST_RUN || stop - from > LONGEST_RUN) return;
      if (scan.holdsSecret(Buffer.from(text.slice(from, stop), 'base64').toString('utf8'))) report(scan, from, stop);
    },
  };
  return [encodedText];
}

function report(scan: Scan, from: number, stop: number): void {
  scan.report('encoded-secret', from, stop, 'low');
}
