import { isCriticizerError } from '@criticizer/core/ports';
import { parseDepotPathBytes } from '../client/depot-path.js';
import type { P4Client } from '../client/p4-client.js';
import { fieldText } from '../client/p4-output.js';
import { readRecords } from '../client/read-records.js';

/** A file as `files` lists it. */
export interface ListedFile {
  path: string;
  /** Perforce type. */
  type: string;
}

/** Operands of one server command. */
const operandsPerBatch = 128;

/**
 * At most `max` files that are there as of the change, for each operand such as `//dir/...@12`. Files
 * whose path has no canonical form are left out. None of a depot that the server does not have.
 */
export async function listFiles(
  client: P4Client,
  operands: readonly string[],
  { max, signal }: { max: number; signal: AbortSignal },
): Promise<readonly ListedFile[]> {
  if (operands.length === 0) return [];
  const command = { name: 'files', flags: ['-e', '-m', String(max)], operands, operandsPerBatch } as const;
  const onWarning = (_message: unknown, error: { code: string }): boolean => isNothingThere(error);
  try {
    const records = await readRecords(client, command, { signal, onWarning });
    return records.flatMap((fields) => {
      const parsed = parseDepotPathBytes(fields.get('depotFile') ?? Buffer.alloc(0));
      return parsed.ok ? [{ path: parsed.path, type: fieldText(fields, 'type') ?? '' }] : [];
    });
  } catch (error) {
    if (isCriticizerError(error) && isNothingThere(error)) return [];
    throw error;
  }
}

/** No such file, or no such depot. */
export function isNothingThere({ code }: { code: string }): boolean {
  return code === 'P4_FILE_NOT_FOUND' || code === 'P4_OUT_OF_SCOPE';
}
