import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath, pathToFileURL } from 'node:url';

export const demo = fileURLToPath(new URL('../src/demo.ts', import.meta.url));

export interface DemoRun {
  /** Besides PATH, the whole environment. */
  env?: NodeJS.ProcessEnv | undefined;
  /** A module to load before the demo. */
  preload?: string | undefined;
  /** Called with all output so far whenever there is more. */
  onOut?: ((out: string, child: ChildProcess) => void) | undefined;
}

/** Runs the demo as `npm run demo` does. */
export function runDemo(args: readonly string[], options: DemoRun): Promise<{ code: number | null; out: string; err: string }> {
  const imports = options.preload === undefined ? [] : ['--import', pathToFileURL(options.preload).href];
  return new Promise((resolve, reject) => {
    const env = { PATH: process.env['PATH'], ...options.env };
    const child = spawn(process.execPath, ['--conditions=criticizer-source', '--import', 'tsx', ...imports, demo, ...args], {
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let [out, err] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      out += text;
      options.onOut?.(out, child);
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      err += text;
    });
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, out, err }));
  });
}
