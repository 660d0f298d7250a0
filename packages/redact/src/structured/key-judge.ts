import { isDigit } from '../lexicon/charset.js';
import {
  FULL_ALIASES,
  FULL_KEYS,
  FULL_SUFFIXES,
  joinWords,
  type KeyVerdict,
  normalizeKey,
  PARTIAL_KEYS,
  PARTIAL_SUFFIXES,
} from '../lexicon/listed-keys.js';
import type { ResolvedPolicy } from '../policy/resolve-policy.js';
import { countMarks, type FreeText } from './free-text.js';
import { memberStep, type Step } from './json-path.js';

const MAX_CACHED = 10_000;
const MAX_KEY_LENGTH = 128;

/** How a member's name is handled: the verdict on its value, and the name with its own text redacted. */
export interface JudgedKey {
  readonly verdict: KeyVerdict;
  readonly redactedName: string;
  /** Marks in `redactedName`. */
  readonly marks: number;
  /** How it is written in a path. */
  readonly step: Step;
}

export type KeyJudge = (key: string) => JudgedKey;

/**
 * Judges keys by name and remembers the answers, so that a key costs one look-up per object
 * (AUD-5). A name that holds a secret itself is not remembered.
 */
export function createKeyJudge(freeText: FreeText, policy: ResolvedPolicy): KeyJudge {
  const exact = new Map<string, KeyVerdict>(Object.entries(PARTIAL_KEYS));
  for (const key of [...FULL_KEYS, ...FULL_ALIASES]) exact.set(key, 'full');
  const hidden = policy.hiddenKeys.map(normalizeKey);
  for (const key of hidden) exact.set(key, 'full');
  const joined = new Map([...exact].map(([name, verdict]) => [joinWords(name), verdict]));
  for (const key of policy.keptKeys) exact.set(normalizeKey(key), 'none');
  const suffixes = new Map<string, KeyVerdict>();
  for (const suffix of [...FULL_SUFFIXES, ...hidden]) suffixes.set(joinWords(suffix), 'full-unless-boolean');
  for (const suffix of PARTIAL_SUFFIXES) suffixes.set(joinWords(suffix), PARTIAL_KEYS[suffix] ?? 'none');
  const names: JudgedNames = { exact, joined, suffixes };
  const cache = new Map<string, JudgedKey>();
  return (key) => {
    const known = cache.get(key);
    if (known !== undefined) return known;
    const verdict = judge(names, normalizeKey(key.length > MAX_KEY_LENGTH ? key.slice(-MAX_KEY_LENGTH) : key));
    const redactedName = freeText.isPlain(key) ? key : freeText.redact(key);
    const judged = { verdict, redactedName, marks: countMarks(redactedName), step: memberStep(redactedName) };
    if (key.length > MAX_KEY_LENGTH || redactedName !== key) return judged;
    if (cache.size >= MAX_CACHED) cache.clear();
    cache.set(key, judged);
    return judged;
  };
}

interface JudgedNames {
  /** By normalized name. */
  readonly exact: ReadonlyMap<string, KeyVerdict>;
  /** By the name without the boundaries of its words: whoever writes `passWord` means `password`. */
  readonly joined: ReadonlyMap<string, KeyVerdict>;
  /** By the last words of a name, joined. */
  readonly suffixes: ReadonlyMap<string, KeyVerdict>;
}

/** More words than any listed name has letters are not joined. */
const MAX_JOINED_WORDS = 16;

/** `password_2` as `password`. */
function withoutNumber(name: string): string {
  let end = name.length;
  while (end > 0 && isDigit(name.charCodeAt(end - 1))) end -= 1;
  if (end === name.length) return name;
  return name.slice(0, name.charCodeAt(end - 1) === 95 ? end - 1 : end);
}

function judge({ exact, joined, suffixes }: JudgedNames, name: string): KeyVerdict {
  // `password2` is handled as `password` is.
  const unnumbered = withoutNumber(name);
  const found = exact.get(name) ?? exact.get(unnumbered) ?? joined.get(joinWords(unnumbered));
  if (found !== undefined) return found;
  const words = unnumbered.split('_');
  let last = '';
  for (let at = words.length - 1; at > 0 && words.length - at <= MAX_JOINED_WORDS; at -= 1) {
    last = words[at] + last;
    const verdict = suffixes.get(last);
    if (verdict !== undefined) return verdict;
  }
  return LONG_ENDINGS.some((ending) => unnumbered.endsWith(ending)) ? 'full-unless-boolean' : 'none';
}

/** Endings that say enough without a boundary before them: `userpassword`. */
const LONG_ENDINGS = ['password', 'passphrase', 'passwd'];
