import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { environmentPrefix, removeAbandonedEnvironments } from './abandoned-environments.js';

const top = mkdtempSync(join(tmpdir(), 'criticizer-abandoned-'));
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(top, { recursive: true, force: true });
});

describe('removeAbandonedEnvironments', () => {
  it('P4-7: removes the copies of tickets that killed processes left more than a day ago, and nothing else', async () => {
    vi.stubEnv('TMPDIR', top);
    const make = (name: string, ageHours: number): string => {
      const path = join(top, name);
      mkdirSync(path);
      writeFileSync(join(path, 'tickets'), 'x');
      const time = new Date(Date.now() - ageHours * 3_600_000);
      utimesSync(path, time, time);
      return path;
    };
    const [old, recent, foreign] = [
      make(`${environmentPrefix}old`, 25),
      make(`${environmentPrefix}new`, 23),
      make('other-old', 99),
    ];
    const link = join(top, `${environmentPrefix}link`);
    symlinkSync(foreign, link);
    await removeAbandonedEnvironments();
    expect([old, recent, link, join(foreign, 'tickets')].map((path) => existsSync(path))).toEqual([
      false,
      true,
      true,
      true,
    ]);
  });
});
