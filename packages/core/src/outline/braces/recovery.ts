import { char } from '../scan/token-list.js';
import type { Frame, HeadShape } from './frame.js';
import { type BracePass, endSection } from './pass.js';

/** How many frames or lines outwards a recovery looks. */
const maxLook = 48;

function braceFrame(frame: Frame): Frame {
  let at: Frame = frame;
  for (let step = 0; at.kind === 'group' && at.parent !== undefined && step < maxLook; step += 1) at = at.parent;
  return at;
}

/**
 * True for a `}` alone on the left, further right than its opener, if a later line closes at the
 * opener's column before any other line reaches it: the opener has its closer still to come.
 */
export function isStrayCloser({ tokens, columns, frame, budget }: BracePass, at: number): boolean {
  if (columns === undefined || !tokens.isFirstOnLine(at)) return false;
  const { column, opener } = braceFrame(frame);
  const own = tokens.indent(at);
  if (opener < 0 || own <= column) return false;
  if (tokens.isFirstOnLine(opener) && tokens.indent(opener) === own) return false;
  let line = tokens.line(at);
  while (line > 0 && (tokens.indents[line - 1] ?? 0) > column) {
    budget.spend(1);
    line = columns.nextSmaller[line - 1] ?? 0;
  }
  if (line === 0 || tokens.indents[line - 1] !== column) return false;
  return tokens.code(columns.firstTokens[line - 1] ?? -1) === char.closeBrace;
}

/** A `}` alone on the left at the column of an outer section closes everything inside that section. */
export function popToColumn(pass: BracePass, at: number): void {
  const { tokens, budget } = pass;
  if (!tokens.isFirstOnLine(at)) return;
  const column = tokens.indent(at);
  const inner = braceFrame(pass.frame);
  if (inner.column <= column) return;
  let named = pass.frame.named;
  for (let step = 0; named !== undefined && step < maxLook; step += 1) {
    budget.spend(1);
    if (named.column < column) return;
    if (named.column === column) break;
    named = named.parent?.named;
  }
  if (named?.column === column) popTo(pass, named, at);
}

/** Ends the frames inside `target`, where the text before token `at` stops to be theirs. */
function popTo(pass: BracePass, target: Frame, at: number): void {
  pass.balanced = false;
  while (pass.frame !== target && pass.frame.parent !== undefined) {
    pass.budget.spend(1);
    if (pass.frame.section !== undefined) endSection(pass.frame, lastLineOf(pass, pass.frame, at));
    pass.frame = pass.frame.parent;
  }
}

/** The last line before token `at` that is indented more than the frame's head, or closes at its column. */
function lastLineOf({ tokens, columns }: BracePass, { column, opener }: Frame, at: number): number {
  const least = tokens.line(opener);
  let line = tokens.line(at - 1);
  for (let step = 0; step < maxLook && line > least; line -= 1, step += 1) {
    const first = columns?.firstTokens[line - 1] ?? -1;
    if (first < 0) continue;
    const own = tokens.indents[line - 1] ?? 0;
    if (own > column || (own === column && tokens.code(first) === char.closeBrace)) return line;
  }
  return Math.max(least, line);
}

/**
 * A head of a function or a type that is at or left of the enclosing section's column proves that
 * section closed. True where frames were left; the head moves to the frame that remains.
 */
export function popToHead(pass: BracePass, shape: HeadShape, at: number): boolean {
  const { tokens, rules, language, budget } = pass;
  let left = false;
  for (let step = 0; step < maxLook; step += 1) {
    budget.spend(1);
    const { frame } = pass;
    const { named } = frame;
    if (named?.parent === undefined) return left;
    const from = frame.head
      .slice(0, 64)
      .findIndex((one) => tokens.isFirstOnLine(one) && tokens.indent(one) <= named.column);
    if (from < 0) return left;
    const head = frame.head.slice(from, from + 512);
    budget.spend(head.length);
    const outside = rules.classify({ tokens, language, head, frame: named.parent });
    const proves = outside.kind === 'function' || outside.kind === 'type' || outside.kind === 'enum';
    if (!proves || (outside.name === undefined && !shape.namedAfter)) return left;
    popTo(pass, named.parent, head[0] ?? at);
    pass.frame.head = head;
    left = true;
  }
  return left;
}
