import { codeAt, IDENTIFIER } from '../../lexicon/charset.js';
import { type KeyStrength, strengthOfWords, wordsOf } from '../../lexicon/key-names.js';
import { wordsNameVendor } from '../../lexicon/vendor-names.js';
import type { Scan } from '../rule.js';

/** What an identifier says about its value. */
export interface JudgedName {
  readonly strength: KeyStrength;
  /** A vendor is named in it. */
  readonly vendor: boolean;
}

const cache = new Map<string, JudgedName>();
const MAX_CACHED = 20_000;
/** The one letter of `contraseña` that identifiers do not have. */
const TILDED_N = 0xf1;

/** Where the name ends that goes on at `from`. */
export function endOfName(scan: Scan, from: number): number {
  const end = scan.runEnd(IDENTIFIER, from);
  return codeAt(scan.text, end) === TILDED_N ? scan.runEnd(IDENTIFIER, end + 1) : end;
}

/**
 * Judges an identifier by its words in snake, kebab, dotted or camel case. Answers are remembered:
 * a text asks for the same few names again and again.
 */
export function judgeName(name: string): JudgedName {
  return cache.get(name) ?? keep(cache, copyOf(name), judgeWords(name));
}

function judgeWords(name: string): JudgedName {
  const words = wordsOf(name);
  return { strength: strengthOfWords(words), vendor: wordsNameVendor(words) };
}

/** A slice keeps its whole text in memory. */
const copyOf = (slice: string): string => Buffer.from(slice).toString();

function keep<T>(names: Map<string, T>, name: string, judged: T): T {
  if (names.size >= MAX_CACHED) names.clear();
  names.set(name, judged);
  return judged;
}

/** An identifier as it stands in a text, and what it says about what follows it. */
export interface NameInText extends JudgedName {
  readonly name: string;
  /**
   * False where no value that follows is a secret by its name; a word of three letters is asked
   * what stands before it.
   */
  readonly mayHold: boolean;
  /** A constant that a password is put under: `PASSWORD_PROPERTY`. */
  readonly isConstant: boolean;
  readonly isNonce: boolean;
  /** Called a token and nothing else, or somebody's key: hexadecimal digits under it are no digest. */
  readonly isToken: boolean;
  /** Whether a call of it gives a secret or changes one, instead of taking it; found out by the first call. */
  gives: boolean | undefined;
}

/** `PASSWORD_PROPERTY, "v"`. */
const CONSTANT = /PASSWORD_(?:PROPERTY|PROP|CONFIG|PARAM|PARAMETER|OPTION|FIELD|ATTRIBUTE)$/;
/** `password.equals(`, `txtPassword.Text = `: what is asked of it, or the part of a control that holds it. */
const MEMBER_OF = /\.(?:equals(?:IgnoreCase)?|Equals|compareTo|[tT]ext|[vV]alue)$/;
const NONCE = /nonce$/i;
/** A digest is called many things, but hardly a token or a salt, */
const BARE_TOKEN = /^-{0,2}(?:token|credentials?|(?:[\w.-]{1,40}[-_.])?salt)$/i;
/** nor a key or an authorization of somebody; `key` alone is often a digest of what it stands for. */
const NAMED_KEY = /[A-Za-z\d](?:[_.-](?:key|KEY|auth|AUTH)|Key|Auth)$/;
const SHORT_WORD = 3;

const namesInTexts = new Map<string, NameInText>();
/**
 * The names that texts had last, by a number made of a few of their characters: they are compared
 * in place, and nothing is cut out for them.
 */
const SEEN = 8192;
const seen: (NameInText | undefined)[] = new Array<undefined>(SEEN).fill(undefined);

/** Judges the identifier from `start` to `end`, less a member at its end. */
export function judgeNameAt(text: string, start: number, end: number): NameInText {
  const length = end - start;
  const slot = slotOf(
    length,
    text.charCodeAt(start),
    text.charCodeAt(start + (length >> 1)),
    text.charCodeAt(start + ((length * 7) >> 3)),
  );
  const found = seen[slot];
  if (found !== undefined && found.name.length === length && standsAt(found.name, text, start)) return found;
  const name = text.slice(start, end);
  const judged = namesInTexts.get(name) ?? judgeNewInText(name);
  seen[slot] = judged;
  return judged;
}

/** Names differ at their start, in the middle or near their end, or in length. */
function slotOf(length: number, first: number, middle: number, late: number): number {
  const mixed = Math.imul(Math.imul(Math.imul(length, 31) + first, 131) + middle, 131) + late;
  return (mixed ^ (mixed >>> 13)) & (SEEN - 1);
}

function standsAt(name: string, text: string, start: number): boolean {
  for (let i = 0; i < name.length; i += 1) if (text.charCodeAt(start + i) !== name.charCodeAt(i)) return false;
  return true;
}

function judgeNewInText(slice: string): NameInText {
  const name = copyOf(slice);
  const { strength, vendor } = judgeWords(name.includes('.') ? name.replace(MEMBER_OF, '') : name);
  const isConstant = CONSTANT.test(name);
  const mayHold = strength !== 'none' || vendor || isConstant || name.length === SHORT_WORD;
  const isToken = BARE_TOKEN.test(name) || NAMED_KEY.test(name);
  return keep(namesInTexts, name, {
    name,
    strength,
    vendor,
    mayHold,
    isConstant,
    isNonce: NONCE.test(name),
    isToken,
    gives: undefined,
  });
}
