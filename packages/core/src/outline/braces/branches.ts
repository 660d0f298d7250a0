import type { Branch } from './branch.js';
import type { Frame } from './frame.js';
import { type BracePass, endSection } from './pass.js';

/** `#if`: remembers the stack, by one link. */
export function openBranch(pass: BracePass, never: boolean): void {
  const { frame, branch } = pass;
  pass.branch = { outer: branch, frame, head: frame.head.slice(-64), never, end: undefined };
}

/** `#else`: the next branch begins where the first did. */
export function elseBranch(pass: BracePass, at: number): void {
  const { branch, frame } = pass;
  if (branch === undefined) return;
  if (branch.end === undefined && !branch.never) branch.end = { frame, head: frame.head };
  else if (frame !== branch.end?.frame) endDangling(pass, frame, branch, at);
  pass.frame = branch.frame;
  pass.frame.head = [...branch.head];
}

/** `#endif`: the first branch counts, but for one under `#if 0`. */
export function closeBranch(pass: BracePass, at: number): void {
  const { branch, frame } = pass;
  if (branch === undefined) {
    return;
  }
  pass.branch = branch.outer;
  const { end } = branch;
  if (end === undefined) {
    if (!branch.never) return;
    endDangling(pass, frame, branch, at);
    pass.frame = branch.frame;
    pass.frame.head = [...branch.head];
    return;
  }
  if (end.frame !== frame) endDangling(pass, frame, branch, at);
  pass.frame = end.frame;
  pass.frame.head = [...end.head];
}

/** Ends what a branch opened and did not close, when another branch is the one that counts. */
function endDangling(pass: BracePass, from: Frame, branch: Branch, at: number): void {
  for (let frame: Frame | undefined = from; frame !== undefined; frame = frame.parent) {
    if (frame.depth <= branch.frame.depth) return;
    pass.budget.spend(1);
    endSection(frame, pass.tokens.line(at - 1));
  }
}
