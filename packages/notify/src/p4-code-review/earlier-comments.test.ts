import type { EarlierPost } from '@criticizer/core/ports';
import { describe, expect, it } from 'vitest';
import { referenceOf } from './comment-reference.js';
import { placeKey, targetOf } from './comment-targets.js';
import { readEarlier } from './earlier-comments.js';

const topic = 'reviews/9';
const place = placeKey('//depot/a.ts', 1);
const about = { about: 'finding', finding: 'f1', place, severity: 'high' } as const;
const post = (reviewVersion: number, does: 'comment' | 'moved', id: string | null): EarlierPost => ({
  ...{ target: targetOf(topic, { ...about, does }), reviewVersion, id },
  key: String(reviewVersion).repeat(32),
});
const read = (...posts: readonly EarlierPost[]) => readEarlier(topic, posts).findings.get('f1');
const said = { comment: 11, place, severity: 'high', mayBeClosed: false };

describe('what is known of the comments of earlier versions', () => {
  it('CHN-2: a comment may be closed while nobody knows whether it was archived', () => {
    expect(read(post(1, 'comment', '11'), post(2, 'moved', null))).toMatchObject([{ ...said, mayBeClosed: true }]);
    expect(read(post(1, 'comment', '11'), post(2, 'moved', '11'))).toEqual([]);
  });

  it('CHN-2: a comment found after a later version was to post it again is one comment', () => {
    const first = { ...said, references: [referenceOf('1'.repeat(32))] };
    expect(read(post(1, 'comment', '11'), post(2, 'comment', null))).toEqual([first]);
    expect(read(post(1, 'comment', '11'), post(2, 'comment', '11'))).toEqual([first]);
    // While nobody knows of either, both references are looked for.
    expect(read(post(1, 'comment', null), post(2, 'comment', null))).toMatchObject([
      { comment: null, references: [...first.references, referenceOf('2'.repeat(32))] },
    ]);
  });

  it('CHN-2: of two comments at one place both are known', () => {
    expect(read(post(1, 'comment', '11'), post(2, 'comment', '12'))).toMatchObject([said, { ...said, comment: 12 }]);
  });
});
