// #region run
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeChannelContract } from '@criticizer/core/testing';
import { describe, it } from 'vitest';
import { createSpoolChannel } from './spool-channel.js';

describeChannelContract(
  { describe, it },
  {
    async create() {
      const directory = await mkdtemp(join(tmpdir(), 'spool-'));
      const received = async () => {
        const names = (await readdir(directory)).filter((name) => !name.startsWith('.'));
        return Promise.all(names.map((name) => readFile(join(directory, name))));
      };
      const dispose = () => rm(directory, { recursive: true, force: true });
      return { channel: createSpoolChannel({ directory }), received, breakLookup: dispose, secrets: [], dispose };
    },
  },
);
// #endregion
