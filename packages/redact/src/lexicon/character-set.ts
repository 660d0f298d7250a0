/** Which of 128 characters were met, a bit for each. */
export const createCharacterSet = (): Int32Array => new Int32Array(4);

/** True on the first call with a code below 128 since the set was filled with zeros. */
export function isFirstMet(met: Int32Array, code: number): boolean {
  const bit = 1 << (code & 31);
  const word = met[code >> 5] as number;
  met[code >> 5] = word | bit;
  return (word & bit) === 0;
}
