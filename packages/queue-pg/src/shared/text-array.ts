/**
 * Texts as the literal of an array. Neighbours are mostly the same (an owner, a token, an empty
 * result), and are escaped once.
 */
export function textArray(texts: readonly string[]): string {
  let last: string | undefined;
  let escaped = '';
  let literal = '';
  for (const text of texts) {
    if (text !== last) {
      last = text;
      escaped = `"${text.replace(/["\\]/g, '\\$&')}"`;
    }
    literal += literal === '' ? escaped : `,${escaped}`;
  }
  return `{${literal}}`;
}
