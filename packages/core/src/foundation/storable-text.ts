const nul = String.fromCharCode(0);
const halfPair = /\p{Surrogate}/u;
const halfPairs = /\p{Surrogate}/gu;

/**
 * False for what some store cannot hold: PostgreSQL's `text` no NUL, UTF-8 no half of a surrogate
 * pair. One rule for all stores.
 */
export function isStorable(text: string): boolean {
  return !text.includes(nul) && !halfPair.test(text);
}

/** The text with U+FFFD in place of what no store could hold. */
export function storableText(text: string): string {
  return isStorable(text) ? text : text.replaceAll(nul, '\ufffd').replace(halfPairs, '\ufffd');
}
