import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** Runs a script of this folder in a Node of its own, from the sources. */
export function startScript(script: string, ...args: string[]): ChildProcess {
  const file = fileURLToPath(new URL(script, import.meta.url));
  return spawn(process.execPath, ['--conditions=criticizer-source', '--import', 'tsx', file, ...args], {
    cwd: fileURLToPath(new URL('..', import.meta.url)),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

/** A script that answers each line of its input with one line. */
export function startDialogue(script: string): { opened: Promise<string>; ask(line: string): Promise<string>; end(): Promise<void> } {
  const file = fileURLToPath(new URL(script, import.meta.url));
  const child = spawn(process.execPath, ['--conditions=criticizer-source', '--import', 'tsx', file], {
    cwd: fileURLToPath(new URL('..', import.meta.url)),
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const gone = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const next = async (): Promise<string> => {
    const { done, value } = await lines.next();
    if (done === true) throw new Error('ended without an answer');
    return value;
  };
  return {
    opened: next(),
    ask(line) {
      child.stdin.write(`${line}\n`);
      return next();
    },
    end() {
      child.stdin.end();
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
    child.once('close', (code, signal) => (code === 0 ? resolve(text) : reject(new Error(`ended with ${code ?? signal}: ${errors}`))));
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
