import {
  BETWEEN_STRINGS,
  ENVIRONMENT_NAME,
  hasDigitAndBothCases,
  isLocation,
  isOrdinary,
  isProse,
  isSequence,
  isStandIn,
  isWordLike,
  MIME_OR_VERSION,
  mixesDigits,
  PUBLISHABLE,
  RESOURCE_ID,
  UUID,
} from '../../lexicon/benign-values.js';
import { isDigit } from '../../lexicon/charset.js';
import { distinctCharacters, entropyOf } from '../../lexicon/entropy.js';
import { type KeyStrength, namesPass } from '../../lexicon/key-names.js';
import { isKeyboardNoise } from '../../lexicon/keyboard-noise.js';
import { isNoWord, isWordAndNumber } from '../../lexicon/made-up-words.js';
import { isPhrase } from '../../lexicon/phrases.js';
import { looksRandom, makeUpOf, readsAsWords } from '../../lexicon/randomness.js';
import { isCodeLiteral } from '../code-literals.js';
import { isConcatenation } from '../concatenation.js';

/** How a value stands to its key. */
export interface ValueContext {
  /** In quotes, so it is a literal and no name. */
  quoted: boolean;
  /** The link is a comparison, a call, a list or a space: a plain word there is a label or a mode. */
  loose: boolean;
  /** The file's values are literals even without quotes. */
  config: boolean;
  /** Nothing but its own look tells the value from a word of prose or code. */
  generated: boolean;
}

const SPECIAL = /[^A-Za-z0-9_\-.\s/:]/;
const PUNCTUATION = /[!@#$%^&*~?+]/;
const TOKEN_ALPHABET = /^[A-Za-z0-9+/=_\-.~:%!@#$^&*?]+$/;
const CALL_OR_INDEX = /^[A-Za-z_$][\w$.:>-]*[([]/;
const IDENTIFIER_PATH = /^[@$&*!]{0,2}[A-Za-z_$][\w$]*(?:(?:\.|::|->|\?\.)[\w$]+)*[;,)\]}]*$/;
const VENDOR_ALPHABET = /^[A-Za-z0-9+/=_\-.~:|!]+$/;
/** A digest that says so. */
const DIGEST = /^(?:sha-?\d{1,3}|md5)[:=-][A-Za-z0-9+/=]+$/i;
const NAMES_A_SECRET = /passw|secret|token|api[-_]?key|credential/i;
const CAPITALIZED_WORD = /^\p{Lu}\p{Ll}+$/u;
/** `weird_227_format`, `a11y_html5_role`: lower-case words and numbers. */
const SNAKE_NAME = /^(?:[a-z]+(?:\d{1,3}[a-z]*)?(?:_[a-z]+\d?|_\d{1,4})+|[a-z]+(?:-[a-z]+)*-)$/;
/**
 * What stands next to the name of a secret in a list: a section of the manual, a choice, a host and
 * its port, a class, another name.
 */
const NEIGHBOUR =
  /^(?:\(\d\w?\)[^\w]*|[A-Za-z]+(?:\|[A-Za-z]+)+|[\w-]+(?:\.[\w-]+)+:\d{1,5}|__\w+|[A-Za-z]+(?:\\{1,2}\w+)+|[a-z]{2,}[A-Z]{1,4}[a-z]{2,}(?:[A-Z][a-z]{2,})*|(?:[A-Z][a-z]+|[A-Z]\d){2,})$/;
/** `GetAccessTokenForJWT`. */
const CLASS_NAME = /^(?:[A-Z]+[a-z]+){2,}[A-Z]{0,5}$/;
/** `sites/passwords#update`: what answers to a route. */
const ROUTE_TARGET = /^(?:[a-z_]+\/)*[a-z_]+#[a-z_]+$/;
/** `onyx_Maple91`: two words and a number, as people make passwords. */
const TWO_WORDS = /^[A-Za-z]{3,12}[-_.][A-Za-z]{3,12}\d{2,4}$/;
/** Whose password it is. */
const ADDRESS = /^[\w.+-]+@[\w-]+(?:\.[\w-]+)+$/;
/** `owner/project#944`: an issue. */
const ISSUE = /^[\w.-]+\/[\w.-]+#\d+$/;
/** Three numbers, as releases have them: what stands under the name of a package. */
const RELEASE = /^[\^~]?\d{1,4}\.\d{1,4}\.\d{1,4}(?:-[\w.]+)?$/;
/** `rule:owner_or_admin`: a rule by its name. */
const NAMED_RULE = /^[a-z]+:[a-z]+(?:_[a-z]+)+$/;
/** `hosts[name][`: an index that goes on behind a quote or a space. */
const OPEN_INDEX = /^[A-Za-z_]\w*(?:\[\w+\])*\[(?:[A-Za-z_]\w*)?$/;
/** The short number of an OpenPGP key. */
const KEY_NUMBER = /^(?:0x)?[0-9A-F]{8}$/;
/** `$.items[0].note`, `'headers["accept"]'`: where a value stands in an object. */
const MEMBER_PATH =
  /^(["'`]?)(?:\$(?=[.[])|[A-Za-z_$][\w$]*(?=[.[]))(?:\.[A-Za-z_*$][\w$]*|\[(?:\d{1,9}|\*|(["'])[^"'[\]]{1,64}\2)\]){1,16}\1$/;
