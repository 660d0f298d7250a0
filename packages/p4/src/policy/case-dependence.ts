import { foldAscii } from '../client/depot-path.js';
import type { DescribedChange } from '../client/describe.js';
import type { AllowList } from './allow-list.js';

/** Thrown inside a fetch where the server's case handling was not known and turned out to matter. */
export class CaseHandlingMatters extends Error {}

/** Whether a path is inside the list for servers of one case handling alone. */
export function isInsideByCase(path: string, allowList: AllowList): boolean {
  return (
    !allowList.forServer('sensitive').check(path).allowed && allowList.forServer('insensitive').check(path).allowed
  );
}

/**
 * Whether what is made of a change depends on how the server compares paths: what the list says of
 * one of them, or which files are the two sides of a move. Mostly it does not, and then nobody has
 * to ask.
 */
export function dependsOnCase({ files }: Pick<DescribedChange, 'files'>, allowList: AllowList): boolean {
  const paths = files.flatMap(({ path, unaskable, from }) => [
    unaskable?.judgedAs ?? path,
    ...(from === null ? [] : [from.path]),
  ]);
  if (paths.some((path) => isInsideByCase(path, allowList))) return true;
  const gone = files.filter(({ action }) => action === 'move/delete').map(({ path }) => path);
  const [exact, folded] = [new Set(gone), new Set(gone.map(foldAscii))];
  return files.some(
    ({ action, from }) =>
      action === 'move/add' && from !== null && !exact.has(from.path) && folded.has(foldAscii(from.path)),
  );
}
