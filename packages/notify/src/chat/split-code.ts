/** A piece of a line; `isCode` where backticks were around it. */
export interface TextPiece {
  text: string;
  isCode: boolean;
}

/** A pair of backticks on one line, and what is between. */
const pair = /`([^`\n]+)`/g;

/** Each piece is an element of the message; a text of more code than prose is read as well with its backticks. */
const maxPieces = 40;

/**
 * Splits a text at its pairs of backticks, which models put around code: a chat shows such pieces as code,
 * by structure and not by markup. All else stays as it is, lone backticks too, and all that follows the
 * first pieces: at most 42 in all.
 */
export function splitCode(text: string): TextPiece[] {
  const pieces: TextPiece[] = [];
  let end = 0;
  for (const found of text.matchAll(pair)) {
    if (pieces.length >= maxPieces) break;
    if (found.index > end) pieces.push({ text: text.slice(end, found.index), isCode: false });
    pieces.push({ text: found[1] ?? '', isCode: true });
    end = found.index + found[0].length;
  }
  if (end < text.length) pieces.push({ text: text.slice(end), isCode: false });
  return pieces;
}
