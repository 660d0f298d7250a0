/** One line of text, whether it ends at a line break or at an escaped one (`\n`, `\\n`, `\r\n` written out). */
export interface LogicalLine {
  start: number;
  end: number;
  /** Start of the next line; equal to `end` at the end of the text. */
  next: number;
  /** True when a real line break stands before `start`, so that a diff mark may. */
  fresh: boolean;
}

/**
 * The logical line that starts at `from`; it looks at most `limit` characters ahead, and no further
 * than five dashes where `dashesEnd` says so.
 */
export function logicalLineAt(
  text: string,
  from: number,
  limit: number,
  fresh: boolean,
  dashesEnd = false,
): LogicalLine {
  const stop = Math.min(text.length, from + limit);
  for (let at = from; at < stop; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 10 || code === 13)
      return { start: from, end: at, next: code === 13 && text.charCodeAt(at + 1) === 10 ? at + 2 : at + 1, fresh };
    if (dashesEnd && code === 45 && text.startsWith('-----', at)) return { start: from, end: at, next: at, fresh };
    if (code === 92) {
      const past = endOfEscapedBreak(text, at);
      if (past > 0) return { start: from, end: at, next: past, fresh };
    }
  }
  return { start: from, end: stop, next: stop, fresh };
}

/**
 * End of the run of escaped line breaks that starts with the backslash at `at`, or -1. One or more
 * backslashes before `n` or `r`.
 */
function endOfEscapedBreak(text: string, at: number): number {
  let past = -1;
  for (let i = at; text.charCodeAt(i) === 92; ) {
    let letter = i;
    while (text.charCodeAt(letter) === 92 && letter - i < 8) letter += 1;
    const code = text.charCodeAt(letter);
    if (code !== 110 && !(code === 114 && past < 0)) break;
    past = letter + 1;
    if (code === 110) break;
    i = past;
  }
  return past;
}

/**
 * The logical line that ends right before `to` (itself the start of a line), not reaching below
 * `floor`; undefined at the floor.
 */
export function logicalLineBefore(text: string, to: number, floor: number): LogicalLine | undefined {
  let end = to;
  if (end > floor && text.charCodeAt(end - 1) === 10) end -= text.charCodeAt(end - 2) === 13 ? 2 : 1;
  else if (end > floor && text.charCodeAt(end - 1) === 13) end -= 1;
  else if (isEscapedBreakBefore(text, end)) end = startOfEscapedBreak(text, end);
  if (end <= floor) return undefined;
  let start = end;
  while (start > floor && !isBreakBefore(text, start)) start -= 1;
  const before = text.charCodeAt(start - 1);
  return { start, end, next: to, fresh: before === 10 || before === 13 || start === 0 };
}

function isBreakBefore(text: string, at: number): boolean {
  const code = text.charCodeAt(at - 1);
  return code === 10 || code === 13 || isEscapedBreakBefore(text, at);
}

function isEscapedBreakBefore(text: string, at: number): boolean {
  const code = text.charCodeAt(at - 1);
  return (code === 110 || code === 114) && text.charCodeAt(at - 2) === 92;
}

function startOfEscapedBreak(text: string, at: number): number {
  let start = at - 1;
  while (text.charCodeAt(start - 1) === 92) start -= 1;
  return text.charCodeAt(start - 1) === 114 && text.charCodeAt(start - 2) === 92
    ? startOfEscapedBreak(text, start)
    : start;
}
