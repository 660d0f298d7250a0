import { describe, expect, it } from 'vitest';
import { runToItsEnd } from '../../../tools/testing/run-to-its-end.js';

describe('a process that stopped its Criticizer', () => {
  it('INT-1: ends by itself, over memory stores', { timeout: 60_000 }, async () => {
    const { code, printed } = await runToItsEnd(new URL('start-and-stop.ts', import.meta.url));
    expect(printed).not.toMatch(/Timeout|TCP|Immediate/);
    expect(code).toBe(0);
  });
});
