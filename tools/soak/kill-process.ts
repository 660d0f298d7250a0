import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';

/** Kills a process without warning and waits for its end; one that has ended is left. */
export async function killProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}
