import { describe, expect, it } from 'vitest';
import { testScript } from '../../../tools/testing/run-process.js';
import { runToItsEnd } from '../../../tools/testing/run-to-its-end.js';

const script = testScript(new URL('start-and-stop.ts', import.meta.url));

describe('a process that stopped its Criticizer', () => {
  it('INT-1: ends by itself, over memory stores', { timeout: 60_000 }, async () => {
    const { code, printed } = await runToItsEnd(script);
    expect(printed).not.toMatch(/Timeout|TCP|Immediate/);
    expect(code).toBe(0);
  });
});
