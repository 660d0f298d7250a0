import { foldAscii } from '../client/depot-path.js';
import type { AllowList, CaseHandling } from './allow-list.js';
import { CaseHandlingMatters, isInsideByCase } from './case-dependence.js';
import { deniedError, deniedReason } from './path-policy.js';

/** The second look at paths: at each file that the server begins to send (P4-4). */
export interface ContentGate {
  /** Throws `P4_PATH_DENIED` for a path outside the list. */
  admit(path: string): void;
  isSamePath(asked: string, answered: string): boolean;
  /** The path that was refused, and why. */
  refused(): { path: string; why: string } | null;
}

/** Where the case handling is not known (null), both throw `CaseHandlingMatters` as soon as an answer depends on it. */
export function createContentGate(rules: AllowList, caseHandling: CaseHandling | null): ContentGate {
  const allowList = rules.forServer(caseHandling ?? 'sensitive');
  let refused: { path: string; why: string } | null = null;
  return {
    admit(path) {
      const verdict = allowList.check(path);
      if (verdict.allowed) return;
      if (caseHandling === null && isInsideByCase(path, rules)) throw new CaseHandlingMatters();
      refused = { path, why: deniedReason(verdict) };
      throw deniedError(refused.why, 1);
    },
    isSamePath(asked, answered) {
      if (asked === answered) return true;
      if (foldAscii(asked) !== foldAscii(answered)) return false;
      if (caseHandling === null) throw new CaseHandlingMatters();
      return caseHandling === 'insensitive';
    },
    refused: () => refused,
  };
}
