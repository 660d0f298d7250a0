import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** The demo as `npm run demo` has it: its sources. */
export const demoSource = fileURLToPath(new URL('../src/demo.ts', import.meta.url));

export interface DemoRun {
  /** Besides PATH, the whole environment. */
  env?: NodeJS.ProcessEnv | undefined;
  /** A module to load before the demo. */
  preload?: string | undefined;
  /** Called with all output so far whenever there is more. */
  onOut?: ((out: string, child: ChildProcess) => void) | undefined;
}

/** Runs the demo, from its sources or a bundle of them. */
export function runDemo(
  demo: string,
  args: readonly string[],
  options: DemoRun,
): Promise<{ code: number | null; out: string; err: string }> {
  const fromSources = demo.endsWith('.ts') ? ['--conditions=criticizer-source', '--import', 'tsx'] : [];
  const imports = options.preload === undefined ? [] : ['--import', pathToFileURL(options.preload).href];
  return new Promise((resolve, reject) => {
    const env = { PATH: process.env['PATH'], ...options.env };
    const child = spawn(process.execPath, [...fromSources, ...imports, demo, ...args], {
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
