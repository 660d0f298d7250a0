// #region mailer
import { randomUUID } from 'node:crypto';
import { access, link, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { encodeFrozenMail, type Mailer } from '@criticizer/core/ports';

const dayMs = 86_400_000;

/** Hands mails to a spool folder that a mail relay reads and keeps: one file a mail, named by its key. */
export function createSpoolMailer(options: { directory: string; keptForMs?: number | undefined }): Mailer {
  const { directory, keptForMs = 30 * dayMs } = options;
  const fileOf = (key: string): string => join(directory, `${key}.json`);
  return {
    contract: 1,
    id: 'spool',
    // A second file of the same name cannot be made, so the far end never sees a repeat, and a name
    // that is missing was never handed over.
    capabilities: { idempotency: 'receiver', lookup: 'key', settleMs: 0, retentionMs: keptForMs },
    async send(mail, { key, signal, onPhase }) {
      const { bytes } = encodeFrozenMail(mail); // throws TypeError for what cannot be a mail
      await onPhase('envelope');
      signal.throwIfAborted();
      await onPhase('data', { host: 'localhost', bytes }); // committed before a byte of the message is where the relay looks
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
      return { kind: 'accepted', id: mail.messageId };
    },
    async lookup({ key, messageId, sinceDataMs }) {
      await access(directory); // an unmounted folder proves nothing: core asks again later
      const there = await access(fileOf(key)).then(
        () => true,
        () => false,
      );
      return there ? { kind: 'found', id: messageId } : { kind: 'absent', conclusive: sinceDataMs <= keptForMs };
    },
  };
}
// #endregion
