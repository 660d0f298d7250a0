import type { TestScript } from './run-process.js';

/** How a script ended by itself: its exit code and what it printed. Rejects where it is still there after `limitMs`. */
export async function runToItsEnd(
  script: TestScript,
  args: readonly string[] = [],
  limitMs = 10_000,
): Promise<{ code: number | null; printed: string }> {
  const child = script.start(...args);
  let printed = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
    });
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      reject(new Error(`it is still there after ${limitMs} ms: it left a handle.\n${printed}`));
    }, limitMs);
    child.once('close', (code) => {
      clearTimeout(timer);
      resolve({ code, printed });
    });
  });
}
