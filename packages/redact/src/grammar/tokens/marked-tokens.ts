import { mixesDigits } from '../../lexicon/benign-values.js';
import { ALNUM, BASE64, BASE64_BODY, BASE64URL, HEX, isAlnum, isIn, WORD } from '../../lexicon/charset.js';
import { looksRandom, makeUpOf } from '../../lexicon/randomness.js';
import { startsToken } from '../boundary.js';
import type { Rule } from '../rule.js';

/** Tokens that a mark in their midst or at their end tells, and those whose first part is a name (RED-2). */
export function markedTokenRules(): Rule[] {
  return [azureMark, firebaseServer, apollo, convex, cloudflareTunnel, newRelicLicense];
}

/**
 * Azure's annotated keys: 4 characters name the service, 6 and the padding follow; what stands
 * before them is as long as the kind of key has it. Storage and Cosmos 76, functions 44, registries
 * and search 42, hubs, buses, relays, IoT and caches 33.
 */
const AZURE_MARKS: Readonly<Record<string, number>> = {
  '+ast': 76,
  '+aba': 76,
  acdb: 76,
  azfu: 44,
  '+acr': 42,
  azse: 42,
  '+aeh': 33,
  '+asb': 33,
  '+arm': 33,
  aiot: 33,
  azca: 33,
};
const AZURE_MARK = /^(?:\+A(?:St|Ba|CR|Eh|Sb|Rm)|ACDb|AzFu|AzSe|AIoT|AzCa)$/;

const azureMark: Rule = {
  triggers: Object.keys(AZURE_MARKS),
  confirm(scan, start, end, trigger) {
    const { text } = scan;
    if (!AZURE_MARK.test(text.slice(start, end))) return;
    const before = AZURE_MARKS[trigger] as number;
    const stop = scan.runEnd(BASE64_BODY, end);
    const run = start - scan.runStart(BASE64_BODY, start, before + 1);
    if (stop - end !== 6 || (run !== before && !(run > before && startsToken(text, start - before)))) return;
    if (mixesDigits(text, start - before, start))
      scan.report('azure-key', start - before, scan.runEnd(BASE64, stop), 'high');
  },
};

/** Firebase's server keys: eleven characters, `:APA91b` and 134. */
const firebaseServer: Rule = {
  triggers: [':apa91b'],
  confirm(scan, start, end) {
    const from = scan.runStart(BASE64URL, start, 24);
    const stop = scan.runEnd(BASE64URL, end);
    if (!scan.text.startsWith(':APA91b', start) || start - from < 8 || stop - end < 120 || stop - end > 160) return;
    scan.report('firebase-key', from, stop, 'high');
  },
};

/** Apollo: `service:`, the graph's name, `:` and 22; of a person `user:gh.` or `user:fd.` and the name. */
const apollo: Rule = {
  triggers: ['service:', 'user:gh.', 'user:fd.'],
  confirm(scan, start, end) {
    const { text } = scan;
    if (!startsToken(text, start) || !isIn(WORD, text.charCodeAt(end))) return;
    const colon = scan.runEnd(BASE64URL, end);
    if (colon - end > 100 || text.charCodeAt(colon) !== 58) return;
    const stop = scan.runEnd(BASE64URL, colon + 1);
    if (stop - colon === 23 && looksRandom(makeUpOf(text, colon + 1, stop)))
      scan.report('apollo-key', start, stop, 'low');
  },
};

/** Convex: `prod:`, the deployment, `|` and base64 of an object whose first key is `v2`. */
const convex: Rule = {
  triggers: ['|eyj2mii6i'],
  confirm(scan, start, end) {
    const stop = scan.runEnd(BASE64, end);
    if (stop - end < 40 || stop - end > 300 || !scan.text.startsWith('|eyJ2MiI6I', start)) return;
    scan.report('convex-key', start + 1, stop, 'high');
  },
};

/** Cloudflare's tunnels: base64 of an object of account, tunnel and secret, each under its first letter. */
const cloudflareTunnel: Rule = {
  triggers: ['eyjhijoi'],
  confirm(scan, start, end) {
    const { text } = scan;
    if (!text.startsWith('eyJhIjoi', start) || !startsToken(text, start)) return;
    const stop = scan.runEnd(BASE64, end);
    if (stop - start < 120 || stop - start > 300) return;
    const decoded = Buffer.from(text.slice(start, stop), 'base64').toString('latin1');
    if (/^\{"a":"[^"]{16,64}","t":"[^"]{16,64}","s":"/.test(decoded))
      scan.report('cloudflare-token', start, stop, 'high');
  },
};

/** New Relic's licences: 36 hexadecimal digits, of Europe 6 others first, and `NRAL`. */
const newRelicLicense: Rule = {
  triggers: ['nral'],
  confirm(scan, start, end) {
    const { text } = scan;
    if (!text.startsWith('NRAL', start) || isAlnum(text.charCodeAt(end))) return;
    const from = scan.runStart(ALNUM, start, 40);
    if (start - from !== 36 || scan.runStart(HEX, start, 40) - from > 6) return;
    if (mixesDigits(text, from, start)) scan.report('newrelic-key', from, end, 'high');
  },
};
