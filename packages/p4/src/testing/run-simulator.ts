import { Buffer } from 'node:buffer';
import { spawn } from 'node:child_process';
import { appendFileSync, readFileSync, writeSync } from 'node:fs';
import { type SimulatedRun, simulateClient } from './simulate-client.js';
import type { P4SimulatorModel } from './simulator-model.js';

/** Where a simulator process finds its model and leaves its record. */
export interface SimulatorFiles {
  modelFile: string;
  /** JSON lines, appended to. */
  logFile: string;
}

/** One line of the log. `operands`, `violations` and `port` are absent where the process ended before they were known. */
export interface SimulatorLogLine {
  pid: number;
  argv: readonly string[];
  env: Readonly<Record<string, string>>;
  cwd: string;
  stdin: string | null;
  run: Pick<SimulatedRun, 'command' | 'operands' | 'port' | 'violations'> | null;
}

/** Set by the shell of the launcher, not by the client's caller. */
const shellOwn = new Set(['_', 'SHLVL', 'OLDPWD']);

/**
 * The body of the stand-in for `p4`: reads the model, records how it was started, acts. Called by the launcher that
 * `createP4Simulator` writes; ends the process.
 */
export async function runP4Simulator({ modelFile, logFile }: SimulatorFiles): Promise<void> {
  const line: SimulatorLogLine = {
    pid: process.pid,
    argv: process.argv.slice(2),
    env: Object.fromEntries(Object.entries(process.env).flatMap(([key, value]) => (shellOwn.has(key) ? [] : [[key, value ?? '']]))),
    cwd: process.cwd(),
    stdin: null,
    run: null,
  };
  const record = (): void => appendFileSync(logFile, `${JSON.stringify(line)}\n`);
  record();
  const model = JSON.parse(readFileSync(modelFile, 'utf8')) as P4SimulatorModel;
  const run = simulateClient(model, {
    argv: line.argv,
    env: process.env,
    readText,
    readInput: () => {
      line.stdin = readFileSync(0, 'utf8');
      return line.stdin;
    },
  });
  const { command, operands, port, violations } = run;
  line.run = { command, operands, port, violations };
  record();
  await act(run);
}

async function act(run: SimulatedRun): Promise<void> {
  const fault = run.fault;
  if (fault?.kind === 'silent' || fault?.kind === 'hangs-with-child') {
    if (fault.kind === 'silent' && fault.stubborn === true) process.on('SIGTERM', () => undefined);
    if (fault.kind === 'hangs-with-child') {
      const program = "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000)";
      spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'inherit', 'inherit'] });
    }
    setInterval(() => undefined, 1_000);
    return new Promise(() => undefined);
  }
  const stdout = Buffer.concat(run.stdout);
  if (fault?.kind === 'slow') await writeSlowly(stdout, fault.bytesPerSecond);
  else writeAll(1, stdout);
  for (const chunk of run.stderr) writeAll(2, chunk);
  process.exit(run.exitCode);
}

async function writeSlowly(chunk: Buffer, bytesPerSecond: number): Promise<void> {
  const step = Math.max(1, Math.floor(bytesPerSecond / 20));
  for (let from = 0; from < chunk.length; from += step) {
    writeAll(1, chunk.subarray(from, from + step));
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** A pipe whose reader is slow answers EAGAIN. */
function writeAll(descriptor: number, chunk: Buffer): void {
  let from = 0;
  while (from < chunk.length) {
    try {
      from += writeSync(descriptor, chunk, from);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EAGAIN') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2);
      else process.exit(255);
    }
  }
}

function readText(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}
