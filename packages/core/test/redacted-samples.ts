import type { RedactedChange, RedactedFile } from '../src/changes/redacted-change.js';

/** An edited file without hunks, but for what is given. */
export function redactedFileOf(more: Partial<RedactedFile>): RedactedFile {
  return {
    path: '//d/a.c',
    displayPath: null,
    oldPath: null,
    displayOldPath: null,
    action: 'edit',
    fileType: 'text',
    bytes: 1,
    skipped: null,
    hunks: [],
    addedLines: 0,
    removedLines: 0,
    redactions: {},
    ...more,
  };
}

/** A redacted change of these files, without description and jobs, but for what is given. */
export function redactedChangeOf(
  files: readonly Partial<RedactedFile>[],
  more: Partial<RedactedChange> = {},
): RedactedChange {
  return {
    format: 1,
    serverId: 's',
    number: 1,
    changelistId: 's/1',
    kind: 'submitted',
    user: 'u',
    description: '',
    jobs: [],
    files: files.map(redactedFileOf),
    visibility: 'complete',
    deniedFiles: 0,
    rules: { version: '1', policyHash: '' },
    redactions: {},
    ...more,
  };
}
