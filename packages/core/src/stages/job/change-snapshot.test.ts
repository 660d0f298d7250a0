import { describe, expect, it } from 'vitest';
import type { Change } from '../../changes/change.js';
import { changeFiles, changeSummary, encodeFiles, encodeSummary, readChange, readSummary } from './change-snapshot.js';
import type { OutputReader } from './run-outputs.js';

const change: Change = {
  serverId: 'main',
  number: 7,
  changelistId: 'main/7',
  kind: 'shelved',
  user: 'ada',
  description: 'Add a thing',
  changedAt: new Date(5),
  userMail: 'ada@example.test',
  reviewerMails: ['bob@example.test'],
  jobs: ['JOB1'],
  files: [
    {
      path: '//depot/a.ts',
      oldPath: '//depot/b.ts',
      action: 'move',
      fileType: 'text',
      revision: null,
      bytes: 4,
      skipped: null,
      hunks: [
        { oldStart: 1, oldLines: 0, newStart: 1, newLines: 1, lines: ['+a'], section: 'f()', newNoNewline: true },
      ],
      newText: 'a',
      addedLines: 1,
      removedLines: 0,
      encoding: 'utf8',
    },
  ],
  visibility: 'partial-possible',
  deniedFiles: 2,
  contentDigest: 'd',
};

const stored = (bytes: Uint8Array): string => Buffer.from(bytes).toString('utf8');

/** Outputs of which some are replaced; a replacement that is text stands as it is. */
function outputs(replaced: Readonly<Record<string, unknown>> = {}): OutputReader {
  const bodies: Readonly<Record<string, Uint8Array>> = {
    [changeSummary]: encodeSummary(change),
    [changeFiles]: encodeFiles(change),
  };
  return {
    async read(name) {
      const other = replaced[name];
      if (other === undefined) return bodies[name] ?? new Uint8Array();
      return Buffer.from(typeof other === 'string' ? other : JSON.stringify(other), 'utf8');
    },
    readRedacted: async () => {
      throw new Error('not used here');
    },
  };
}

describe('the stored change', () => {
  it('reads back what was read beside it; its summary has the paths alone', async () => {
    const piece = { kind: 'user', name: 'a', form: 'lines', startLine: 1, endLine: 1, of: [] } as const;
    const context = {
      files: [{ path: '//depot/c.ts', text: 'use(a);' }],
      pieces: [
        { ...piece, file: 0 },
        { ...piece, file: 0 },
      ],
    };
    const wide = { ...change, context };
    const replaced = { [changeSummary]: stored(encodeSummary(wide)), [changeFiles]: stored(encodeFiles(wide)) };
    expect(await readChange(outputs(replaced))).toEqual(wide);
    expect(JSON.stringify(await readSummary(outputs(replaced)))).not.toContain('use(a)');
    expect((await readSummary(outputs(replaced))).context.map(({ path }) => path)).toEqual([
      '//depot/c.ts',
      '//depot/c.ts',
    ]);
  });

  it('reads back as it was fetched; its summary has no contents', async () => {
    expect(await readChange(outputs())).toEqual(change);
    const { summary, files } = await readSummary(outputs());
    expect(files).toEqual([{ path: '//depot/a.ts', oldPath: '//depot/b.ts' }]);
    expect(summary).toEqual({
      serverId: 'main',
      number: 7,
      changelistId: 'main/7',
      kind: 'shelved',
      user: 'ada',
      description: 'Add a thing',
      changedAt: new Date(5),
      userMail: 'ada@example.test',
      reviewerMails: ['bob@example.test'],
      jobs: ['JOB1'],
    });
    expect(Buffer.from(encodeSummary(change)).toString('utf8')).not.toMatch(/hunks|newText|f\(\)/);
  });

  const quoted = 'never quoted';
  it.each([
    ['a summary of a later format', { [changeSummary]: { format: 2, user: quoted } }, 'STORED_FORMAT_UNKNOWN'],
    ['files of a later format', { [changeFiles]: { format: 7, files: [quoted] } }, 'STORED_FORMAT_UNKNOWN'],
    ['a summary without a format', { [changeSummary]: { user: quoted } }, 'STORED_CHANGE_INVALID'],
    ['a summary that lacks fields', { [changeSummary]: { format: 1, user: quoted } }, 'STORED_CHANGE_INVALID'],
    ['files that are none', { [changeFiles]: { format: 1, files: quoted } }, 'STORED_CHANGE_INVALID'],
    ['a summary that is no JSON', { [changeSummary]: `{ "${quoted}` }, 'STORED_CHANGE_INVALID'],
  ])('refuses %s without quoting it', async (_name, replaced, code) => {
    const refused = await readChange(outputs(replaced)).catch((error: unknown) => error);
    expect(refused).toMatchObject({ code, category: 'validation' });
    expect(JSON.stringify(refused) + String(refused)).not.toContain(quoted);
  });
});
