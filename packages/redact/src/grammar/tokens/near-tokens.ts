import { isSequence, isShown } from '../../lexicon/benign-values.js';
import { codeAt, codeBefore, isBreak } from '../../lexicon/charset.js';
import { entropyOf } from '../../lexicon/entropy.js';
import { DATA_HEAD } from '../../lexicon/public-armor.js';
import { joinsWords, looksRandom, makeUpOf, readsAsWords } from '../../lexicon/randomness.js';

const SHORTEST = 20;
/** A literal by itself may be as short as vendors' tokens are. */
export const SHORTEST_QUOTED = 15;
/** Longer runs are data, and so are lines of base64 that nothing else stands on. */
export const LONGEST = 200;
const DATA_LINE = 60;
/** Words between name and value that make even hexadecimal digits a secret. */
export const SAYS_SECRET = /token|key|secret|api|auth|cred|passw|login|bearer/i;
/** A digest, a revision or an address, not a token; what the longest of them may take. */
const PUBLIC_LEAD = 24;
const PUBLIC_BEFORE =
  /(?:[@/#]|sha\d*[-:]?|md5|hash|commit|rev|id|version|integrity|checksum|digest|etag|secure|checkout|\.(?:zip|t?gz|xz|bz2|7z|exe|msi|dmg|deb|rpm|jar|whl|apk)|(?:public|publishable|site)[-_ ]?key)["'=:> ]{0,6}$/i;
/** The name or option right before a value. */
const NAME_BEFORE =
  /(?:^|[\s"'({,:])(?:--?)?([A-Za-z][\w-]{0,24})(?:["']?[ \t]{0,4}(?:=>|[:=])[ \t]{0,4}|[ \t]{1,4}(?:is:?[ \t]{1,4})?)["'`]?$/;
const CALLED = 48;
const CALLED_SECRET = /(?:token|key|secret|password)$/i;
/** Names of digests, revisions, accounts and resources. */
const PUBLIC_NAME =
  /sha|sum|hash|head|rev|commit|digest|release|version|build|tag|ref|branch|image|integrity|id$|uuid|guid|ur[il]|href|src|path|file|dir|project|org|account|tenant|zone|region|site|team|user|owner|host|bucket|color|trace|span|etag|node|group|asset|page|post|track|album|video|channel|playlist|list|request|response|message|event|order|invoice|job|run$|record|resource|in$|at$|of$|by$|from$|is$/i;

/**
 * Between a vendor's name and a value right next to it: nothing but what makes, assigns or
 * introduces one, as in `Raven("`, `hive = `, `canny key is `.
 */
export const BESIDE =
  /(?:_?[Cc]lient|Api|API)?(?:(?:\.[Nn]ew)?\(["'`]|["'`]\)\(["'`]|[ _-](?:(?:api|access|auth|bearer|hec)[ _-]?)?(?:key|token|secret|credentials)(?: is| to|["'`]?[ \t]?[:=])?[ \t]?["'`]?|["'`]?[ \t]{0,3}(?:=>|:=|[:=|])?[ \t]{0,3}["'`]?)$/;

/** True behind the name or option of a secret. */
export function isCalledSecret(text: string, start: number): boolean {
  const name = NAME_BEFORE.exec(text.slice(Math.max(0, start - CALLED), start))?.[1];
  return name !== undefined && CALLED_SECRET.test(name);
}

/** A client made of its key: `("`, `.New("`, `::Client.new('`, `Client("user", "`. */
const MADE_OF = /^(?:(?:::|\\{1,2}|\.)\w{1,24}){0,3}\((?:["'`][\w.@-]{1,40}["'`],[ \t]?)?["'`]$/;
/** A call that asks for a thing by its id. */
const ASKS =
  /(?:get|find|fetch|load|delete|remove|update|show|retrieve|list|open|read|by|for|render|expect|assert)[A-Za-z]*$/i;

/** `Get(mistralClient, "id")`. */
const ASKED = /\b(?:get|find|fetch|delete|remove|update|show|retrieve|list)[A-Za-z]{0,12}\($/i;
const LONGEST_CALL = 24;
/** As much as the names of one enumeration begin with. */
export const SAME_HEAD = 8;
/** `'name', 'digest'`. */
const LISTED = /^["'`],\s{0,4}["'`]$/;
const OF_DIGESTS = /hash|digest|checksum/i;

/** True for a name in a call or list of digests: `hashes.set('name', '…')`. */
export function isAmongDigests(text: string, nameStart: number): boolean {
  return OF_DIGESTS.test(text.slice(Math.max(0, nameStart - 32), nameStart));
}

/** True for a text that is a token, for the vendor's name before it and what stands between. */
export function isTokenNear(text: string, nameStart: number, nameEnd: number, start: number, end: number): boolean {
  if (!isTokenPlace(text, end)) return false;
  const between = text.slice(nameEnd, start);
  if (between.includes('arn:') || /^:[a-z]+:$/.test(between)) return false;
  if (ASKED.test(text.slice(Math.max(0, nameStart - LONGEST_CALL), nameStart))) return false;
  if (LISTED.test(between) && isAmongDigests(text, nameStart)) return false;
  if (text.startsWith(text.slice(nameStart, nameStart + SAME_HEAD), start)) return false;
  if (PUBLIC_BEFORE.test(between.slice(-PUBLIC_LEAD))) return false;
  return isToken(text, start, end, (short) =>
    short ? SAYS_SECRET.test(between) : isSecretPlace(between, text.slice(nameStart, nameEnd)),
  );
}

/** True behind what leads to a digest, a revision or an address. */
export function saysPublic(text: string, start: number): boolean {
  return PUBLIC_BEFORE.test(text.slice(Math.max(0, start - PUBLIC_LEAD), start));
}

function isSecretPlace(between: string, name: string): boolean {
  if (between.includes('(') && MADE_OF.test(between)) return !ASKS.test(name.slice(name.lastIndexOf('.') + 1));
  return !/[A-Za-z0-9]/.test(between) || SAYS_SECRET.test(between) || isNamedPrivately(between);
}

/** True when a name stands right before the value and says nothing public of it. */
function isNamedPrivately(between: string): boolean {
  const name = NAME_BEFORE.exec(between)?.[1];
  return name !== undefined && !PUBLIC_NAME.test(name);
}

/** `V4L2_PIX_FMT_NV12`: four words at least. */
const CONSTANT = /^[A-Z\d]+(?:_[A-Z\d]+){3,}$/;

/**
 * As few hexadecimal digits as a token has; or as many as Pusher's, Customer.io's and Uploadcare's,
 * which no digest and no id has.
 */
const SHORTEST_HEX = 28;
const SHORT_HEX = 20;

/** Shorter hexadecimal runs are too common but for those of twenty. */
export const mayBeHexToken = (length: number): boolean => length >= SHORTEST_HEX || length === SHORT_HEX;

/** For a place that hexadecimal digits are no secret in when they are few. */
export const isLong = (short: boolean): boolean => !short;

/** False for a name that is called, the text of a link and a member's name. */
export function isTokenPlace(text: string, end: number): boolean {
  return text.charCodeAt(end) !== 40 && !text.startsWith('](', end) && !/^["'`]\??:/.test(text.slice(end, end + 3));
}

/** One of several lines of one length. */
function isLineOfData(text: string, start: number, end: number): boolean {
  if (!isBreak(codeAt(text, end)) || !isBreak(codeBefore(text, start))) return false;
  const line = end - start + 1;
  return isBreak(codeAt(text, end + line)) || isBreak(codeBefore(text, start - line));
}

/** True for text that chance made; for hexadecimal digits only where the place says that they are secret. */
export function isToken(text: string, start: number, end: number, isSecretPlace: (short: boolean) => boolean): boolean {
  const length = end - start;
  const quoted = /["'`]/.test(text.charAt(start - 1)) && text.charAt(end) === text.charAt(start - 1);
  if (length > LONGEST || length < (quoted ? SHORTEST_QUOTED : SHORTEST)) return false;
  const value = text.slice(start, end);
  if (length >= DATA_LINE && isLineOfData(text, start, end)) return false;
  if (
    /^0x(?:[\da-fA-F]*\.[\da-f]+p|[\da-fA-F]{1,63}[uUlL]{0,3}$|[\da-f]{65})|^[a-z]+[A-Z]\w*_[\da-f]{16}$|^[./]|(?:^|\/)[a-z]{3,}\/|\/[a-z]{4,}$|=[^=]|^\d{1,3}\.\d{1,3}-[0-9a-f]+$/.test(
      value,
    )
  )
    return false;
  if (
    DATA_HEAD.test(value) ||
    CONSTANT.test(value) ||
    isSequence(value) ||
    isShown(value) ||
    /EXAMPLE|example/.test(value) ||
    /\.[a-z]{1,4}$/.test(value)
  )
    return false;
  const made = makeUpOf(text, start, end);
  if (!made.hex) return made.digits >= 2 && looksRandom(made) && !(joinsWords(value) && readsAsWords(value));
  // Forty capital digits are the fingerprint of an OpenPGP key.
  if (length === 40 && made.upper > 0 && made.lower === 0) return false;
  if (!mayBeHexToken(length)) return false;
  return made.digits >= 4 && made.digits < length && entropyOf(value) > 2.9 && isSecretPlace(length === SHORT_HEX);
}
