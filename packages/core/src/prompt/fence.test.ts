import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { deriveFence, fenceOfAnyRequest } from './fence.js';

describe('deriveFence', () => {
  it('EGR-3: the same content gives the same fence, any other content another one', () => {
    const contents = ['| description\n', '//d/a.c\n', 'file: //d/a.c\n'];
    const fence = deriveFence(contents);
    expect(fence).toMatch(/^[0-9a-f]{32}$/);
    expect(fence).toHaveLength(fenceOfAnyRequest.length);
    expect(deriveFence([...contents])).toBe(fence);
    const others = [contents.slice(1), [contents.join('')], [...contents, ''], [...contents].reverse()];
    const fences = [fence, ...others.map((one) => deriveFence(one)), deriveFence(['| description \n'])];
    expect(new Set(fences).size).toBe(fences.length);
  });

  it('EGR-3: a content that holds its own fence, in whatever case, gets another one', () => {
    const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
    const taken = ['a', 'b', 'c'].map((text) => sha256(text).slice(0, 32));
    const tried: string[] = [];
    // The first digests are the planted ones: nobody can find such a content for the real one.
    const digest = (text: string): string => {
      const found = taken[tried.length] ?? sha256(text);
      tried.push(found);
      return found;
    };
    const contents = [`x ${taken[0]}`, `y ${taken[1]?.toUpperCase()}`, `z${taken[2]}z`];
    const fence = deriveFence(contents, digest);
    expect(tried).toHaveLength(4);
    expect(taken).not.toContain(fence);
    expect(contents.join(' ').toLowerCase()).not.toContain(fence);
  });
});
