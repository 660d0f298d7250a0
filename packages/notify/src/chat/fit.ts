/** What one character, a code point, costs of a limit. */
export type CharCost = (char: string) => number;

function fitUnits(text: string, max: number): string {
  if (text.length <= max) return text;
  let end = max - 1;
  const last = text.charCodeAt(end - 1);
  if (end > 0 && last >= 0xd800 && last <= 0xdbff) end -= 1;
  return `${text.slice(0, end).trimEnd()}…`;
}

/**
 * The text within `max` UTF-16 units, or within `max` by the cost of its characters, cut with an ellipsis and
 * never inside a character. `max` is at least 1, and more than the ellipsis costs.
 */
export function fit(text: string, max: number, costOf?: CharCost): string {
  if (costOf === undefined) return fitUnits(text, max);
  const room = max - costOf('…');
  let cost = 0;
  let end = 0;
  let cut = 0;
  for (const char of text) {
    cost += costOf(char);
    if (cost > max) return `${text.slice(0, cut).trimEnd()}…`;
    end += char.length;
    if (cost <= room) cut = end;
  }
  return text;
}
