import { describe, expect, it } from 'vitest';
import { decideShelf, type ShelfPolicy } from './shelf-policy.js';

const decide = (description: string, policy: Partial<ShelfPolicy> = {}, isInReview = false, hasCodeReview = false) =>
  decideShelf({ description, isInReview }, { shelves: null, tags: ['#review'], ...policy }, hasCodeReview)?.reason ??
  'review';

describe('decideShelf', () => {
  it.each([
    ['Fix #review', 'review'],
    ['Fix\n\n#REVIEW\n', 'review'],
    ['Fix #review-12', 'review'],
    ['Fix #reviewed', 'not_tagged'],
    ['Fix #review-later', 'not_tagged'],
    ['Fix x#review', 'not_tagged'],
    ['', 'not_tagged'],
  ])('INT-1: without P4 Code Review, %j ends as %s', (description, end) => {
    expect(decide(description)).toBe(end);
    expect(decide(description, { shelves: 'tagged' }, false, true)).toBe(end);
  });

  it('INT-1: with P4 Code Review its own calls alone bring shelves in, tag or not', () => {
    expect(decide('Fix #review', {}, false, true)).toBe('not_in_review');
    expect(decide('Fix', {}, true, true)).toBe('review');
    expect(decide('Fix #review', { shelves: 'in_review' })).toBe('not_in_review');
  });

  it('takes all where the setting says so, and a call of P4 Code Review always', () => {
    expect(decide('Fix', { shelves: 'all' }, false, true)).toBe('review');
    expect(decide('Fix', { shelves: 'tagged' }, true)).toBe('review');
  });

  it('takes other words for tags', () => {
    expect(decide('Fix #ai', { tags: ['#ai', '#bot'] })).toBe('review');
    expect(decide('Fix #review', { tags: ['#ai'] })).toBe('not_tagged');
    expect(decide('Fix #review', { tags: [] })).toBe('not_tagged');
  });
});
