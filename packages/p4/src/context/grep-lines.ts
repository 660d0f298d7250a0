import { parseDepotPathBytes } from '../client/depot-path.js';
import type { P4Client } from '../client/p4-client.js';
import { fieldNumber, fieldText } from '../client/p4-output.js';
import { isNothingThere } from './list-files.js';

/** A line that holds the word, maybe inside a longer one. */
export interface GrepLine {
  /** As the server names the file. */
  path: string;
  line: number;
  text: string;
}

/** Operands of one server command; each file counts against the server's limit of revisions. */
const operandsPerBatch = 500;
/** Longest line that is kept, in characters. */
const maxLineChars = 1000;

/** Thrown to end a command that has given enough; no failure. */
class Enough extends Error {}

/**
 * Lines that hold `word`, by `grep -F` over operands such as `//dir/...@12`, until `take` returns
 * false. `onCut` is called where the server abandoned a file for a line that is too long for it.
 * Rejects with what `P4Client.run` rejects with.
 */
export async function grepLines(
  client: P4Client,
  { word, operands }: { word: string; operands: readonly string[] },
  more: { signal: AbortSignal; take(line: GrepLine): boolean; onCut(): void },
): Promise<void> {
  if (operands.length === 0) return;
  const command = { name: 'grep', flags: ['-n', '-s', '-F', '-e', word], operands, operandsPerBatch } as const;
  try {
    await client.run(command, {
      signal: more.signal,
      timeout: 'contents',
      onOutput(output) {
        if (output.kind !== 'stat') return;
        const parsed = parseDepotPathBytes(output.fields.get('depotFile') ?? Buffer.alloc(0));
        const line = fieldNumber(output.fields, 'line');
        const text = fieldText(output.fields, 'matchedLine');
        if (!parsed.ok || line === null || text === null) return;
        if (!more.take({ path: parsed.path, line, text: cleanLine(text, line) })) throw new Enough();
      },
      onWarning(_message, error) {
        if (error.code === 'P4_SERVER_LIMIT') more.onCut();
        return error.code === 'P4_SERVER_LIMIT' || isNothingThere(error);
      },
    });
  } catch (error) {
    if (!(error instanceof Enough)) throw error;
  }
}

/** Without its line break, and without the byte order mark of a file. */
function cleanLine(text: string, line: number): string {
  const bare = text.replace(/\r?\n?$/, '').slice(0, maxLineChars);
  return line === 1 ? bare.replace(/^\uFEFF/, '') : bare;
}
