/** What stands in markup between a name and its value: each gives where the value starts, 0 where it is not so. */

/** Attributes between an element's name and its text. */
const ATTRIBUTES = /(?: [\w:.-]{1,40}="[^"<>\n]{0,160}"){1,4}>/y;
/** `</key>` and the element with the value of a property list. */
const NEXT_ELEMENT = /<\/[\w:.-]{1,40}>(?:\s{0,24}|\r?\n[-+ ]?\s{0,24})<(?:[\w-]{1,16}:)?(?:string|value|data)>/iy;
/** `</th><td>`: the next cell of a page's table, what a list defines. */
const NEXT_CELL = /:?<\/(?:th|td|dt|b|strong)>:?\s{0,24}<(?:td|dd|code|span)\b[^<>\n]{0,80}>(?:<code>)?/iy;
const INNER_TAG = /\s{0,40}<(?:value|string|plaintext)>/iy;

export const pastAttributes = (text: string, at: number): number => endOf(ATTRIBUTES, text, at);
export const nextElement = (text: string, at: number): number => endOf(NEXT_ELEMENT, text, at);
export const nextCell = (text: string, at: number): number => endOf(NEXT_CELL, text, at);

/** Past an element inside the one that is named for the value, if there is one. */
export const pastInnerTag = (text: string, at: number): number => endOf(INNER_TAG, text, at) || at;

function endOf(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : 0;
}
