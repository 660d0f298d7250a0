import type { ResolvedPolicy } from '../policy.js';
import { countMarks, type FreeText } from './free-text.js';
import { memberStep, type Step } from './json-path.js';
import { FULL_ALIASES, FULL_KEYS, FULL_SUFFIXES, type KeyVerdict, normalizeKey, PARTIAL_KEYS, PARTIAL_SUFFIXES } from './listed-keys.js';

const MAX_CACHED = 10_000;
const MAX_KEY_LENGTH = 128;

/** What is known of a member's name: what it asks for, and how it is shown once its own text is redacted. */
export interface JudgedKey {
  readonly verdict: KeyVerdict;
  readonly shown: string;
  /** Marks in what is shown. */
  readonly marks: number;
  /** How it is written in a path. */
  readonly step: Step;
}

export type KeyJudge = (key: string) => JudgedKey;

/**
 * Judges keys by name and remembers the answers, so that a key costs one look-up per object (AUD-5). A name that holds a secret itself is not
 * remembered.
 */
export function createKeyJudge(freeText: FreeText, policy: ResolvedPolicy): KeyJudge {
  const exact = new Map<string, KeyVerdict>(Object.entries(PARTIAL_KEYS));
  for (const key of [...FULL_KEYS, ...FULL_ALIASES]) exact.set(key, 'full');
  const hidden = policy.hiddenKeys.map(normalizeKey);
  for (const key of hidden) exact.set(key, 'full');
  for (const key of policy.keptKeys) exact.set(normalizeKey(key), 'none');
  const fullSuffixes = [...FULL_SUFFIXES, ...hidden].map((suffix) => `_${suffix}`);
  const cache = new Map<string, JudgedKey>();
  return (key) => {
    const known = cache.get(key);
    if (known !== undefined) return known;
    const verdict = judge(exact, fullSuffixes, normalizeKey(key.length > MAX_KEY_LENGTH ? key.slice(-MAX_KEY_LENGTH) : key));
    const shown = freeText.isPlain(key) ? key : freeText.redact(key);
    const judged = { verdict, shown, marks: countMarks(shown), step: memberStep(shown) };
    if (key.length > MAX_KEY_LENGTH || shown !== key) return judged;
    if (cache.size >= MAX_CACHED) cache.clear();
    cache.set(key, judged);
    return judged;
  };
}

function judge(exact: ReadonlyMap<string, KeyVerdict>, fullSuffixes: readonly string[], name: string): KeyVerdict {
  const found = exact.get(name);
  if (found !== undefined) return found;
  const partial = PARTIAL_SUFFIXES.find((suffix) => name.endsWith(`_${suffix}`));
  if (partial !== undefined) return exact.get(partial) ?? 'none';
  return fullSuffixes.some((suffix) => name.endsWith(suffix)) ? 'full-unless-boolean' : 'none';
}
