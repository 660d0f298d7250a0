/**
 * Ranges of code points that a person does not see and a model does, both ends included. Tab and
 * line feed are not among them.
 */
const HIDDEN_RANGES: readonly (readonly [from: number, to: number])[] = [
  [0x00, 0x08],
  [0x0b, 0x1f],
  // Delete and C1.
  [0x7f, 0x9f],
  // Soft hyphen, grapheme joiner, Arabic letter mark.
  [0xad, 0xad],
  [0x34f, 0x34f],
  [0x61c, 0x61c],
  // Fillers of Hangul, Khmer and Mongolian.
  [0x115f, 0x1160],
  [0x17b4, 0x17b5],
  [0x180b, 0x180f],
  // Zero width, bidi, separators, invisible operators.
  [0x200b, 0x200f],
  [0x2028, 0x202e],
  [0x2060, 0x206f],
  [0x3164, 0x3164],
  // Lone surrogates, variation selectors, byte order mark, interlinear marks.
  [0xd800, 0xdfff],
  [0xfe00, 0xfe0f],
  [0xfeff, 0xfeff],
  [0xffa0, 0xffa0],
  [0xfff0, 0xfffb],
  [0x1d173, 0x1d17a],
  // Tags and more variation selectors.
  [0xe0000, 0xe0fff],
];

const HIDDEN = new RegExp(
  `[${HIDDEN_RANGES.map(([from, to]) => `\\u{${from.toString(16)}}-\\u{${to.toString(16)}}`).join('')}]`,
  'gu',
);

function mark(char: string): string {
  return `<U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}>`;
}

/**
 * The text with every hidden character written out as `<U+202E>`, for the prompt's copy only. Line
 * feeds and tabs stay. Idempotent.
 */
export function makeVisible(text: string): string {
  return text.replace(HIDDEN, mark);
}

/** As `makeVisible`, for text that must stay on one line. */
export function makeVisibleLine(text: string): string {
  return makeVisible(text).replaceAll('\n', '<U+000A>');
}
