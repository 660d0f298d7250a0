// Scripts that tests run in a Node of their own.
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll } from 'vitest';
import { bundleInto, makeBundleFolder } from './process-bundle.js';

/** A script that is ready to be started, many times. */
export interface TestScript {
  start(...args: string[]): ChildProcess;
  /** For a script that answers each line of its input with one line. */
  converse(...args: string[]): Dialogue;
}

function packageFolderOf(file: string): string {
  let folder = dirname(file);
  while (!existsSync(join(folder, 'package.json'))) folder = dirname(folder);
  return folder;
}

/**
 * Bundles a script before the tests of the file or the block that calls this, and removes the
 * bundle after them: started from the sources, each start costs two seconds of processor time.
 */
export function testScript(source: URL): TestScript {
  const file = fileURLToPath(source);
  const name = basename(file, '.ts');
  let bundle: ReturnType<typeof makeBundleFolder> | undefined;
  beforeAll(async () => {
    bundle = makeBundleFolder(packageFolderOf(file));
    await bundleInto(bundle.folder, { [name]: file }, 'esm');
  });
  afterAll(() => bundle?.remove());
  const spawned = (args: readonly string[], input: 'ignore' | 'pipe', errors: 'pipe' | 'inherit'): ChildProcess => {
    if (bundle === undefined) throw new Error(`${name} is started in a test or a hook, not before`);
    return spawn(process.execPath, [join(bundle.folder, `${name}.mjs`), ...args], {
      cwd: dirname(file),
      stdio: [input, 'pipe', errors],
    });
  };
  return {
    start: (...args) => spawned(args, 'ignore', 'pipe'),
    converse: (...args) => openDialogue(spawned(args, 'pipe', 'inherit')),
  };
}

export interface Dialogue {
  /** The line it prints once it listens. */
  opened: Promise<string>;
  ask(line: string): Promise<string>;
  end(): Promise<void>;
  kill(): Promise<void>;
}

function openDialogue(child: ChildProcess): Dialogue {
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
