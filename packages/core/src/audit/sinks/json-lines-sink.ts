import { type FileHandle, mkdir, open, rename, stat } from 'node:fs/promises';
import path from 'node:path';
import { checkOptions, type OptionShape } from '../../foundation/check-options.js';
import { optional, withMethods } from '../../foundation/option-checks.js';
import type { Clock } from '../../foundation/time/clock.js';
import { systemClock } from '../../foundation/time/system-clock.js';
import type { AuditSink, SinkAnswer } from './audit-sink.js';
import { checkSinkId } from './sink-options.js';
import { toWireEvent } from './wire-event.js';

/** Where the lines go, and when a file is full. */
export interface JsonLinesSinkOptions {
  /** The destination's name in the outbox, and the file's: `<id>.jsonl`. */
  id: string;
  /** Absolute; made with mode 0700 where it is missing. */
  directory: string;
  /** Size in bytes after which a file is closed and renamed to `<id>-<UTC time>.jsonl`. Default 100 MiB. */
  maxFileBytes?: number | undefined;
  clock?: Pick<Clock, 'nowMs'> | undefined;
}

const optionShape: OptionShape<JsonLinesSinkOptions> = {
  id: checkSinkId,
  directory: (option, value) => {
    if (typeof value !== 'string' || !path.isAbsolute(value))
      throw new TypeError(`${option}: expected an absolute path`);
  },
  maxFileBytes: (option, value) => {
    if (value !== undefined && !(Number.isSafeInteger(value) && (value as number) >= 1_024))
      throw new TypeError(`${option}: expected a whole number from 1,024`);
  },
  clock: optional(withMethods('nowMs')),
};

interface Waiting {
  line: string;
  resolve(answer: SinkAnswer): void;
  reject(error: unknown): void;
}

async function endsWithNewline(file: FileHandle, size: number): Promise<boolean> {
  if (size === 0) return true;
  const { buffer } = await file.read(Buffer.alloc(1), 0, 1, size - 1);
  return buffer[0] === 0x0a;
}

// long: one file that is opened, written, rotated and closed in turn
/**
 * Appends each event as one line of JSON to a file that a log shipper follows. An event is delivered
 * once its line is synced to the disk; lines that wait together share a sync. A line that a crash
 * cut is ended first, so that it spoils no other. A repeat is one more line with the same
 * `idempotency_key`. Files have mode 0600, and none is deleted: whoever ships them decides that.
 * Several processes may append to one file. Throws `TypeError` for wrong options.
 */
export function createJsonLinesSink(options: JsonLinesSinkOptions): AuditSink {
  checkOptions('createJsonLinesSink', options, optionShape);
  const { id, directory, maxFileBytes = 100 * 1_024 * 1_024, clock = systemClock } = options;
  const current = path.join(directory, `${id}.jsonl`);
  let waiting: Waiting[] = [];
  let writing: Promise<void> | undefined;
  let rotations = 0;

  async function rotate(): Promise<void> {
    const stamp = new Date(clock.nowMs()).toISOString().replace(/[:.]/g, '-');
    rotations += 1;
    await rename(current, path.join(directory, `${id}-${stamp}-${process.pid}-${rotations}.jsonl`));
  }

  async function append(text: string): Promise<void> {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    // Opened for each batch: whoever moved the file meanwhile, another process or a shipper, keeps what it has.
    const file = await open(current, 'a+', 0o600);
    try {
      const { size } = await file.stat();
      await file.writeFile(((await endsWithNewline(file, size)) ? '' : '\n') + text);
      await file.sync();
    } finally {
      await file.close();
    }
    // What is written stays delivered, whoever rotates: another process may have renamed the file already.
    const { size } = await stat(current).catch(() => ({ size: 0 }));
    if (size >= maxFileBytes) await rotate().catch(() => undefined);
  }

  async function writeAll(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting;
      waiting = [];
      try {
        await append(batch.map(({ line }) => line).join(''));
        for (const { resolve } of batch) resolve({ kind: 'delivered' });
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    writing = undefined;
  }

  return {
    contract: 1,
    id,
    async send(event, { idempotencyKey, signal }) {
      signal.throwIfAborted();
      const line = `${JSON.stringify(toWireEvent(event, idempotencyKey))}\n`;
      return new Promise((resolve, reject) => {
        waiting.push({ line, resolve, reject });
        writing ??= Promise.resolve().then(writeAll);
      });
    },
    async testConnection() {
      try {
        await append('');
        return { ok: true };
      } catch {
        const message = 'The file cannot be appended to: see its directory, its owner and the free space.';
        return { ok: false, failure: { code: 'HOST_RESOURCES', message, about: 'destination' } };
      }
    },
    async close() {
      await writing;
    },
  };
}
