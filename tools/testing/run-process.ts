// Scripts that tests run in a Node of their own, from the sources.
import { type ChildProcess, spawn } from 'node:child_process';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

function start(
  script: URL,
  args: readonly string[],
  input: 'ignore' | 'pipe',
  errors: 'pipe' | 'inherit',
): ChildProcess {
  const file = fileURLToPath(script);
  return spawn(process.execPath, ['--conditions=criticizer-source', '--import', 'tsx', file, ...args], {
    cwd: dirname(file),
    stdio: [input, 'pipe', errors],
  });
}

export function startScript(script: URL, ...args: string[]): ChildProcess {
  return start(script, args, 'ignore', 'pipe');
}

export interface Dialogue {
  /** The line it prints once it listens. */
  opened: Promise<string>;
  ask(line: string): Promise<string>;
  end(): Promise<void>;
  kill(): Promise<void>;
}

/** A script that answers each line of its input with one line. */
export function startDialogue(script: URL, ...args: string[]): Dialogue {
  const child = start(script, args, 'pipe', 'inherit');
  const { stdin, stdout } = child;
  if (stdin === null || stdout === null) throw new Error('no pipes');
  const lines = createInterface({ input: stdout })[Symbol.asyncIterator]();
  const gone = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const next = async (): Promise<string> => {
    const { done, value } = await lines.next();
    if (done === true) throw new Error('ended without an answer');
    return value;
  };
  return {
    opened: next(),
    ask(line) {
      stdin.write(`${line}\n`);
      return next();
    },
    end() {
      stdin.end();
      return gone;
    },
    kill() {
      child.kill('SIGKILL');
      return gone;
    },
  };
}

/** What the script printed, once it ended well. */
export function output(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    let errors = '';
    child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
    child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
      errors += chunk;
    });
    child.once('error', reject);
    child.once('close', (code, signal) =>
      code === 0 ? resolve(text) : reject(new Error(`ended with ${code ?? signal}: ${errors}`)),
    );
  });
}

/** Resolves at the first line the script prints. */
export function firstLine(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
      const end = text.indexOf('\n');
      if (end >= 0) resolve(text.slice(0, end));
    });
    child.once('error', reject);
    child.once('close', () => reject(new Error('ended without a line')));
  });
}
