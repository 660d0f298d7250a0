import { CriticizerError } from '@criticizer/core/ports';
import { describe, expect, it } from 'vitest';
import { createPageSize } from './server-limits.js';

const refusal = (limit: string, over: number) =>
  new CriticizerError('P4_SERVER_LIMIT', 'over', { category: 'policy', details: { limit, over } });

describe('createPageSize', () => {
  it('takes the limit that the server names, halves for others, and gives up at one row', () => {
    const size = createPageSize(1_000);
    expect([size.shrink(refusal('maxresults', 60), 1_000), size.current]).toEqual([true, 60]);
    expect([size.shrink(refusal('maxresults', 60), 60), size.current]).toEqual([true, 30]);
    expect([size.shrink(refusal('maxscanrows', 9_000), 7), size.current]).toEqual([true, 3]);
    expect([size.shrink(refusal('maxscanrows', 9_000), 1), size.current]).toEqual([false, 3]);
    expect(size.shrink(new CriticizerError('P4_TIMEOUT', 'slow', { category: 'network' }), 3)).toBe(false);
  });

  it('grows again after eight answered pages, up to where it began', () => {
    const size = createPageSize(10);
    size.shrink(refusal('maxscanrows', 5), 10);
    for (let page = 0; page < 7; page += 1) size.answered();
    expect(size.current).toBe(5);
    size.answered();
    expect(size.current).toBe(10);
    for (let page = 0; page < 16; page += 1) size.answered();
    expect(size.current).toBe(10);
  });
});
