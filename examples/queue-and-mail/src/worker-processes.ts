import { type ChildProcess, fork } from 'node:child_process';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { WorkerMessage, WorkerOptions } from './worker.js';

/** In the folder of this file, as TypeScript or as JavaScript. */
const script = fileURLToPath(new URL(`./worker${extname(import.meta.url)}`, import.meta.url));

export interface WorkerProcess {
  /** `worker-1` */
  name: string;
  pid: number;
  kill(): void;
  /** Tells it to finish what it does; resolves when it has ended. */
  stop(): Promise<void>;
}

export interface WorkerListener {
  onMessage(name: string, message: WorkerMessage): void;
  /** Unasked: killed, or broken. */
  onLost(name: string): void;
}

/** Starts `count` workers; resolves once all of them work. */
export async function startWorkers(
  count: number,
  options: Omit<WorkerOptions, 'helloName'>,
  listener: WorkerListener,
): Promise<readonly WorkerProcess[]> {
  const starts = Array.from({ length: count }, (_, i) => startWorker(`worker-${i + 1}`, options, listener));
  const started = await Promise.allSettled(starts);
  const workers = started.flatMap((start) => (start.status === 'fulfilled' ? [start.value] : []));
  const failed = started.find((start) => start.status === 'rejected');
  if (failed === undefined) return workers;
  await Promise.all(workers.map((worker) => worker.stop()));
  throw failed.reason;
}

async function startWorker(
  name: string,
  options: Omit<WorkerOptions, 'helloName'>,
  listener: WorkerListener,
): Promise<WorkerProcess> {
  const asJson = JSON.stringify({ ...options, helloName: `${name}.example.test` } satisfies WorkerOptions);
  const child = fork(script, [asJson], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  let asked = false;
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  child.once('disconnect', () => asked || listener.onLost(name)); // after its last message, which `exit` may overtake
  child.on('message', (message: WorkerMessage) => listener.onMessage(name, message));
  await isReady(name, child);
  return {
    name,
    pid: child.pid ?? 0,
    kill: () => void child.kill('SIGKILL'),
    async stop() {
      asked = true;
      if (child.connected) child.disconnect(); // what it has begun, it ends or gives back
      await ended;
    },
  };
}

function isReady(name: string, child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`${name} did not start (exit ${code})`)));
    child.on('message', (message: WorkerMessage) => {
      if (message.type === 'ready') resolve();
    });
  });
}
