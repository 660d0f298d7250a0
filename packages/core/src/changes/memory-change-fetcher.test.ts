import { describe, it } from 'vitest';
import { createChangeRecipients } from '../stages/recipients/change-recipients.js';
import { createStaticRecipients } from '../stages/recipients/static-recipients.js';
import { describeChangeFetcherContract } from '../testing/ports/change-fetcher-contract.js';
import { describeRecipientResolverContract } from '../testing/ports/delivery/recipient-resolver-contract.js';
import type { Change, ChangedFile } from './change.js';
import { createMemoryChangeFetcher } from './memory-change-fetcher.js';

const file = (path: string): ChangedFile => ({
  path,
  oldPath: null,
  action: 'edit',
  fileType: 'text',
  revision: 2,
  bytes: 4,
  skipped: null,
  hunks: [{ oldStart: 1, oldLines: 1, newStart: 1, newLines: 2, lines: [' a', '+b'], section: 'f()' }],
  newText: 'a\nb\nand more\n',
  addedLines: 1,
  removedLines: 0,
  encoding: 'utf8',
});
const change: Change = {
  serverId: 'main',
  number: 7,
  changelistId: 'main/7',
  kind: 'submitted',
  user: 'ada',
  description: 'x',
  changedAt: new Date(0),
  userMail: 'ada@example.test',
  reviewerMails: ['bob@example.test'],
  jobs: [],
  files: [file('//depot/a'), file('//depot/b')],
  visibility: 'complete',
  deniedFiles: 0,
  contentDigest: 'd',
};

describeChangeFetcherContract(
  { describe, it },
  {
    create: async () => ({
      fetcher: createMemoryChangeFetcher({ serverId: 'main', changes: new Map([[7, change]]) }),
      known: 7,
      unknown: 8,
      dispose: async () => undefined,
    }),
  },
);

for (const resolver of [
  createChangeRecipients(),
  createChangeRecipients({ reviewers: 'required', via: 'smtp' }),
  createStaticRecipients([{ address: 'team@example.test', required: true, via: 'smtp' }]),
])
  describeRecipientResolverContract({ describe, it }, { create: async () => resolver, change });
