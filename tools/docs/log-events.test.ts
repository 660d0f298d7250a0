import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { findLogLines, logEventsPage } from './log-events.js';

const root = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');
const lines = findLogLines(root);

describe('docs/reference/log-events.md', () => {
  it('OPS-6: finds an event in every log line, by the form `room.what_happened`', () => {
    const isName = (event: string | null): boolean => /^[a-z0-9_]+(\.([a-z0-9_]+|<\w+>))+$/.test(event ?? '');
    expect(lines.filter(({ event }) => !isName(event)).map(({ place, event }) => `${place} ${event}`)).toEqual([]);
    expect(lines.length).toBeGreaterThan(80);
  });

  it('OPS-6: is what the sources say; write it with: npx vitest run tools/docs/log-events.test.ts -u', async () => {
    await expect(logEventsPage(lines)).toMatchFileSnapshot(join(root, 'docs/reference/log-events.md'));
  });
});
