import type { RedactedChange, RedactedFile } from '../src/changes/redacted-change.js';

const file: RedactedFile = {
  path: '//d/a.cpp',
  displayPath: null,
  oldPath: null,
  displayOldPath: null,
  action: 'edit',
  fileType: 'text',
  bytes: 1,
  skipped: null,
  hunks: [],
  addedLines: 1,
  removedLines: 1,
  redactions: {},
};

/** A redacted change of these files, with what they leave out filled in. */
export function redactedChangeOf(files: readonly Partial<RedactedFile>[]): RedactedChange {
  return {
    format: 1,
    serverId: 's',
    number: 1,
    changelistId: 's/1',
    kind: 'submitted',
    user: 'u',
    description: '',
    jobs: [],
    files: files.map((one) => ({ ...file, ...one })),
    visibility: 'complete',
    deniedFiles: 0,
    rules: { version: '1', policyHash: '' },
    redactions: {},
  };
}
