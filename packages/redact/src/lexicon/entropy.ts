import { createCharacterSet, isFirstMet } from './character-set.js';

const counts = new Uint32Array(128);

/** Shannon entropy in bits per character over the first 256 characters of `text` from `start` to `end`. */
export function entropyOf(text: string, start = 0, end = text.length): number {
  const stop = Math.min(end, start + 256);
  const length = stop - start;
  if (length <= 0) return 0;
  counts.fill(0);
  for (let i = start; i < stop; i += 1) {
    const code = text.charCodeAt(i) & 127;
    counts[code] = (counts[code] as number) + 1;
  }
  let bits = 0;
  for (let code = 0; code < 128; code += 1) {
    const count = counts[code] as number;
    if (count > 0) bits -= (count / length) * Math.log2(count / length);
  }
  return bits;
}

const met = createCharacterSet();

/** How many different characters stand in the first 256 of the range. */
export function distinctCharacters(text: string, start = 0, end = text.length): number {
  const stop = Math.min(end, start + 256);
  met.fill(0);
  let distinct = 0;
  for (let i = start; i < stop; i += 1) if (isFirstMet(met, text.charCodeAt(i) & 127)) distinct += 1;
  return distinct;
}