const DOTTED = /^[A-Za-z_$]+(?:\.(?:[A-Za-z_$]+|\d{1,3}))+$/;
/** `required|string|min:8`: what a form demands of a password. */
const FORM_RULES =
  /^(?:required|nullable|sometimes|bail|string|confirmed|present|filled|(?:min|max|same|between):[\w,]{1,24})\|/;
/** `composer_v1_messages.UserSecret`, `list[V1LocalReference]`: what may be a type or a member. */
const TYPE_OR_MEMBER = /^[A-Za-z_][\w.]*(?:\[[\w.]+\])?$/;
/** `oauth2Client`, `recaptchaV3Token`: a number among the words of a name. */
const NUMBERED_NAME = /^[A-Za-z_]+\d[A-Z][a-z]{2,}(?:[A-Z][a-z]+)*$/;
/** Where a word begins in a name; `OAuth` is one. */
const HUMP = /[a-z0-9](?:OA|[A-Z])[a-z]/g;
/** `projects/p/secrets/s/versions/1`: three steps of words and numbers at least. */
const RESOURCE =
  /^(?:\w{1,24}=)?(?:(?:[a-z]+(?:[A-Z][a-z]+)?|[a-z]+(?:[-_][a-z]+)+|[A-Z]+(?:_[A-Z]+)*|v?\d{1,12}|\*)\/){3}/;

const SHORTEST_OF_VENDOR = 14;
const SHORTEST_NUMBER = 14;
const SHORTEST_BARE_NUMBER = 20;
const SHORTEST_NOISE = 40;

/**
 * What a generator makes of the whole keyboard, spaces included: the keys and salts of WordPress.
 * An expression repeats its characters.
 */
function isNoise(value: string): boolean {
  return (
    value.length >= SHORTEST_NOISE &&
    value.length <= 128 &&
    hasDigitAndBothCases(value) &&
    distinctCharacters(value) >= 34 &&
    entropyOf(value) > 5 &&
    distinctCharacters(value.replace(/[\w\s]/g, '')) >= 8 &&
    !readsAsWords(value) &&
    !(CALL_OR_INDEX.test(value) && /[)\]]$/.test(value))
  );
}

/** True when the value of a key of this strength is a secret and not a reference, a label or a sample. */
export function isSecretValue(value: string, strength: KeyStrength, context: ValueContext): boolean {
  if (strength === 'password' || strength === 'secret' || strength === 'key') {
    if (context.config && !context.loose && isKeyboardNoise(value)) return true;
  }
  return mayBeSecret(value, strength, context) && !isCodeLiteral(value);
}

