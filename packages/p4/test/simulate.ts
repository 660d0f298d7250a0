import { Buffer } from 'node:buffer';
import type { ClientOutput } from '../src/testing/render-events.js';
import { simulateClient } from '../src/testing/simulate-client.js';
import type { P4SimulatorModel, P4SimulatorUpload } from '../src/testing/simulator-model.js';

/** What a run prints, and what it let through. */
export interface WholeRun {
  stdout: Buffer;
  stderr: Buffer;
  exitCode: number;
  violations: string[];
  /** What the server got of the files. */
  uploads: P4SimulatorUpload[];
}

/** One run of the simulated client in this process; no file of the machine is seen but `files`. */
export function simulate(
  model: P4SimulatorModel,
  run: { argv: readonly string[]; env?: Record<string, string>; files?: Record<string, string>; stdin?: string },
): WholeRun {
  const violations: string[] = [];
  const uploads: P4SimulatorUpload[] = [];
  const { output } = simulateClient(model, {
    argv: run.argv,
    env: run.env ?? {},
    readText: (path) => run.files?.[path] ?? null,
    readBytes: () => Buffer.alloc(0),
    readInput: () => run.stdin ?? '',
    host: {
      attack: (attack, target) => {
        const content = run.files?.[target];
        if (content === undefined) return { done: false, operation: 'open for read', code: 'ENOENT' };
        return { done: true, uploads: [attack === 'read-file' ? { path: target, content } : { path: target }] };
      },
      start: () => true,
    },
    onViolation: (what) => void violations.push(what),
    onUpload: (sent) => void uploads.push(...sent),
  });
  return { ...collect(output), violations, uploads };
}

/** All that a run prints. */
export function collect(output: ClientOutput): Omit<WholeRun, 'violations' | 'uploads'> {
  const written = { stdout: [] as Buffer[], stderr: [] as Buffer[] };
  for (;;) {
    const next = output.next();
    if (next.done === true)
      return { stdout: Buffer.concat(written.stdout), stderr: Buffer.concat(written.stderr), exitCode: next.value };
    written[next.value.to].push(next.value.bytes);
  }
}
