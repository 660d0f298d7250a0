import { raiseSecurityEvent } from '@criticizer/core/internal';
import { CriticizerError, type JsonObject, type Logger, type SecurityEvents } from '@criticizer/core/ports';
import type { DescribedChange, DescribedFile } from '../client/describe.js';
import type { AllowList, AllowListVerdict } from './allow-list.js';

/**
 * What to do with a change that touches paths outside the list: refuse it whole, or leave those
 * files out and count them.
 */
export type DeniedPaths = 'refuse' | 'omit';

export interface PathPolicyContext {
  allowList: AllowList;
  deniedPaths: DeniedPaths;
  changelistId: string;
  securityEvents: SecurityEvents;
  logger: Logger;
}

/** The files that may be read, and how many may not. */
export interface AllowedFiles {
  files: DescribedFile[];
  deniedFiles: number;
}

/**
 * Judges every path the server returned, sources of moves and branches included, before any content
 * is asked for (P4-2, P4-4). Each violation raises a security event (P4-5). Throws
 * `P4_PATH_MALFORMED` always, `P4_PATH_DENIED` where the setting is `refuse` and some files are
 * allowed; a change with none allowed comes back empty.
 */
export async function admitFiles(change: DescribedChange, context: PathPolicyContext): Promise<AllowedFiles> {
  const [firstMalformed] = change.malformed;
  if (firstMalformed !== undefined) {
    const { defect, bytes } = firstMalformed;
    const details = { defect, pathHex: bytes.subarray(0, 2048).toString('hex'), paths: change.malformed.length };
    raise(
      context,
      'depot_path.malformed',
      'The Perforce server returned a path that is not in canonical form.',
      details,
    );
    const says = 'The change names a path that is not in canonical form; it is refused whole.';
    throw new CriticizerError('P4_PATH_MALFORMED', says, {
      category: 'policy',
      details: { defect, paths: change.malformed.length },
    });
  }
  const allowed: DescribedFile[] = [];
  const denied: { path: string; verdict: AllowListVerdict }[] = [];
  for (const file of change.files) {
    const own = judgeFile(file, context.allowList);
    const source = file.from === null ? null : context.allowList.check(file.from.path);
    if (!own.allowed) denied.push({ path: file.path, verdict: own });
    if (file.from !== null && source !== null && !source.allowed)
      denied.push({ path: file.from.path, verdict: source });
    // A source that may not be read is neither shown nor fetched.
    if (own.allowed) allowed.push(source === null || source.allowed ? file : withoutSource(file));
  }
  const deniedFiles = change.files.length - allowed.length;
  const [first] = denied;
  if (first === undefined) return { files: allowed, deniedFiles };
  const why = deniedReason(first.verdict);
  raise(context, 'depot_path.denied', 'A change touches depot paths outside the allow-list.', {
    path: first.path,
    why,
    paths: denied.length,
    outcome: context.deniedPaths === 'refuse' ? 'change not read' : 'files left out',
  });
  // A change that is wholly elsewhere is no violation to repair but a change not to review (INT-1).
  if (context.deniedPaths === 'omit' || allowed.length === 0) return { files: allowed, deniedFiles };
  throw deniedError(why, denied.length);
}

/**
 * What the list says of a file. One that no command can name is judged by the directory it lies in,
 * and counts as denied where a deny rule might mean a directory whose name is unclear.
 */
export function judgeFile(
  { path, unaskable }: Pick<DescribedFile, 'path' | 'unaskable'>,
  allowList: AllowList,
): AllowListVerdict {
  if (unaskable === undefined) return allowList.check(path);
  const isUnclear = unaskable.hasUnclearDirectory && allowList.deny.length > 0;
  return isUnclear
    ? { allowed: false, reason: 'malformed', defect: 'undecodable' }
    : allowList.check(unaskable.judgedAs);
}

/** The gate at each file fetch. The event is left to the caller, who cannot wait inside a stream. */
export function deniedError(why: string, paths: number): CriticizerError {
  const says = 'The change touches depot paths outside the allow-list; it is refused whole.';
  return new CriticizerError('P4_PATH_DENIED', says, { category: 'policy', details: { why, paths } });
}

/** A stable word for the reason. */
export function deniedReason(verdict: AllowListVerdict): string {
  return verdict.allowed ? 'allowed' : verdict.reason;
}

/** As seen from here a move without its source is an add. */
function withoutSource(file: DescribedFile): DescribedFile {
  return { ...file, action: file.action === 'move/add' ? 'add' : file.action, from: null };
}

function raise(
  context: PathPolicyContext,
  type: 'depot_path.malformed' | 'depot_path.denied',
  reason: string,
  details: JsonObject,
): void {
  raiseSecurityEvent(
    context.securityEvents,
    { type, reason, details, changelistId: context.changelistId },
    context.logger,
  );
}
