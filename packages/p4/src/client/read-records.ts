import type { P4Client, P4RunOptions } from './p4-client.js';
import type { P4Command } from './p4-command.js';
import type { P4Fields } from './p4-output.js';

/** The tagged records that a command answers with. Throws what `P4Client.run` throws. */
export async function readRecords(
  client: P4Client,
  command: P4Command,
  run: Pick<P4RunOptions, 'signal' | 'onWarning'>,
): Promise<readonly P4Fields[]> {
  const records: P4Fields[] = [];
  await client.run(command, {
    ...run,
    onOutput(output) {
      if (output.kind === 'stat') records.push(output.fields);
    },
  });
  return records;
}
