import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { runToItsEnd } from '../../../tools/testing/run-to-its-end.js';
import { scratchFolder } from './stores-on-sqlite.js';

it('INT-1: a process that stopped its worker and closed its stores ends by itself', { timeout: 60_000 }, async () => {
  const folder = scratchFolder();
  try {
    const script = fileURLToPath(new URL('start-and-stop.ts', import.meta.url));
    const { code, printed } = await runToItsEnd(script, [join(folder.path, 'a.db')]);
    expect(printed).not.toMatch(/Timeout|Worker|Immediate/);
    expect(code).toBe(0);
  } finally {
    folder.remove();
  }
});