function mayBeSecret(value: string, strength: KeyStrength, context: ValueContext): boolean {
  if (strength === 'vendor' && (value.length < SHORTEST_OF_VENDOR || !mixesDigits(value))) return false;
  if (value.length < 4 || strength === 'none' || isStandIn(value) || isLocation(value) || isResource(value))
    return false;
  if (PUBLISHABLE.test(value) || FORM_RULES.test(value)) return false;
  if (context.quoted && isNoise(value)) return true;
  if (context.loose && /\s|^[A-Za-z_]{3,}=/.test(value)) return false;
  if (context.loose && MEMBER_PATH.test(value) && !hasGeneratedPart(value)) return false;
  if (context.loose && CLASS_NAME.test(value) && readsAsWords(value)) return false;
  if (context.loose && (SNAKE_NAME.test(value) || NEIGHBOUR.test(value) || /[[\]<>{}]/.test(value))) return false;
  if (!context.quoted && !context.config && !context.generated && IDENTIFIER_PATH.test(value)) return false;
  if (context.quoted ? isConcatenation(value) || BETWEEN_STRINGS.test(value) : OPEN_INDEX.test(value)) return false;
  if (!context.quoted && CALL_OR_INDEX.test(value) && /[)\]][;,]?$|[(]/.test(value)) return false;
  if (context.generated && !looksGenerated(value)) return false;
  if (strength === 'password') return isPassword(value, context);
  if (strength === 'vendor') return isVendorToken(value, context);
  return strength === 'weak' ? isWeakSecret(value) : isStrongSecret(value, strength, context);
}

function isResource(value: string): boolean {
  return value.includes('/') && RESOURCE.test(value);
}

/** Letters, digits and perhaps punctuation as no word or name mixes them. */
function looksGenerated(value: string): boolean {
  if (value.length < 8 || value.length > 256 || isLocation(value) || isSequence(value)) return false;
  if (isWordLike(value) || /^[a-z]+!$/.test(value)) return false;
  if (!mixesDigits(value) && !(PUNCTUATION.test(value) && /[A-Za-z]/.test(value)) && !isNoWord(value)) return false;
  if (
    MIME_OR_VERSION.test(value) ||
    ENVIRONMENT_NAME.test(value) ||
    DOTTED.test(value) ||
    ISSUE.test(value) ||
    /^(?:[a-z_-]{3,}|[A-Z_-]{3,})=/.test(value)
  )
    return false;
  if (CALL_OR_INDEX.test(value) || /[()[\]{}<>;]/.test(value)) return false;
  return TOKEN_ALPHABET.test(value) && distinctCharacters(value) >= 6;
}

/** Beside a vendor's name: what its keys look like, whatever their alphabet. */
function isVendorToken(value: string, context: ValueContext): boolean {
  if (value.length > 512 || !VENDOR_ALPHABET.test(value)) return false;
  if (UUID.test(value)) return !context.loose;
  if (DIGEST.test(value) || /^0x[\da-f]+u?l{0,2}$/i.test(value)) return false;
  if (isLocation(value) || isSequence(value) || isWordLike(value) || MIME_OR_VERSION.test(value)) return false;
  if (RESOURCE_ID.test(value) || isTypeOrMember(value)) return false;
  if (/^[a-z0-9]+(?:[-_./:@][a-z0-9]+)+$/i.test(value) && !hasLongMixedPart(value)) return false;
  return entropyOf(value) > (/^[0-9a-f]+$/i.test(value) ? 2.8 : 3.1) && countDigits(value) >= 2;
}

function countDigits(value: string): number {
  let digits = 0;
  for (let i = 0; i < value.length && i < 256; i += 1) if (isDigit(value.charCodeAt(i))) digits += 1;
  return digits;
}

