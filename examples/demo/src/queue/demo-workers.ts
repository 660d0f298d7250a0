import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { UsageError } from '../settings/usage-error.js';
import type { CleanUp } from '../state/demo-clean-up.js';
import type { WorkerMessage, WorkerOptions } from './review-worker.js';

export interface DemoWorkers {
  /** `worker 1 (process 4711)` */
  names: readonly string[];
  /** They begin to claim, all at once. */
  start(): void;
  /** Throws `UsageError` once every one of them has gone, unasked. */
  check(): void;
}

/** Beside this file, as TypeScript or built. */
const script = fileURLToPath(new URL(`./review-worker${extname(import.meta.url)}`, import.meta.url));

/** Resolves when the worker can claim; rejects when it ended before. */
async function isReady(child: ChildProcess): Promise<void> {
  const ready = new Promise<void>((resolve) => {
    child.on('message', (message: WorkerMessage) => message.type === 'ready' && resolve());
  });
  const gone = once(child, 'exit').then(() => {
    throw new UsageError('A worker process did not start. What it said stands above.');
  });
  await Promise.race([ready, gone]);
}

/** Starts worker processes; each is stopped, and waited for, in the clean-up. */
export async function startWorkers(
  count: number,
  { options, databaseUrl }: { options: WorkerOptions; databaseUrl: string },
  cleanUp: CleanUp,
  onMessage: (worker: number, message: WorkerMessage) => void,
): Promise<DemoWorkers> {
  // Not among the arguments, which every user of this machine can read.
  const env = { ...process.env, DATABASE_URL: databaseUrl };
  const children = Array.from({ length: count }, (_, i) => {
    const child = fork(script, [JSON.stringify(options)], { env, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
    const exited = once(child, 'exit');
    cleanUp(async () => {
      if (child.connected) child.disconnect();
      await exited;
    });
    child.on('message', (message: WorkerMessage) => onMessage(i, message));
    return child;
  });
  await Promise.all(children.map(isReady));
  return {
    names: children.map(({ pid }, i) => `worker ${i + 1} (process ${pid})`),
    start() {
      for (const child of children) if (child.connected) child.send('start');
    },
    check() {
      if (children.every((child) => !child.connected))
        throw new UsageError('Both worker processes are gone; the same command goes on from where they were.');
    },
  };
}
