/**
 * The text within `max` UTF-16 units, cut with an ellipsis and never inside a character; what is counted
 * in code points or graphemes is then within the limit too. `max` is at least 1.
 */
export function fit(text: string, max: number): string {
  if (text.length <= max) return text;
  let end = max - 1;
  const last = text.charCodeAt(end - 1);
  if (end > 0 && last >= 0xd800 && last <= 0xdbff) end -= 1;
  return `${text.slice(0, end).trimEnd()}…`;
}
