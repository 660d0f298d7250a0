// #region run
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeMailerContract } from '@criticizer/core/testing';
import { describe, it } from 'vitest';
import { createSpoolMailer } from './spool-mailer.js';

describeMailerContract(
  { describe, it },
  {
    async create() {
      const directory = await mkdtemp(join(tmpdir(), 'spool-'));
      const received = async () => {
        const names = (await readdir(directory)).filter((name) => !name.startsWith('.'));
        return Promise.all(
          names.map(async (name) => {
            const raw = await readFile(join(directory, name));
            const mail = JSON.parse(raw.toString('utf8')) as { messageId: string; to: { address: string } };
            return { key: name.replace('.json', ''), messageId: mail.messageId, to: [mail.to.address], raw };
          }),
        );
      };
      const dispose = () => rm(directory, { recursive: true, force: true });
      return { mailer: createSpoolMailer({ directory }), received, breakLookup: dispose, dispose };
    },
  },
);
// #endregion
