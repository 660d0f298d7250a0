import { appendFileSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { P4Runner } from '../client/p4-runner.js';
import { writeLauncher } from './launcher.js';
import { packModel } from './packed-model.js';
import type { SimulatorNote, SimulatorStart } from './run-simulator.js';
import { createSimulatedRunner, type P4SimulatorRunnerOptions } from './simulated-runner.js';
import { defaultPort, type P4SimulatorModel, type P4SimulatorUpload } from './simulator-model.js';

/** How the stand-in was started once. */
export interface P4SimulatorRun {
  pid: number;
  argv: readonly string[];
  /** Every variable it was given. */
  env: Readonly<Record<string, string>>;
  cwd: string;
  /** Standard input where it was read (`-x -`). */
  stdin: string | null;
  /** The sub-command; empty where the options were wrong. */
  command: string;
  operands: readonly string[];
  /** What it connected to. */
  port: string;
  /** Host files that took part and attacks that got through. Empty when the client is contained. */
  violations: readonly string[];
  /** What an attack of the server got of this machine. */
  uploads: readonly P4SimulatorUpload[];
}

/** A Perforce server and its client for tests and demos: one executable, no vendor code, no network. */
export interface P4Simulator {
  /** Absolute path to give as `executable`. */
  readonly executable: string;
  /** The address the model answers at. */
  readonly port: string;
  /**
   * Runs commands in this process instead, to give as `runner`: for platforms where no process of the
   * client may run, such as Windows.
   */
  runner(options: P4SimulatorRunnerOptions): P4Runner;
  /** All runs so far, oldest first. */
  log(): readonly P4SimulatorRun[];
  /** Replaces parts of the model for runs that start later. */
  update(changes: Partial<P4SimulatorModel>): void;
  /** Removes its files. */
  dispose(): void;
}

const knownParts: Readonly<Record<keyof P4SimulatorModel, true>> = {
  port: true,
  clientVersion: true,
  fingerprint: true,
  caseHandling: true,
  unicode: true,
  info: true,
  users: true,
  changes: true,
  protections: true,
  limits: true,
  textChunkBytes: true,
  counters: true,
  answers: true,
  fault: true,
};

/** As `checkOptions` of core, which would have to be loaded with each run of the executable. */
function checkModel(model: Partial<P4SimulatorModel>): void {
  const unknown = Object.keys(model).find((part) => !Object.hasOwn(knownParts, part));
  if (unknown === undefined) return;
  throw new TypeError(`createP4Simulator: ${unknown}: unknown option; known are ${Object.keys(knownParts).join(', ')}`);
}

/**
 * Starts nothing: the executable reads the model each time it runs. It is for POSIX; `runner` is for all
 * platforms. Call `dispose` when
 * done. Throws `TypeError` for a model without changes or with a part that it does not know, as
 * `update` does.
 */
export function createP4Simulator(model: P4SimulatorModel): P4Simulator {
  if (!Array.isArray(model?.changes)) throw new TypeError('model.changes: expected an array of changes');
  checkModel(model);
  const directory = mkdtempSync(join(tmpdir(), 'criticizer-p4-simulator-'));
  const files = { modelFile: join(directory, 'model.json'), logFile: join(directory, 'runs.jsonl') };
  let current = model;
  let saves = 0;
  const save = (): void => {
    const { modelFile } = files;
    // A run that began before reads the contents that belong to its model.
    saves += 1;
    const packed = packModel(current, join(directory, `contents-${saves}`));
    writeFileSync(`${modelFile}.new`, JSON.stringify(packed), { mode: 0o600 });
    renameSync(`${modelFile}.new`, modelFile);
  };
  save();
  writeFileSync(files.logFile, '', { mode: 0o600 });
  const executable = writeLauncher(directory, files);
  return {
    executable,
    get port() {
      return current.port ?? defaultPort;
    },
    runner: (options) =>
      createSimulatedRunner(
        { model: () => current, record: (line) => appendFileSync(files.logFile, `${JSON.stringify(line)}\n`) },
        options,
      ),
    log: () => parseRuns(readFileSync(files.logFile, 'utf8')),
    update(changes) {
      checkModel(changes);
      current = { ...current, ...changes };
      save();
    },
    dispose: () => rmSync(directory, { recursive: true, force: true }),
  };
}

/** A process writes one line when it starts and others as it learns what to do. */
export function parseRuns(log: string): P4SimulatorRun[] {
  const runs = new Map<string, SimulatorStart & SimulatorNote>();
  for (const text of log.split('\n')) {
    if (text === '') continue;
    const line = JSON.parse(text) as SimulatorStart & SimulatorNote;
    const key = `${line.pid} ${line.startedAtMs}`;
    runs.set(key, { ...runs.get(key), ...line });
  }
  return [...runs.values()].map(
    ({ pid, argv, env, cwd, stdin = null, command = '', port = '', violations = [], uploads = [], operands }) => {
      const given = operands ?? (stdin ?? '').split('\n').filter((line) => line !== '');
      return { pid, argv, env, cwd, stdin, command, operands: given, port, violations, uploads };
    },
  );
}
