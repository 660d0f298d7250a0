import { advance, findLineEnd, type ScanState } from './scan-state.js';
import { code } from './token-list.js';

const branches: Readonly<Record<string, number>> = {
  if: code.branchIf,
  ifdef: code.branchIf,
  ifndef: code.branchIf,
  else: code.branchElse,
  elif: code.branchElse,
  elifdef: code.branchElse,
  elifndef: code.branchElse,
  endif: code.branchEnd,
};

/** A line that begins with `#`: pushes a branch, notes a macro, and steps over the rest. */
export function scanDirective(state: ScanState): void {
  const { text, tokens, position, line } = state;
  const end = findDirectiveEnd(state);
  const head = text.slice(position, Math.min(end, position + 200));
  const [, word = '', rest = ''] = /^#[ \t]{0,40}(\w{0,40})[ \t]{0,40}([\s\S]{0,100})/.exec(head) ?? [];
  const branch = branches[word];
  if (branch !== undefined) {
    const never = word === 'if' && /^0\b/.test(rest);
    tokens.push(never ? code.branchNever : branch, position, end, line);
  }
  advance(state, end);
  if (word !== 'define') return;
  const name = /^[\w$]{1,100}/.exec(rest)?.[0];
  if (name !== undefined) tokens.macros.push({ name, startLine: line, endLine: state.line });
}

/** The end of a directive: of its last continued line, or where a comment begins that may span lines. */
function findDirectiveEnd(state: ScanState): number {
  const { text } = state;
  let from = state.position;
  let end = state.lineEnd;
  for (;;) {
    const comment = commentIn(text.slice(from, end));
    if (comment >= 0) return from + comment;
    const last = text.charCodeAt(end - 1) === 13 ? end - 2 : end - 1;
    if (text.charCodeAt(last) !== 92 || end >= text.length) return end;
    from = end + 1;
    end = findLineEnd(text, from);
  }
}

/** Where a comment begins on a line, outside of its strings; -1 where none does. */
function commentIn(line: string): number {
  const slash = line.indexOf('/*');
  const double = line.indexOf('//');
  if (slash < 0 && double < 0) return -1;
  for (let at = 0; at < line.length; at += 1) {
    const of = line.charCodeAt(at);
    if (of === 34 || of === 39) {
      const close = line.indexOf(line.charAt(at), at + 1);
      if (close > 0) at = close;
    } else if (of === 47 && (line.charCodeAt(at + 1) === 42 || line.charCodeAt(at + 1) === 47)) return at;
  }
  return -1;
}

const markers: Readonly<Record<string, number>> = {
  '<<<<<<<': code.branchIf,
  '|||||||': code.branchElse,
  '=======': code.branchElse,
  '>>>>>>>': code.branchEnd,
};

/** A conflict marker at the start of a line: branches of which one counts, as `#if` makes them. */
export function scanConflictMarker(state: ScanState): boolean {
  const { text, tokens, position, lineEnd } = state;
  const branch = markers[text.slice(position, position + 7)];
  if (branch === undefined || (text.charCodeAt(position - 1) !== 10 && position > 0)) return false;
  if (!/^(?:[ \r]|$)/.test(text.slice(position + 7, position + 8).replace('\n', ''))) return false;
  if (branch === code.branchIf) state.conflicts += 1;
  else if (state.conflicts === 0) return false;
  else if (branch === code.branchEnd) state.conflicts -= 1;
  tokens.conflicted = true;
  tokens.push(branch, position, position + 7, state.line);
  advance(state, lineEnd);
  return true;
}
