import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Measured, Pass } from './throughput.ts';

const script = fileURLToPath(new URL('./contender-process.ts', import.meta.url));

/** Turns for the compiler, uncounted: what a pass asks for seldom is compiled as late as by the twentieth. */
export const WARMING = 3;

/** A contender that waits in its own process, and works only while a pass is asked for. */
export interface OwnProcess {
  pass(measured: Measured): Promise<Pass>;
  end(): void;
}

/**
 * Starts the process of a contender, or of `objects`, with so many bytes of source or so many
 * objects; resolves once they are loaded.
 */
export async function startProcess(name: string, size: number): Promise<OwnProcess> {
  const child = fork(script, [name, String(size)]);
  const gone = new AbortController();
  child.once('exit', (code) => gone.abort(new Error(`the process of ${name} ended with ${code}`)));
  const answer = async (): Promise<unknown> => (await once(child, 'message', { signal: gone.signal }))[0];
  await answer();
  return {
    async pass(measured) {
      const answered = answer();
      child.send(measured);
      return (await answered) as Pass;
    },
    end: () => child.disconnect(),
  };
}

/** MB/s of one contender that no other is measured with, round by round. */
export async function passesAlone(name: Measured, size: number, rounds: number): Promise<number[]> {
  const own = await startProcess(name, size);
  for (let pass = 0; pass < WARMING; pass += 1) await own.pass(name);
  const speeds: number[] = [];
  while (speeds.length < rounds) speeds.push((await own.pass(name)).megabytesPerSecond);
  own.end();
  return speeds;
}
