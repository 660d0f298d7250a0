import { isSecretValue, type ValueContext } from '../../grammar/assignments/assigned-values.js';
import { judgeName } from '../../grammar/assignments/judged-names.js';
import { RULE_BY_STRENGTH } from '../../grammar/assignments/key-values.js';
import { QUIET_KINDS } from '../../grammar/path-kind.js';
import { quotedValueAt } from '../../grammar/quoted-values.js';
import { reachOf } from '../../grammar/reach.js';
import type { Rule, Scan } from '../../grammar/rule.js';
import { IDENTIFIER, isBreak, isSpace } from '../../lexicon/charset.js';
import type { KeyStrength } from '../../lexicon/key-names.js';
import { looksRandom, makeUpOf } from '../../lexicon/randomness.js';

/** Between the name of several secrets and the first: quotes, a link, the type of the list and its bracket. */
const OPENING =
  /["']?\]?[ \t]{0,8}(?:=>|:=|=|:)[ \t]{0,8}(?:\[\]string|new \w{0,16}\[\]|(?:list|set|frozenset|array|Arrays\.asList|List\.of|Set\.of)(?=\())?[ \t]{0,2}[[({]/y;
/** In YAML a dash before each. */
const DASHES = /["']?[ \t]{0,4}:[ \t]{0,4}(?:#[^\n]{0,80})?(?=\r?\n[-+ ]?[ \t]{0,40}-[ \t])/y;
const DASHED = /\r?\n[-+ ]?[ \t]{0,40}-[ \t]{1,4}(["']?)([^\s"'#]{8,256})\1[ \t]{0,4}(?=\r?\n|$)/y;
const MOST = 64;
const LONGEST_GAP = 80;
const LONGEST = 256;
const MAX_NAME = 60;
/** Hexadecimal digits of a digest's length are no less a key in a list of keys. */
const SHORTEST_HEX = 32;
const SHORTEST_KEY = 16;
const CONTEXT: ValueContext = { quoted: true, loose: true, config: false, generated: true };

/**
 * Lists under a name for several secrets (RED-3): `api_keys = ["v", "v"]`, `passwords:` and a line
 * with a dash for each.
 */
export function listedValueRules(): Rule[] {
  return [listed];
}

const listed: Rule = {
  triggers: [
    ...[
      'passwords',
      'passphrases',
      'passwds',
      'secrets',
      'tokens',
      'apikeys',
      '_keys',
      '-keys',
      'ikeys',
      'tkeys',
      'skeys',
    ],
    ...['password', 'passwd', 'secret', 'token', 'key'].flatMap((name) => [`${name}list`, `${name}_list`]),
  ],
  skipKinds: QUIET_KINDS,
  confirm(scan, start, end) {
    const { text } = scan;
    const reach = reachOf(scan, listed);
    if (start < reach.end || scan.runEnd(IDENTIFIER, end) !== end) return;
    const name = text.slice(scan.runStart(IDENTIFIER, start, MAX_NAME), end);
    const strength = strengthOf(name);
    if (strength === undefined) return;
    OPENING.lastIndex = end;
    if (OPENING.test(text)) reach.end = readList(scan, OPENING.lastIndex, strength);
    else if (scan.kind === 'config' && isDashed(text, end)) reach.end = readDashes(scan, DASHES.lastIndex, strength);
  },
};

/** What one of them would be called; `tokens` alone are words of a language more often. */
function strengthOf(name: string): KeyStrength | undefined {
  const { strength } = judgeName(name.replace(/(?:s|_?list)$/i, ''));
  if (strength === 'weak') return /tokens$/i.test(name) ? 'secret' : undefined;
  return strength === 'none' || strength === 'vendor' ? undefined : strength;
}

function isDashed(text: string, end: number): boolean {
  DASHES.lastIndex = end;
  return DASHES.test(text);
}

/** Literals with commas between them, on one line or several; gives the end of the last. */
function readList(scan: Scan, from: number, strength: KeyStrength): number {
  const { text } = scan;
  let at = from;
  for (let count = 0; count < MOST; count += 1) {
    const start = pastGap(text, at);
    let value = quotedValueAt(text, start);
    // Of a map: whose it is stands before it.
    const colon = value === undefined ? -1 : pastGap(text, value.end + 1);
    if (text.charCodeAt(colon) === 58) value = quotedValueAt(text, pastGap(text, colon + 1));
    if (value === undefined || value.end - value.start > LONGEST) return at;
    reportListed(scan, value.start, value.end, strength);
    at = pastGap(text, value.end + 1);
    if (text.charCodeAt(at) !== 44) return at;
    at += 1;
  }
  return at;
}

/** Past spaces and line breaks, with the marks of a diff. */
function pastGap(text: string, from: number): number {
  let at = from;
  while (
    at - from < LONGEST_GAP &&
    (isSpace(text.charCodeAt(at)) || isBreak(text.charCodeAt(at)) || isDiffMark(text, at))
  )
    at += 1;
  return at;
}

const isDiffMark = (text: string, at: number): boolean =>
  text.charCodeAt(at) === 43 && isBreak(text.charCodeAt(at - 1));

function readDashes(scan: Scan, from: number, strength: KeyStrength): number {
  let at = from;
  for (let count = 0; count < MOST; count += 1) {
    DASHED.lastIndex = at;
    const item = DASHED.exec(scan.text);
    if (item === null) return at;
    const end = at + item[0].trimEnd().length - (item[1] as string).length;
    reportListed(scan, end - (item[2] as string).length, end, strength);
    at = DASHED.lastIndex;
  }
  return at;
}

/**
 * Reports a member of a list. Lists hold names and samples, too: only what chance made counts, a
 * password where it mixes kinds of characters.
 */
export function reportListed(scan: Scan, start: number, end: number, strength: KeyStrength): void {
  const value = scan.text.slice(start, end);
  const made = makeUpOf(scan.text, start, end);
  if (made.digits === 0 || !isSecretValue(value, strength, CONTEXT)) return;
  if (strength === 'password') {
    if (made.upper === 0 && /^\w+$/.test(value)) return;
  } else if (end - start < SHORTEST_KEY || (made.hex ? end - start < SHORTEST_HEX : !looksRandom(made))) return;
  scan.report(RULE_BY_STRENGTH[strength], start, end, 'low');
}
