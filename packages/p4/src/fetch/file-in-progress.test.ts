import { Buffer } from 'node:buffer';
import { hash } from 'node:crypto';
import { systemClock } from '@criticizer/core';
import { describe, expect, it } from 'vitest';
import type { DescribedFile } from '../client/describe.js';
import type { RevisionContent } from './file-contents.js';
import { FileInProgress } from './file-in-progress.js';
import { planFiles } from './file-plan.js';

const limits = {
  maxFiles: 10,
  maxFileBytes: 1_000_000,
  maxTotalBytes: 10_000_000,
  contextLines: 1,
  maxNewTextBytes: 100_000,
};
const content = (text: string): RevisionContent => ({ kind: 'content', bytes: Buffer.from(text) });

function receive(
  sides: { old: string; fresh: string },
  file: Partial<DescribedFile> = {},
  { leftMs = 1000, maxNewTextBytes = 100 } = {},
) {
  const described: DescribedFile = {
    path: '//d/a',
    action: 'edit',
    fileType: 'text',
    revision: 2,
    bytes: sides.fresh.length,
    digest: hash('md5', sides.fresh, 'hex').toUpperCase(),
    from: null,
    ...file,
  };
  const [plan] = planFiles([described], { kind: 'submitted' }, limits);
  if (plan === undefined) throw new Error('no plan');
  const inProgress = new FileInProgress(plan, {
    contextLines: 1,
    maxNewTextBytes,
    clock: systemClock,
    budget: { leftMs },
  });
  inProgress.receive('//d/a#1', content(sides.old));
  inProgress.receive('//d/a#2', content(sides.fresh));
  return inProgress;
}

describe('file in progress', () => {
  const sides = { old: 'a\nb\nc\nd\ne\n', fresh: 'A\nb\nc\nd\nE\n' };

  it('finds the shortest difference while there is time, and a longer one that is as right afterwards', () => {
    expect(
      receive(sides)
        .result('submitted')
        .hunks.map((hunk) => hunk.lines),
    ).toEqual([
      ['-a', '+A', ' b'],
      [' d', '-e', '+E'],
    ]);
    expect(
      receive(sides, {}, { leftMs: 0 })
        .result('submitted')
        .hunks.map((hunk) => hunk.lines),
    ).toEqual([['-a', '-b', '-c', '-d', '-e', '+A', '+b', '+c', '+d', '+E']]);
  });

  it.each([
    ['text', 'damaged'],
    ['xtext', 'damaged'],
    ['text+w', 'damaged'],
    ['text+k', null],
    ['ktext', null],
    ['unicode', null],
    ['utf16', null],
  ])('holds %s to the digest where that is defined: %s', (fileType, skipped) => {
    const file = receive(sides, { fileType, digest: '0'.repeat(32) });
    expect(file.result('submitted')).toMatchObject({ skipped, hunks: skipped === null ? [{}, {}] : [] });
  });

  it('keeps the new side whole up to the limit in bytes, without a byte order mark', () => {
    const marked = { old: 'a', fresh: '\ufeff\u00e9\r\nb' };
    const [within, above, none] = [5, 4, 0].map((maxNewTextBytes) =>
      receive(marked, { digest: null }, { maxNewTextBytes }).result('submitted'),
    );
    expect(within).toMatchObject({ newText: '\u00e9\r\nb', encoding: 'utf8-bom' });
    expect(above).not.toHaveProperty('newText');
    expect(none).not.toHaveProperty('newText');
    expect(above?.hunks).toEqual(within?.hunks);
  });

  it('hashes the new side itself only where the server gives no digest', () => {
    expect(receive(sides).newSideHash()).toBeNull();
    expect(receive(sides, { digest: null }).newSideHash()).toBe(hash('sha256', sides.fresh, 'hex'));
  });
});
