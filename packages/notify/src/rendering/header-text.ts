import { breakEncodedWords } from '../encoded-words.js';
import { cut, visibleLine } from './visible-text.js';

const MAX_TOKEN_CHARS = 200;

/** One line, no encoded word, every token short enough for a header that cannot be folded inside it. */
export function headerText(text: string, maxChars: number): string {
  const line = breakEncodedWords(visibleLine(text, maxChars));
  return line
    .split(' ')
    .map((token) => cut(token, MAX_TOKEN_CHARS))
    .join(' ');
}

/** A server's id in lower-case letters, digits and dashes: for the left parts of ids. */
export function slugServer(serverId: string): string {
  const plain = serverId
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '');
  return plain.slice(0, 60) || 'server';
}
