// #region channel
import { randomUUID } from 'node:crypto';
import { access, link, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Channel } from '@criticizer/core/ports';

/** Hands each review's counts to a folder that something else reads: one file a post, named by its key. */
export function createSpoolChannel({ directory }: { directory: string }): Channel {
  const fileOf = (key: string): string => join(directory, `${key}.json`);
  return {
    contract: 1,
    id: 'spool',
    destination: { kind: 'chat', id: 'spool' },
    // A second file of the same name cannot be made, and a name that is missing was never handed over.
    capabilities: { idempotency: 'receiver', lookup: 'key', settleMs: 0, retentionMs: Number.MAX_SAFE_INTEGER },
    async plan({ changelistId, counts }) {
      const body = { text: `${counts.findings.high} high findings in ${changelistId}` };
      return [{ target: 'folder', body, content: 'counts', required: true }];
    },
    async send({ body }, { key, signal, onPhase }) {
      const bytes = Buffer.from(JSON.stringify(body));
      await onPhase('envelope');
      signal.throwIfAborted();
      await onPhase('data', { host: 'localhost', bytes }); // committed before a byte is where the reader looks
      const partial = join(directory, `.${key}.${randomUUID()}`);
      await writeFile(partial, bytes, { mode: 0o600, flush: true });
      try {
        await link(partial, fileOf(key));
      } catch (error) {
        // After the data phase, core reads any throw as "may be sent".
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      } finally {
        await rm(partial, { force: true });
      }
      return { kind: 'accepted', id: key };
    },
    async lookup({ key }) {
      await access(directory); // an unmounted folder proves nothing: core asks again later
      const isThere = await access(fileOf(key)).then(
        () => true,
        () => false,
      );
      return isThere ? { kind: 'found', id: key } : { kind: 'absent', conclusive: true };
    },
  };
}
// #endregion
