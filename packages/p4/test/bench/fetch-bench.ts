import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { createP4Simulator, type P4SimulatorModel } from '../../src/testing/index.js';
import { addedFiles, editedFiles } from './bench-model.js';
import type { FetchMeasurement } from './fetch-process.js';

/** One large change and what it took to fetch. */
export interface FetchRow extends FetchMeasurement {
  id: string;
  processes: number;
  /** Of the small change before it, when the fetcher knew neither server nor author. */
  coldProcesses: number;
}

/** Each in a process of its own, after one small change. */
export function measureFetches(): FetchRow[] {
  const mass = editedFiles({ files: 10_000, bytes: 2048, every: 60 });
  const heavy = editedFiles({ files: 10_000, bytes: 2048, every: 10 });
  return [
    measure('fetch: 10,000 files of 2 kB, a line or two changed in each', mass),
    measure('fetch: 10,000 files of 2 kB, every tenth line changed', heavy),
    measure('fetch: 100,000 files, over the limit', addedFiles(100_000)),
  ];
}

function measure(id: string, model: P4SimulatorModel): FetchRow {
  const simulator = createP4Simulator(model);
  try {
    const program = fileURLToPath(new URL('./fetch-process.ts', import.meta.url));
    const flags = ['--expose-gc', '--conditions=criticizer-source', '--import', 'tsx'];
    const printed = execFileSync(process.execPath, [...flags, program, simulator.executable, simulator.port], {
      encoding: 'utf8',
    });
    const runs = simulator.log();
    // The small change came first: what belongs to the large one begins with its description.
    const small = runs.findLastIndex((run) => run.command === 'describe');
    return { id, ...(JSON.parse(printed) as FetchMeasurement), processes: runs.length - small, coldProcesses: small };
  } finally {
    simulator.dispose();
  }
}
