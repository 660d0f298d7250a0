import { Buffer } from 'node:buffer';
import { spawn } from 'node:child_process';
import { appendFileSync, readFileSync, writeSync } from 'node:fs';
import { realHost } from './attacked-host.js';
import { openFileParts, readTextFile } from './packed-model.js';
import type { ClientOutput } from './render-events.js';
import { type SimulatedRun, simulateClient } from './simulate-client.js';
import type { P4SimulatorModel, P4SimulatorUpload } from './simulator-model.js';

/** Where a simulator process finds its model and leaves its record. */
export interface SimulatorFiles {
  modelFile: string;
  /** JSON lines, appended to. */
  logFile: string;
}

/** How the process was started: its first line in the log. */
export interface SimulatorStart {
  pid: number;
  /** Tells two processes of one number apart. */
  startedAtMs: number;
  argv: readonly string[];
  env: Readonly<Record<string, string>>;
  cwd: string;
}

/** A later line about the same process; the fields it has replace earlier ones. */
export interface SimulatorNote {
  pid: number;
  startedAtMs: number;
  stdin?: string;
  command?: string;
  /** Those of the command line; where they came by standard input they stand there. */
  operands?: readonly string[];
  port?: string;
  violations?: readonly string[];
  uploads?: readonly P4SimulatorUpload[];
}

/** Set by the shell of the launcher, not by the client's caller. */
const shellOwn = new Set(['_', 'SHLVL', 'OLDPWD']);

/**
 * The body of the stand-in for `p4`: reads the model, records how it was started, acts. Called by the launcher that
 * `createP4Simulator` writes; ends the process.
 */
export async function runP4Simulator({ modelFile, logFile }: SimulatorFiles): Promise<void> {
  const identity = { pid: process.pid, startedAtMs: performance.timeOrigin };
  const record = (line: object): void => appendFileSync(logFile, `${JSON.stringify({ ...identity, ...line })}\n`);
  const env = Object.fromEntries(
    Object.entries(process.env).flatMap(([key, value]) => (shellOwn.has(key) ? [] : [[key, value ?? '']])),
  );
  record({ argv: process.argv.slice(2), env, cwd: process.cwd() });
  const model = JSON.parse(readFileSync(modelFile, 'utf8')) as P4SimulatorModel;
  const violations: string[] = [];
  let inputRead = false;
  const { output, operands, ...run } = simulateClient(model, {
    argv: process.argv.slice(2),
    env: process.env,
    readText: readTextFile,
    readBytes: openFileParts().read,
    readInput() {
      if (inputRead) return '';
      inputRead = true;
      const stdin = readFileSync(0, 'utf8');
      record({ stdin });
      return stdin;
    },
    host: realHost,
    onViolation(what) {
      violations.push(what);
      record({ violations });
    },
    onUpload: (uploads) => record({ uploads }),
  });
  record({ command: run.command, port: run.port, ...(inputRead ? {} : { operands }) });
  await act(output, run.fault);
}

async function act(output: ClientOutput, fault: SimulatedRun['fault']): Promise<void> {
  if (fault?.kind === 'silent' || fault?.kind === 'hangs-with-child') {
    if (fault.kind === 'silent' && fault.stubborn === true) process.on('SIGTERM', () => undefined);
    if (fault.kind === 'hangs-with-child') {
      const program = "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000)";
      spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'inherit', 'inherit'] });
    }
    setInterval(() => undefined, 1_000);
    return new Promise(() => undefined);
  }
  process.exit(await print(output, fault?.bytesPerSecond ?? null));
}

const blockBytes = 64 * 1024;

/** Writes standard output in blocks, as the client does, and standard error at once. Returns the exit status. */
async function print(output: ClientOutput, bytesPerSecond: number | null): Promise<number> {
  let block: Buffer[] = [];
  let bytes = 0;
  const flush = async (): Promise<void> => {
    const whole = Buffer.concat(block);
    block = [];
    bytes = 0;
    if (bytesPerSecond === null) writeAll(1, whole);
    else await writeSlowly(whole, bytesPerSecond);
  };
  for (;;) {
    const next = output.next();
    if (next.done === true) {
      await flush();
      return next.value;
    }
    if (next.value.to === 'stderr') {
      await flush();
      writeAll(2, next.value.bytes);
      continue;
    }
    block.push(next.value.bytes);
    bytes += next.value.bytes.length;
    if (bytes >= blockBytes) await flush();
  }
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
      if ((error as NodeJS.ErrnoException).code === 'EAGAIN')
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2);
      else process.exit(255);
    }
  }
}
