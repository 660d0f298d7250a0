/**
 * Controls, format characters (bidi, zero width, tags), separators, unpaired surrogates and letters
 * that draw nothing.
 */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029\u115f\u1160\u3164\uffa0\u2800]/gu;

/** Most text; worth not looking at twice. */
const PLAIN = /^[\t\n\x20-\x7e]*$/;

const named = (char: string): string => `[U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}]`;

/**
 * Untrusted text as a reader should see it: line breaks and tabs stay, every character that hides,
 * reorders or draws nothing is shown as `[U+202E]`, so that no text reads otherwise than it is.
 */
export function visibleText(text: string): string {
  if (PLAIN.test(text)) return text;
  const lines = text.replace(/\r\n?/g, '\n');
  return lines.replace(INVISIBLE, (char) => (char === '\n' || char === '\t' ? char : named(char)));
}

/** On one line, runs of white space as one space, cut to `maxChars` with an ellipsis and never inside a character. */
export function visibleLine(text: string, maxChars: number): string {
  // Enough for the line even where most of it is white space; a hostile text may be megabytes.
  const head = text.length > maxChars * 16 ? `${text.slice(0, maxChars * 16)}…` : text;
  const line = visibleText(head).replace(/\s+/gu, ' ').trim();
  return cut(line, maxChars);
}

/** Cut to `maxChars` code points with an ellipsis. */
export function cut(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  // A code point has at most two units: what lies beyond need not be counted.
  const chars = Array.from(text.slice(0, maxChars * 2 + 2));
  return chars.length <= maxChars
    ? text
    : `${chars
        .slice(0, maxChars - 1)
        .join('')
        .trimEnd()}…`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Visible, and safe in HTML text and in quoted attributes. */
export function escapeHtml(text: string): string {
  const shown = visibleText(text);
  return /[&<>"']/.test(shown) ? shown.replace(/[&<>"']/g, (char) => ENTITIES[char] ?? char) : shown;
}
