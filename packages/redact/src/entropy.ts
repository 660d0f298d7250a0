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

/** A bit for each of 128 characters. */
const met = new Int32Array(4);

/** How many different characters stand in the first 256 of the range. */
export function distinctCharacters(text: string, start = 0, end = text.length): number {
  const stop = Math.min(end, start + 256);
  met.fill(0);
  let distinct = 0;
  for (let i = start; i < stop; i += 1) {
    const code = text.charCodeAt(i) & 127;
    const bit = 1 << (code & 31);
    const word = met[code >> 5] as number;
    if ((word & bit) !== 0) continue;
    met[code >> 5] = word | bit;
    distinct += 1;
  }
  return distinct;
}
