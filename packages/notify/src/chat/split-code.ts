/** A piece of a line; `isCode` where backticks were around it. */
export interface TextPiece {
  text: string;
  isCode: boolean;
}

/** A pair of backticks on one line, and what is between. */
const pair = /`([^`\n]+)`/g;

/**
 * Splits a text at its pairs of backticks, which models put around code: a chat shows such pieces as code,
 * by structure and not by markup. All else stays as it is, lone backticks too.
 */
export function splitCode(text: string): TextPiece[] {
  const pieces: TextPiece[] = [];
  let end = 0;
  for (const found of text.matchAll(pair)) {
    if (found.index > end) pieces.push({ text: text.slice(end, found.index), isCode: false });
    pieces.push({ text: found[1] ?? '', isCode: true });
    end = found.index + found[0].length;
  }
  if (end < text.length) pieces.push({ text: text.slice(end), isCode: false });
  return pieces;
}
