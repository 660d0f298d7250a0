// The worker processes of a soak: started, killed, frozen, blocked, replaced.
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { monotonicMs, workerLogFile } from './worker-log.js';
import type { FromWorker, ToWorker, WorkerOptions } from './worker-process.js';

export interface Worker {
  name: string;
  slot: number;
  child: ChildProcess;
  /**
   * `held`: stopped or blocked, or just awake: not to be killed before what it was about to write
   * has reached the database.
   */
  state: 'starting' | 'ready' | 'held' | 'gone';
  /** Set where its end was asked for. */
  dismissed: boolean;
  gone: Promise<void>;
}

/** What a new worker is started with; the crew names it. */
export interface Engagement {
  options: Omit<WorkerOptions, 'name' | 'logFile'>;
  env: NodeJS.ProcessEnv;
}

export interface Crew {
  /** Those that may be killed or frozen now. */
  free(): Worker[];
  held(): number;
  kill(worker: Worker): void;
  /** SIGSTOP, SIGCONT after `ms`. Resolves when it has woken and had time to write. */
  freeze(worker: Worker, ms: number): Promise<void>;
  /** The same with a blocked event loop. */
  block(worker: Worker, ms: number): Promise<void>;
  /** Orderly; one that does not end within `ms` is killed and complained of. */
  stopAll(ms: number): Promise<void>;
  /** At once, whatever they do. */
  killAll(): void;
  readonly kills: readonly { worker: string; atMs: number }[];
  readonly frozen: ReadonlySet<string>;
  readonly engaged: ReadonlyMap<string, Engagement>;
  /** Processes that ended by themselves, with their last words. */
  readonly complaints: readonly string[];
}

/** What a woken process needs to get a statement that it had ready onto the wire. */
const wakingMs = 300;

// long: a crew is its workers and what was done to them, which every verb reads
export function createCrew(bundle: string, folder: string, slots: number, engage: () => Engagement): Crew {
  const workers = new Map<number, Worker>();
  const kills: { worker: string; atMs: number }[] = [];
  const frozen = new Set<string>();
  const engaged = new Map<string, Engagement>();
  const complaints: string[] = [];
  let started = 0;
  let over = false;

  function start(slot: number): void {
    const name = `worker-${started++}`;
    const { options, env } = engage();
    engaged.set(name, { options, env });
    const given: WorkerOptions = { ...options, name, logFile: workerLogFile(folder, name) };
    const words = join(folder, `${name}.stderr`);
    const stderr = openSync(words, 'a');
    const child = spawn(process.execPath, [bundle, JSON.stringify(given)], {
      env: { ...process.env, NODE_OPTIONS: '', ...env },
      stdio: ['ignore', 'ignore', stderr, 'ipc'],
    });
    closeSync(stderr);
    const worker: Worker = {
      name,
      slot,
      child,
      state: 'starting',
      dismissed: false,
      gone: new Promise((resolve) => {
        child.once('exit', (code, signal) => {
          worker.state = 'gone';
          if (!worker.dismissed)
            complaints.push(`${name} ended with ${code ?? signal}: ${readFileSync(words, 'utf8').slice(-2_000)}`);
          if (!over) start(slot);
          resolve();
        });
      }),
    };
    child.on('message', (message: FromWorker) => {
      if (message === 'ready' && worker.state === 'starting') worker.state = 'ready';
    });
    child.on('error', () => undefined); // a message to a process that is gone
    workers.set(slot, worker);
  }

  function send(worker: Worker, message: ToWorker): void {
    if (worker.state !== 'gone' && worker.child.connected) worker.child.send(message, () => undefined);
  }

  function end(worker: Worker, signal: NodeJS.Signals): void {
    worker.dismissed = true;
    worker.child.kill(signal);
  }

  /** Until its event loop turns again, and a little longer. */
  async function awake(worker: Worker): Promise<void> {
    const answered = new Promise<void>((resolve) => {
      worker.child.on('message', (message: FromWorker) => message === 'pong' && resolve());
    });
    send(worker, { ping: true });
    await Promise.race([answered, worker.gone]);
    await sleep(wakingMs);
    if (worker.state === 'held') worker.state = 'ready';
  }

  for (let slot = 0; slot < slots; slot++) start(slot);
  return {
    free: () => [...workers.values()].filter(({ state }) => state === 'ready'),
    held: () => [...workers.values()].filter(({ state }) => state === 'held').length,
    kill(worker) {
      worker.state = 'gone';
      end(worker, 'SIGKILL');
      kills.push({ worker: worker.name, atMs: monotonicMs() });
    },
    async freeze(worker, ms) {
      worker.state = 'held';
      frozen.add(worker.name);
      worker.child.kill('SIGSTOP');
      await sleep(ms);
      worker.child.kill('SIGCONT');
      await awake(worker);
    },
    async block(worker, ms) {
      worker.state = 'held';
      frozen.add(worker.name);
      send(worker, { block: ms });
      await awake(worker);
    },
    async stopAll(ms) {
      over = true;
      const all = [...workers.values()];
      for (const worker of all) {
        worker.dismissed = true;
        send(worker, { stop: true });
      }
      const late = new AbortController();
      const killing = sleep(ms, undefined, { signal: late.signal })
        .then(() => {
          for (const worker of all.filter(({ state }) => state !== 'gone')) {
            complaints.push(`${worker.name} did not stop within ${ms} ms`);
            end(worker, 'SIGKILL');
          }
        })
        .catch(() => undefined);
      await Promise.all(all.map(({ gone }) => gone));
      late.abort();
      await killing;
    },
    killAll() {
      over = true;
      for (const worker of workers.values()) end(worker, 'SIGKILL');
    },
    kills,
    frozen,
    engaged,
    complaints,
  };
}
