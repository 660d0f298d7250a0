import { createHash, randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { MessageVault } from '@criticizer/core/ports';

/** Keeps bytes under their hash: rendered invoices, and the messages of the mail outbox. */
export interface FileVault extends MessageVault {
  save(bytes: Uint8Array): Promise<string>;
}

/**
 * In a folder that every worker reaches. Bytes that are saved twice are one file. A folder knows no
 * transaction, so this vault is for mails that are sent outside one, as here; `createArtifactVault`
 * follows the caller's.
 */
export function createFileVault(directory: string): FileVault {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  return {
    async save(bytes) {
      const id = createHash('sha256').update(bytes).digest('hex');
      const partial = join(directory, `.${id}.${randomUUID()}`);
      await writeFile(partial, bytes, { mode: 0o600, flush: true });
      await rename(partial, join(directory, id)); // whole or not at all
      return id;
    },
    async load(id) {
      if (!/^[0-9a-f]{64}$/.test(id)) return null;
      try {
        return await readFile(join(directory, id));
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
        throw error;
      }
    },
  };
}
