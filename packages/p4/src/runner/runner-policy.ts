// What a runner runs, by its own lists: it believes nothing of what it is sent.
import { commandArguments, type P4Command, type P4CommandName } from '../client/p4-command.js';
import type { AllowList } from '../policy/allow-list.js';
import { isWhollyReadable } from '../policy/readable-scopes.js';
import type { Refusal } from './runner-failures.js';
import type { RunnerRequest } from './runner-request.js';

/** Most that a request may ask for. */
export interface RunnerLimits {
  wallMs: number;
  maxOutputBytes: number;
}

/** Whether the list allows a file with or without a revision, or a directory; `grep` shows lines of all its files. */
function isInside(operand: string, name: string, allowList: AllowList): boolean {
  const named = operand.replace(/(?:#[0-9]+|@=[0-9]+|@[0-9]+,@[0-9]+|@[0-9]+)$/, '');
  if (name === 'grep') return isWhollyReadable(named, allowList);
  // `//dir/.../name` lists no other directory than `//dir/...`.
  const path = named.replace(/\/\.\.\.\/.*$/, '/...');
  // A rule that allows one file of a directory does not allow the directory.
  return allowList.check(path.endsWith('/...') ? `${path.slice(0, -4)}/x` : path).allowed;
}

/** Commands whose operands are depot paths. */
const readsPaths: ReadonlySet<P4CommandName> = new Set<P4CommandName>([
  'print',
  'fstat',
  'filelog',
  'changes',
  'files',
  'grep',
]);

/** The command of a request, or which part of it the runner's own lists refuse. */
export function judgeRequest(
  request: RunnerRequest,
  operands: readonly string[],
  { allowList, limits }: { allowList: AllowList; limits: RunnerLimits },
): P4Command | Refusal {
  if (request.wallMs > limits.wallMs || request.maxOutputBytes > limits.maxOutputBytes) return 'limit';
  const command: P4Command = {
    name: request.name as P4CommandName,
    flags: request.flags,
    operands,
    operandsPerBatch: request.operandsPerBatch ?? undefined,
  };
  try {
    commandArguments(command); // knows the names, flags and forms that exist
  } catch {
    return 'command';
  }
  if (readsPaths.has(command.name) && !operands.every((operand) => isInside(operand, command.name, allowList)))
    return 'operand';
  return command;
}
