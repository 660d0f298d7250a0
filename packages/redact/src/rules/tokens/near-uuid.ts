import { QUIET_KINDS } from '../../grammar/path-kind.js';
import type { Rule } from '../../grammar/rule.js';
import { BESIDE, isTokenPlace, saysPublic } from '../../grammar/tokens/near-tokens.js';
import { isAlnum } from '../../lexicon/charset.js';
import { wordsOf } from '../../lexicon/key-names.js';
import { endOfCatalogued, isVendorWord } from '../../lexicon/vendor-catalogue.js';
import { VENDOR_NAMES } from '../../lexicon/vendor-names.js';

/** UUIDs next to a vendor's name (RED-2): many give them out as keys. Elsewhere they name things, and stay. */
export function nearUuidRules(): Rule[] {
  return [nearUuid, secretId, accessTokens];
}

/** What chance makes is of the fourth version: eight digits, four, and three behind a 4. */
const BEFORE_VERSION = 13;
const LENGTH = 36;
const UUID = '[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}';
const VERSION_4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i;
const LONGEST_LEAD = 64;
const NAME_BESIDE = new RegExp(`(?:^|[^A-Za-z0-9])([A-Za-z][A-Za-z0-9]{2,23}?)${BESIDE.source}`, 'i');

const nearUuid: Rule = {
  triggers: ['-4'],
  skipKinds: QUIET_KINDS,
  confirm(scan, at) {
    const { text } = scan;
    const start = at - BEFORE_VERSION;
    const end = start + LENGTH;
    if (start < 0 || !VERSION_4.test(text.slice(start, end))) return;
    if (isPartOfMore(text.charCodeAt(start - 1)) || isPartOfMore(text.charCodeAt(end))) return;
    const lead = text.slice(Math.max(0, start - LONGEST_LEAD), start);
    const name = NAME_BESIDE.exec(lead)?.[1];
    if (name !== undefined && isVendor(name) && isTokenPlace(text, end) && !saysPublic(text, start))
      scan.report('vendor-token', start, end, 'low');
  },
};

/** HashiCorp Vault calls the two halves of a machine's login so; the secret one is a UUID. */
const SECRET_ID = new RegExp(String.raw`^["']?[ \t]{0,4}[:=][ \t]{0,4}["']?(?=${UUID}(?![\w-]))`);
const ROLE_ID = /role[-_]?id|approle/i;
const ROLE_REACH = 240;

const secretId: Rule = {
  triggers: ['secret_id', 'secretid'],
  confirm(scan, start, end) {
    const { text } = scan;
    const link = SECRET_ID.exec(text.slice(end, end + 60));
    if (link === null || !ROLE_ID.test(text.slice(Math.max(0, start - ROLE_REACH), end + ROLE_REACH))) return;
    const at = end + link[0].length;
    scan.report('secret', at, at + LENGTH, 'low');
  },
};

/** Consul's tokens of its access lists are UUIDs, in a section of their own. */
const TOKEN_IN_SECTION = new RegExp(
  String.raw`\s{0,24}[-+]?\s{0,24}"?[a-z_]{5,40}"?\s{0,4}[=:]\s{0,4}"(?=${UUID}")`,
  'y',
);
const MOST_TOKENS = 8;

const accessTokens: Rule = {
  triggers: ['tokens {', 'tokens = {', 'tokens": {'],
  confirm(scan, _start, end) {
    let at = end;
    for (let count = 0; count < MOST_TOKENS; count += 1) {
      TOKEN_IN_SECTION.lastIndex = at;
      if (!TOKEN_IN_SECTION.test(scan.text)) return;
      const from = TOKEN_IN_SECTION.lastIndex;
      at = from + LENGTH + 1;
      scan.report('secret', from, from + LENGTH, 'low');
      if (scan.text.charCodeAt(at) === 44) at += 1;
    }
  },
};

const isPartOfMore = (code: number): boolean => isAlnum(code) || code === 45 || code === 47;

function isVendor(name: string): boolean {
  const lower = name.toLowerCase();
  if (VENDOR_NAMES.has(lower) || isVendorWord(lower)) return true;
  const words = wordsOf(name);
  return endOfCatalogued(words) === words.length;
}
