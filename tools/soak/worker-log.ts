// What worker processes tell the ledger outside the queue's database: one file a process, one line
// a fact, written before the call returns, so that a SIGKILL takes nothing that had happened.
import { openSync, readdirSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/**
 * How a settlement changes the state of the world, by name: `advance`, `checkpoint:step`,
 * `end:done`, `end:dead-letter`, `requeue:retry`.
 */
export type EffectName = string;

/** The worker, by process; `atMs` is CLOCK_MONOTONIC, which all processes of a host share and no test shifts. */
export type LogLine =
  | { what: 'claim'; n: number; token: string; atMs: number; lost: number }
  | { what: 'called'; n: number }
  | { what: 'settled'; n: number; token: string; effect: EffectName }
  | { what: 'refused'; n: number; token: string; effect: EffectName; atMs: number }
  | { what: 'beat-refused'; n: number; token: string }
  | { what: 'aborted'; n: number };

/** What has happened so far, without stopping for anything: `monotonicMs` of this host. */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint() / 1_000n) / 1_000;
}

export interface WorkerLog {
  write(line: LogLine): void;
}

export function openWorkerLog(file: string): WorkerLog {
  const fd = openSync(file, 'a');
  return { write: (line) => void writeSync(fd, `${JSON.stringify(line)}\n`) };
}

const ending = '.log';
export const workerLogFile = (folder: string, worker: string): string => join(folder, `${worker}${ending}`);

function parseLine(text: string): LogLine | undefined {
  try {
    return JSON.parse(text) as LogLine;
  } catch {
    return undefined; // the write that a SIGKILL cut
  }
}

/** All lines by worker. A last line that is cut off counts for nothing. */
export function readWorkerLogs(folder: string): ReadonlyMap<string, readonly LogLine[]> {
  const files = readdirSync(folder).filter((name) => name.endsWith(ending));
  return new Map(
    files.map((name) => {
      const lines = readFileSync(join(folder, name), 'utf8').split('\n');
      const parsed = lines
        .filter((text) => text !== '')
        .map((text, i) => ({ text, line: parseLine(text), isLast: i === lines.length - 1 }));
      const spoilt = parsed.find(({ line, isLast }) => line === undefined && !isLast);
      if (spoilt !== undefined) throw new Error(`${name}: not a line of a worker: ${spoilt.text.slice(0, 80)}`);
      return [name.slice(0, -ending.length), parsed.flatMap(({ line }) => (line === undefined ? [] : [line]))];
    }),
  );
}
