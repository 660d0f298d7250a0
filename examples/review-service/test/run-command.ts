// A command of the service in the process of a test.
import { runCommandLine } from '../src/commands/run-command.js';

/** How a command ended, and what it wrote: to standard output, to standard error, and both in their order. */
export interface RanCommand {
  code: number;
  out: string;
  errors: string;
  text: string;
}

/** Runs a command of the service with these variables; nobody is there to answer a question. */
export async function runCommand(env: NodeJS.ProcessEnv, ...words: readonly string[]): Promise<RanCommand> {
  const ran: RanCommand = { code: 0, out: '', errors: '', text: '' };
  const keep =
    (stream: 'out' | 'errors') =>
    (more: string): void => {
      ran[stream] += more;
      ran.text += more;
    };
  const { signal } = new AbortController();
  const terminal = { env, write: keep('out'), warn: keep('errors'), ask: async () => null, signal };
  ran.code = await runCommandLine(words, terminal);
  return ran;
}
