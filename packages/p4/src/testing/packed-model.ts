import { Buffer } from 'node:buffer';
import { closeSync, openSync, readFileSync, readSync, writeSync } from 'node:fs';
import { md5, modelContent, type ReadBytes } from './model-store.js';
import type { P4SimulatorFile, P4SimulatorModel } from './simulator-model.js';

/**
 * Puts the contents of a model into a file and returns the model with references to it, sizes and
 * digests filled in: a run then reads the few it prints, and starts as fast with ten thousand files
 * as with one.
 */
export function packModel(model: P4SimulatorModel, contentsFile: string): P4SimulatorModel {
  const descriptor = openSync(contentsFile, 'w', 0o600);
  const parts = openFileParts();
  try {
    let at = 0;
    const pack = (file: P4SimulatorFile): P4SimulatorFile => {
      if (file.content === undefined) return file;
      const bytes = modelContent(file.content, parts.read);
      for (let written = 0; written < bytes.length; ) written += writeSync(descriptor, bytes, written);
      const content = { file: contentsFile, at, bytes: bytes.length };
      at += bytes.length;
      return { ...file, content, fileSize: file.fileSize ?? bytes.length, digest: file.digest ?? md5(bytes) };
    };
    return { ...model, changes: model.changes.map((change) => ({ ...change, files: change.files.map(pack) })) };
  } finally {
    closeSync(descriptor);
    parts.close();
  }
}

/** Reads parts of files, which stay open until `close`. */
export interface FileParts {
  /** Throws where the file is shorter. */
  read: ReadBytes;
  close(): void;
}

/** Opens nothing yet. */
export function openFileParts(): FileParts {
  const descriptors = new Map<string, number>();
  const descriptorOf = (file: string): number => {
    const known = descriptors.get(file) ?? openSync(file, 'r');
    descriptors.set(file, known);
    return known;
  };
  return {
    read(file, at, bytes) {
      const part = Buffer.allocUnsafe(bytes);
      let filled = 0;
      while (filled < bytes) {
        const count = readSync(descriptorOf(file), part, filled, bytes - filled, at + filled);
        if (count === 0) throw new RangeError(`${file} ends before byte ${at + bytes}`);
        filled += count;
      }
      return part;
    },
    close() {
      for (const descriptor of descriptors.values()) closeSync(descriptor);
      descriptors.clear();
    },
  };
}

/** A file as text; null where there is none. */
export function readTextFile(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}
