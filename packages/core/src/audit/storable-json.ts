import type { JsonValue } from '../foundation/json.js';
import { isStorable, storableText } from '../foundation/storable-text.js';
import { cutAtCharacter } from './truncate-text.js';

const MAX_DEPTH = 100;
/** Places that are named, and UTF-8 bytes of one name: notes must not fill the payload (ruling R5). */
const MAX_NOTED = 20;
const MAX_PATH_BYTES = 256;

/** A value as every store can hold it. */
export interface StorableJson {
  value: JsonValue;
  /** How many texts and names had characters that no store holds. */
  replacedCount: number;
  /** JSON paths of the first 20 of them. */
  replacedPaths: readonly string[];
}

/**
 * Copies `value` as JSON that every store can hold: U+FFFD stands for NUL and for halves of
 * surrogate pairs, in texts and in names; what is no JSON value becomes null, and so does what lies
 * deeper than 100 levels. Never throws for what a redactor gives.
 */
export function toStorableJson(value: unknown): StorableJson {
  const replacedPaths: string[] = [];
  let replacedCount = 0;
  const storable = (text: string, path: string): string => {
    if (isStorable(text)) return text;
    replacedCount += 1;
    if (replacedPaths.length < MAX_NOTED) replacedPaths.push(cutAtCharacter(storableText(path), MAX_PATH_BYTES).kept);
    return storableText(text);
  };
  const copy = (item: unknown, path: string, depth: number): JsonValue => {
    if (typeof item === 'string') return storable(item, path);
    if (typeof item === 'boolean') return item;
    if (typeof item === 'number') return Number.isFinite(item) ? item : null;
    if (typeof item !== 'object' || item === null || depth > MAX_DEPTH) return null;
    if (Array.isArray(item)) return item.map((inner, at) => copy(inner, `${path}[${at}]`, depth + 1));
    const members = new Map<string, JsonValue>();
    for (const [key, inner] of Object.entries(item)) {
      if (inner === undefined) continue;
      const at = `${path}.${key.slice(0, 64)}`;
      let name = storable(key, at);
      for (let n = 2; members.has(name); n += 1) name = `${storableText(key)}_${n}`;
      members.set(name, copy(inner, at, depth + 1));
    }
    return Object.fromEntries(members);
  };
  return { value: copy(value, '$', 0), replacedCount, replacedPaths };
}
