import { advance, findAfter, type ScanState } from './scan-state.js';
import { pushString } from './scan-strings.js';
import { char } from './token-list.js';

/**
 * Reads a template from `from` to its closing backtick or its next `${`. A hole is pushed as a pair
 * of parentheses, so that what is in it nests as an argument does.
 */
export function scanTemplate(state: ScanState, from: number): void {
  const { text, tokens } = state;
  let hasEnd = !state.recovers;
  for (let at = from; at < text.length; at += 1) {
    const of = text.charCodeAt(at);
    if (of === 92) at += 1;
    else if (of === 96) {
      pushString(state, at + 1);
      return;
    } else if (of === 36 && text.charCodeAt(at + 1) === 123) {
      pushString(state, at);
      tokens.push(char.openParen, at, at + 2, state.line);
      advance(state, at + 2);
      state.holes.push(0);
      return;
    } else if (of === 10 && !hasEnd) {
      hasEnd = findAfter(state, '`', at) >= 0;
      if (!hasEnd) break;
    }
  }
  tokens.unclosed = true;
  pushString(state, state.recovers ? Math.max(state.lineEnd, from) : text.length);
}

/** A brace inside a hole of a template. True where it closed the hole and the template went on. */
export function scanHoleBrace(state: ScanState, of: number): boolean {
  const { holes, tokens, position } = state;
  const depth = holes.at(-1);
  if (depth === undefined) return false;
  if (of === char.openBrace) holes[holes.length - 1] = depth + 1;
  else if (depth > 0) holes[holes.length - 1] = depth - 1;
  else {
    holes.pop();
    tokens.push(char.closeParen, position, position + 1, state.line);
    advance(state, position + 1);
    scanTemplate(state, state.position);
    return true;
  }
  return false;
}
