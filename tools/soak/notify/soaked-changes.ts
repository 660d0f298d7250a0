// The changes that a soak reviews: any number is one, of one small file, without a secret.
import type { ChangeFetcher, Redactor } from '@criticizer/core/ports';

/** Every number is a submitted change. */
export const soakChanges: ChangeFetcher = {
  contract: 1,
  serverId: 'main',
  async fetch(number, { signal }) {
    signal.throwIfAborted();
    return {
      kind: 'change',
      change: {
        ...{ serverId: 'main', number, changelistId: `main/${number}`, kind: 'submitted', user: 'ada' },
        ...{ description: `Change ${number}`, changedAt: new Date(0), userMail: null, reviewerMails: [], jobs: [] },
        files: [
          {
            ...{ path: '//depot/a.ts', oldPath: null, action: 'edit', fileType: 'text', revision: 2, bytes: 10 },
            ...{ skipped: null, addedLines: 1, removedLines: 0, encoding: 'utf8' },
            hunks: [{ oldStart: 1, oldLines: 0, newStart: 1, newLines: 1, lines: [`+const a = ${number};`] }],
          },
        ],
        ...{ visibility: 'complete', deniedFiles: 0, contentDigest: `d${number}` },
      },
    };
  },
};

/** Finds nothing: there is nothing to find, and nothing goes to a model. */
export const soakRedactor: Redactor = {
  contract: 1,
  rules: { version: 'soak', policyHash: '0'.repeat(64) },
  session: () => ({ redact: (text) => ({ text, findings: [], counts: {} }) }),
  scan: () => [],
};
