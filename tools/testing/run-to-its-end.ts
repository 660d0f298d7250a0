import { spawn } from 'node:child_process';

/** How a script ended by itself: its exit code and what it printed. Rejects where it is still there after `limitMs`. */
export async function runToItsEnd(
  script: string,
  args: readonly string[] = [],
  limitMs = 10_000,
): Promise<{ code: number | null; printed: string }> {
  const child = spawn(process.execPath, ['--conditions=criticizer-source', '--import', 'tsx', script, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let printed = '';
  child.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      reject(new Error(`${script} is still there after ${limitMs} ms: it left a handle.\n${printed}`));
    }, limitMs);
    child.once('close', (code) => {
      clearTimeout(timer);
      resolve({ code, printed });
    });
  });
}
