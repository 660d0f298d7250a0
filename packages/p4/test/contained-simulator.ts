import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  closeSync,
  constants,
  copyFileSync,
  openSync,
  readFileSync,
  readSync,
  realpathSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { createProbeEnvironment, createRootEnvironment } from '../src/client/p4-environment.js';
import { type ContainmentHost, createContainmentHost } from '../src/containment/containment-host.js';
import { findHostTools } from '../src/containment/host-tools.js';
import type { ExtraFile } from '../src/containment/prepared-root.js';
import { listRungs, type Rung } from '../src/containment/rungs.js';
import {
  createP4Simulator,
  type P4Simulator,
  type P4SimulatorFault,
  type P4SimulatorModel,
  type P4SimulatorRun,
} from '../src/testing/index.js';
import { parseRuns } from '../src/testing/simulator.js';

/** A way to contain, by the name that its tests have. */
export interface NamedRung {
  title: string;
  rung: Rung;
}

const isRoot = process.getuid?.() === 0;

/**
 * What the tools of this machine offer. Root tries the way of other users, too. Landlock alone is
 * not among them: the simulator writes a log, which its rules do not permit.
 */
export function offeredRungs(): NamedRung[] {
  const tools = findHostTools();
  const ofRoot = listRungs(tools, { isRoot }).map((rung) => ({ title: rung.name, rung }));
  const ofUsers = isRoot ? listRungs(tools, { isRoot: false }).filter(({ name }) => name === 'namespaces') : [];
  return [...ofRoot, ...ofUsers.map((rung) => ({ title: 'namespaces without root', rung }))].filter(
    ({ rung }) => rung.kind === 'root',
  );
}

export const environments = { inside: createRootEnvironment('none', null), outside: createProbeEnvironment() };

/** A simulator whose processes can run in a prepared root. */
export interface ContainedSimulator {
  simulator: P4Simulator;
  host(rungs: readonly Rung[]): ContainmentHost;
  /** What the server does to the client from now on. The roots stay the same. */
  setFault(fault: (P4SimulatorFault & { command?: string }) | undefined): void;
  /** Runs in a root since `takeRuns`; those outside are in the simulator's own log. */
  runs(): readonly P4SimulatorRun[];
  /** The same, and forgets them. */
  takeRuns(): readonly P4SimulatorRun[];
  /** How often a line of the log matches, since the last call. */
  countLines(pattern: RegExp): number;
  dispose(): void;
}

/** Copied once for a simulator: its roots have it as a link, which costs nothing. */
function copyInterpreter(directory: string): string {
  const interpreter = join(directory, 'node');
  copyFileSync(realpathSync(process.execPath), interpreter);
  chmodSync(interpreter, 0o555);
  return interpreter;
}

/**
 * Node and the simulator's files are in the root; its log is a pipe there, which a read-only root
 * does not keep it from writing to.
 */
export function createContainedSimulator(model: P4SimulatorModel): ContainedSimulator {
  const simulator = createP4Simulator(model);
  const directory = dirname(simulator.executable);
  const modelFile = join(directory, 'model.json');
  const pipe = join(directory, 'runs.pipe');
  execFileSync('mkfifo', ['-m', '0666', pipe]);
  chmodSync(pipe, 0o666); // whatever the umask
  chmodSync(modelFile, 0o644);
  const descriptor = openSync(pipe, constants.O_RDWR | constants.O_NONBLOCK);
  const extraFiles: ExtraFile[] = [
    { from: copyInterpreter(directory), to: process.execPath, as: 'link', isProgram: true },
    { from: join(directory, 'simulator.cjs') },
    { from: modelFile, as: 'link' },
    { from: join(directory, 'contents-1') },
    { from: pipe, to: join(directory, 'runs.jsonl'), as: 'link' },
  ];
  let log = '';
  const runs = (): readonly P4SimulatorRun[] => {
    const buffer = Buffer.alloc(65_536);
    for (;;) {
      try {
        log += buffer.toString('utf8', 0, readSync(descriptor, buffer));
      } catch {
        return parseRuns(log); // nothing is left in the pipe
      }
    }
  };
  return {
    simulator,
    host: (rungs) => createContainmentHost({ environments, rungs, extraFiles }),
    setFault(fault) {
      const stored = JSON.parse(readFileSync(modelFile, 'utf8')) as P4SimulatorModel;
      writeFileSync(modelFile, JSON.stringify({ ...stored, fault })); // the same file, also in the roots
    },
    runs,
    takeRuns() {
      const taken = runs();
      log = '';
      return taken;
    },
    countLines(pattern) {
      runs();
      const count = [...log.matchAll(pattern)].length;
      log = '';
      return count;
    },
    dispose() {
      closeSync(descriptor);
      simulator.dispose();
    },
  };
}
