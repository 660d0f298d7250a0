// Folders that are searched or listed whole: which of their parts the allow-list lets be read.
import { foldAscii } from '../client/depot-path.js';
import { type AllowList, foldBroadly } from './allow-list.js';

const isFolder = (pattern: string): boolean => pattern.endsWith('/...');
const folderOf = (pattern: string): string => pattern.slice(0, -4);
/** True for the same folder, and for what lies below it, by whole steps. */
const isBelow = (path: string, folder: string): boolean => path === folder || path.startsWith(`${folder}/`);

/**
 * The parts of `//dir/...` or of a file that lie inside allow rules and not below a deny rule, none
 * inside another. Deny rules may still keep files of a part: `isWhollyReadable`.
 */
export function findReadableScopes(pattern: string, allowList: AllowList): readonly string[] {
  if (!isFolder(pattern)) return allowList.check(pattern).allowed ? [pattern] : [];
  const fold = (text: string): string => (allowList.caseHandling === 'sensitive' ? text : foldAscii(text));
  const folder = fold(folderOf(pattern));
  const contains = allowList.allow.some((rule) => isFolder(rule) && isBelow(folder, fold(folderOf(rule))));
  const parts = contains ? [pattern] : allowList.allow.filter((rule) => isInside(fold(rule), folder));
  const readable = parts.filter((part) => allowList.check(isFolder(part) ? `${folderOf(part)}/x` : part).allowed);
  return readable.filter(
    (part) =>
      !readable.some((other) => other !== part && isFolder(other) && isBelow(withoutDots(part), folderOf(other))),
  );
}

/** True for a rule that matches nothing outside the folder. */
function isInside(rule: string, folder: string): boolean {
  return rule.startsWith(`${folder}/`);
}

function withoutDots(rule: string): string {
  return isFolder(rule) ? folderOf(rule) : rule;
}

/** True where every file of `//dir/...` may be read: below an allow rule, and with no deny rule in it. */
export function isWhollyReadable(scope: string, allowList: AllowList): boolean {
  if (!isFolder(scope)) return allowList.check(scope).allowed;
  const folder = foldBroadly(folderOf(scope));
  const isAllowed = findReadableScopes(scope, allowList).includes(scope);
  return isAllowed && !allowList.deny.some((rule) => isBelow(foldBroadly(withoutDots(rule)), folder));
}