function isPassword(value: string, context: ValueContext): boolean {
  if (namesPass(value)) return false;
  if (ENVIRONMENT_NAME.test(value) && !/\d/.test(value)) return false;
  if (/^[A-Za-z_]+=$/.test(value) || (context.loose && /^[A-Z][A-Z0-9_]*$/.test(value))) return false;
  if (context.loose && /^[A-Za-z]+$/.test(value) && NAMES_A_SECRET.test(value)) return false;
  if (!context.loose && (isPhrase(value) || isNoWord(value))) return true;
  if (context.loose && ADDRESS.test(value)) return false;
  if (
    /^\(#\d+\)$/.test(value) ||
    ((NAMES_A_SECRET.test(value) || /_(?:pass|pwd)$/.test(value)) && /^[a-z]+(?:_[a-z]+)+$/.test(value))
  )
    return false;
  if (isProse(value) || CAPITALIZED_WORD.test(value) || DOTTED.test(value)) return false;
  if (RELEASE.test(value) || NAMED_RULE.test(value) || ROUTE_TARGET.test(value)) return false;
  if (isWordLike(value) && (NAMES_A_SECRET.test(value) || context.loose || /[A-Z]/.test(value.slice(1))))
    return context.loose
      ? isWordAndNumber(value)
      : /\d/.test(value) && (!/[-_. ]/.test(value) || TWO_WORDS.test(value));
  if (/^\d+$/.test(value)) return context.quoted || context.config;
  return /[A-Za-z0-9]/.test(value) && distinctCharacters(value) >= 3;
}

/** `secret`, `*_token`, API keys: anything generated; plain words are names of secrets. */
function isStrongSecret(value: string, strength: KeyStrength, context: ValueContext): boolean {
  if (value.length < (strength === 'key' ? 8 : 6) || /\s/.test(value) || /^[\w.-]+\(.*\)$/.test(value)) return false;
  if (ENVIRONMENT_NAME.test(value) && entropyOf(value) < 3.7) return false;
  if (!context.loose && (isNoWord(value) || isWordAndNumber(value))) return true;
  if (isWordLike(value.replace(/^[^A-Za-z0-9]+|[^A-Za-z0-9]+$/g, '')) || DOTTED.test(value) || isSequence(value))
    return false;
  if (/^\d+$/.test(value)) return value.length >= shortestNumber(context) && distinctCharacters(value) >= 5;
  if ((strength === 'key' && KEY_NUMBER.test(value)) || isProse(value)) return false;
  if (/^[a-z]+(?:[-_./:#][a-z0-9]+)+$/.test(value) && !/[a-z]\d+[a-z]|\d{3}/.test(value)) return false;
  if (mixesDigits(value)) return distinctCharacters(value) >= 5 && !isTypeOrMember(value);
  return (
    (SPECIAL.test(value) && /[A-Za-z]/.test(value) && TOKEN_ALPHABET.test(value)) ||
    (value.length >= 16 && entropyOf(value) > 3.4)
  );
}

/** Numbers without quotes are ids and sizes more often than secrets. */
function shortestNumber({ quoted, loose, config }: ValueContext): number {
  if (quoted && !loose) return SHORTEST_NUMBER;
  return config ? SHORTEST_BARE_NUMBER : Number.POSITIVE_INFINITY;
}

/** Words with capitals and a number among them, as types and members have them. */
function isTypeOrMember(value: string): boolean {
  const { changes, length } = makeUpOf(value, 0, value.length);
  if (changes >= length * 0.5) return false;
  if (NUMBERED_NAME.test(value) && readsAsWords(value)) return true;
  return (
    TYPE_OR_MEMBER.test(value) && /\d\w/.test(value) && (value.match(HUMP) ?? []).length >= 2 && readsAsWords(value)
  );
}

/** `key`, `auth`, `session` alone: long, mixed and of high entropy, and no hash, UUID or path. */
function isWeakSecret(value: string): boolean {
  if (value.length < 12 || !TOKEN_ALPHABET.test(value) || isOrdinary(value)) return false;
  if (isNoWord(value)) return true;
  if (!mixesDigits(value) || isWordLike(value) || isTypeOrMember(value)) return false;
  if (/^[0-9a-fA-F]+$/.test(value)) return value.length >= 24 && entropyOf(value) > 2.9;
  const isRandom = looksRandom(makeUpOf(value, 0, value.length));
  const isParted = /^[a-z0-9]+(?:[-_./:@][a-z0-9]+)+$/i.test(value);
  if (isParted && !(isRandom && !/[./:@]/.test(value)) && !hasLongMixedPart(value)) return false;
  if (hasDigitAndBothCases(value)) return isRandom || entropyOf(value) > 3.3;
  return entropyOf(value) > 3.3 && (value.length >= 20 || (value.length >= 16 && isRandom));
}

/** A step of a path in an object is a name; `uf6Ia0dk4` is none. */
function hasGeneratedPart(value: string): boolean {
  return value.split(/[^\w$]+/).some((part) => part.length >= 8 && mixesDigits(part) && !isWordLike(part));
}

function hasLongMixedPart(value: string): boolean {
  return value.split(/[-_./:@]/).some((part) => part.length >= 12 && mixesDigits(part));
}
