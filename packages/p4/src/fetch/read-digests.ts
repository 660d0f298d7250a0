import { foldAscii } from '../client/depot-path.js';
import type { P4Client } from '../client/p4-client.js';
import type { P4CommandName } from '../client/p4-command.js';
import { fieldNumber, fieldText, type P4Fields } from '../client/p4-output.js';
import { readRecords } from '../client/read-records.js';
import { isOverRowLimit } from '../client/server-limits.js';

/** A submitted revision of a file. */
export interface FileRevision {
  path: string;
  revision: number;
}

/** Operands of one server command. */
export const operandsPerBatch = 256;

/** The key of a revision in maps: servers differ in whether they keep the case of a request. */
export function buildRevisionKey({ path, revision }: FileRevision): string {
  return `${foldAscii(path)}#${revision}`;
}

/**
 * The server's digests of these revisions, upper-case, by `buildRevisionKey`. Those that it has none
 * of, or refuses for the number of rows, are left out.
 */
export async function readDigests(
  client: P4Client,
  revisions: readonly FileRevision[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, string>> {
  const digests = new Map<string, string>();
  const operands = revisions.map(({ path, revision }) => `${path}#${revision}`);
  for (const fields of await readAboutRevisions(client, { name: 'fstat', flags: ['-Ol'], operands }, signal)) {
    const [path, revision] = [fieldText(fields, 'depotFile'), fieldNumber(fields, 'headRev')];
    const digest = fieldText(fields, 'digest')?.toUpperCase();
    if (path !== null && revision !== null && digest !== undefined)
      digests.set(buildRevisionKey({ path, revision }), digest);
  }
  return digests;
}

/** Records about revisions; none where the server's row limits refuse the question. */
export async function readAboutRevisions(
  client: P4Client,
  command: { name: P4CommandName; flags: readonly string[]; operands: readonly string[] },
  signal: AbortSignal,
): Promise<readonly P4Fields[]> {
  if (command.operands.length === 0) return [];
  const onWarning = (_message: unknown, error: { code: string }): boolean => error.code === 'P4_FILE_NOT_FOUND';
  try {
    return await readRecords(client, { ...command, operandsPerBatch }, { signal, onWarning });
  } catch (error) {
    if (isOverRowLimit(error)) return [];
    throw error;
  }
}
