import { createReadStream } from 'node:fs';
import { mkdir, open } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { JsonValue } from '../../foundation/json.js';
import type { AuditSeal } from '../../stores/audit-seal-store.js';
import { readSealJson, toSealJson } from './seal-statement.js';

function parseLine(line: string): AuditSeal | null {
  try {
    return readSealJson(JSON.parse(line) as JsonValue);
  } catch {
    return null;
  }
}

/**
 * The seals of a checkpoint file, in its order; none where there is no file. `onSkipped` receives the
 * number of each line that is no seal: a crash may have cut one, and the next one holds the whole seal.
 */
export async function* readCheckpoint(file: string, onSkipped?: (line: number) => void): AsyncGenerator<AuditSeal> {
  const lines = createInterface({ input: createReadStream(file, 'utf8'), crlfDelay: Number.POSITIVE_INFINITY });
  let number = 0;
  try {
    for await (const line of lines) {
      number += 1;
      const seal = parseLine(line);
      if (seal !== null) yield seal;
      else if (line !== '') onSkipped?.(number);
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}

/** An entry of a new file survives a crash only once its folder is synced; Windows opens no folder. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/**
 * Appends seals as lines of JSON, and syncs the file and, where it is new, its folder. A line that a
 * crash cut is ended first, so that it spoils no other: the file is only ever appended to. Mode 0600.
 */
export async function appendCheckpoint(file: string, seals: readonly AuditSeal[]): Promise<void> {
  const folder = path.dirname(file);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const handle = await open(file, 'a+', 0o600);
  try {
    const { size } = await handle.stat();
    const isCut = size > 0 && (await handle.read(Buffer.alloc(1), 0, 1, size - 1)).buffer[0] !== 0x0a;
    const lines = seals.map((seal) => `${JSON.stringify(toSealJson(seal))}\n`).join('');
    await handle.appendFile((isCut ? '\n' : '') + lines);
    await handle.sync();
    if (size === 0) await syncFolder(folder);
  } finally {
    await handle.close();
  }
}
