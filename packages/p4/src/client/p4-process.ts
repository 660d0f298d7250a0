import { Buffer } from 'node:buffer';
import { type ChildProcess, spawn } from 'node:child_process';
import { type Clock, CriticizerError } from '@criticizer/core/ports';
import { checkExecutable, unusableExecutable } from '../containment/executable-file.js';

export interface P4ProcessRequest {
  /** Absolute path of the client. */
  executable: string;
  argv: readonly string[];
  env: Readonly<Record<string, string>>;
  directory: string;
  /** Written to standard input; null closes it. */
  input: string | null;
  /** From start to the first signal. */
  wallMs: number;
  /** From SIGTERM to SIGKILL; 0 for SIGKILL at once, as for what does not heed SIGTERM. Milliseconds. */
  killGraceMs: number;
  maxOutputBytes: number;
  signal: AbortSignal;
  clock: Clock;
  /**
   * Called with every chunk of standard output. A throw kills the process and becomes the failure; a
   * promise pauses the output until it resolves.
   */
  onOutput(chunk: Buffer): void | Promise<void>;
}

/** How a process ended by itself. */
export interface P4ProcessResult {
  exitCode: number | null;
  signal: NodeJS.Signals | null;
  /** The first 64 KiB; untrusted. */
  stderr: string;
  outputBytes: number;
}

const maxStderrBytes = 64 * 1024;
/** How long output may still come after the process has gone. */
const drainMs = 1_000;

/**
 * Runs the client once: no shell, its own process group, a wall timer, bounded output (P4-7).
 * Whatever ends the call, no process of the group is left: SIGTERM, then SIGKILL after the grace.
 * Throws `P4_TIMEOUT`, `P4_OUTPUT_LIMIT`, `P4_CONTAINMENT` (something the client started holds its
 * output), `P4_EXECUTABLE_UNUSABLE`, `HOST_RESOURCES`, `P4_PLATFORM_UNSUPPORTED`, or the abort
 * reason. `start` is what starts a process.
 */
export async function runP4Process(request: P4ProcessRequest, start: typeof spawn = spawn): Promise<P4ProcessResult> {
  refuseWindows();
  await checkExecutable(request.executable);
  request.signal.throwIfAborted();
  return superviseChild(request, start);
}

/** Throws `P4_PLATFORM_UNSUPPORTED` where no process of the client may run. */
export function refuseWindows(): void {
  if (process.platform !== 'win32') return;
  const says = 'Running p4 is refused on Windows: process groups and private directories cannot be had there.';
  throw new CriticizerError('P4_PLATFORM_UNSUPPORTED', says, { category: 'validation' });
}

function startChild(request: P4ProcessRequest, start: typeof spawn): ChildProcess {
  try {
    return start(request.executable, request.argv, {
      cwd: request.directory,
      env: { ...request.env },
      shell: false,
      detached: true,
      stdio: [request.input === null ? 'ignore' : 'pipe', 'pipe', 'pipe'],
    });
  } catch (error) {
    throw startFailure(error);
  }
}

const shortages: ReadonlySet<unknown> = new Set(['EAGAIN', 'EMFILE', 'ENFILE', 'ENOMEM']);

/** A host that has no room for one more process now may have it later; a file that cannot be run stays so. */
function startFailure(error: unknown): CriticizerError {
  if (!(error instanceof Error && 'code' in error && shortages.has(error.code))) return unusableExecutable();
  const says = 'The host has no process, file handle or memory left to start p4.';
  return new CriticizerError('HOST_RESOURCES', says, { category: 'upstream' });
}

// long: the life of one child: its output, signals and deadline, each step short
function superviseChild(request: P4ProcessRequest, start: typeof spawn): Promise<P4ProcessResult> {
  // long: its output, its signals and its deadline share one promise, each step short
  return new Promise((resolve, reject) => {
    const child = startChild(request, start);
    const timers = new AbortController();
    const after = (ms: number, action: () => void): void => {
      request.clock.sleep(ms, timers.signal).then(action, () => undefined);
    };
    let failure: unknown;
    let ended = false;
    let outputBytes = 0;
    const stderr: Buffer[] = [];
    let stderrBytes = 0;

    const finish = (result: P4ProcessResult | null): void => {
      if (ended) return;
      ended = true;
      timers.abort();
      request.signal.removeEventListener('abort', onAbort);
      child.stdin?.destroy();
      child.stdout?.destroy();
      child.stderr?.destroy();
      if (failure !== undefined) reject(failure);
      else if (result !== null) resolve(result);
      else reject(heldOutput());
    };
    const stop = (reason: unknown): void => {
      if (failure !== undefined || ended) return;
      failure = reason;
      signalGroup(child, request.killGraceMs === 0 ? 'SIGKILL' : 'SIGTERM');
      if (request.killGraceMs > 0) after(request.killGraceMs, () => signalGroup(child, 'SIGKILL'));
      // A process the kernel cannot end (waiting for a disk) must not hold the caller.
      after(request.killGraceMs + drainMs, () => finish(null));
    };
    const onAbort = (): void => stop(request.signal.reason);
    /** What is left of an ended process fits its pipe: it flows, so that the end is seen. */
    let hasExited = false;
    const pauseUntil = (taken: Promise<void>): void => {
      if (!hasExited) child.stdout?.pause();
      taken.then(() => child.stdout?.resume(), stop);
    };

    request.signal.addEventListener('abort', onAbort, { once: true });
    after(request.wallMs, () => stop(timedOut(request.wallMs)));
    child.stdin?.on('error', () => undefined); // the client may end before it has read all operands
    if (request.input !== null) child.stdin?.end(request.input);
    child.stdout?.on('data', (chunk: Buffer) => {
      if (failure !== undefined) return;
      outputBytes += chunk.length;
      if (outputBytes > request.maxOutputBytes) return stop(outputLimitExceeded(request.maxOutputBytes));
      try {
        const taken = request.onOutput(chunk);
        if (taken !== undefined) pauseUntil(taken);
      } catch (error) {
        stop(error);
      }
    });
    child.stderr?.on('data', (chunk: Buffer) => {
      if (stderrBytes < maxStderrBytes) stderr.push(chunk.subarray(0, maxStderrBytes - stderrBytes));
      stderrBytes += chunk.length;
    });
    child.on('error', (error) => {
      failure ??= startFailure(error);
      finish(null);
    });
    child.on('exit', (exitCode, signal) => {
      // The group may outlive its leader: an editor, a login hook. It ends now, while its number
      // cannot belong to another.
      signalGroup(child, 'SIGKILL');
      hasExited = true;
      child.stdout?.resume();
      after(drainMs, () => finish(null));
      const result = (): P4ProcessResult => ({
        exitCode,
        signal,
        stderr: Buffer.concat(stderr).toString('utf8'),
        outputBytes,
      });
      child.once('close', () => finish(result()));
    });
  });
}

function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, signal);
  } catch {
    // No process of the group is left.
  }
}

function timedOut(wallMs: number): CriticizerError {
  return new CriticizerError('P4_TIMEOUT', 'The p4 client did not end in time.', {
    category: 'network',
    details: { wallMs },
  });
}

/** The failure of a command whose output passes its limit. */
export function outputLimitExceeded(maxOutputBytes: number): CriticizerError {
  return new CriticizerError('P4_OUTPUT_LIMIT', 'The p4 client sent more output than the limit.', {
    category: 'policy',
    details: { maxOutputBytes },
  });
}

function heldOutput(): CriticizerError {
  return new CriticizerError('P4_CONTAINMENT', 'The p4 client ended, but something it started holds its output.', {
    category: 'policy',
  });
}
