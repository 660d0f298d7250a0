import { describe, expect, it } from 'vitest';
import { madeUp, notHidden, notKept } from '../../testing/redact-line.js';

describe('passwords among arguments in a list', () => {
  it('RED-3: behind the user, and right behind their option', () => {
    const places = [
      ['a.py', (v: string) => `run(["curl", "-s", "-u", "admin:${v}", url])`],
      ['a.js', (v: string) => `spawn('curl', ['-u','admin:${v}'])`],
      ['a.json', (v: string) => `["-u","admin:${v}"]`],
      ['a.py', (v: string) => `run(["mysql", "-uroot", "-p${v}"])`],
      ['a.json', (v: string) => `["/usr/bin/mysqldump","-p${v}","main"]`],
    ] as const;
    expect(notHidden(places, madeUp(12))).toEqual([]);
  });

  it('RED-8: users, groups, ports, options and variables stay', () => {
    expect(
      notKept([
        ['a.py', '["docker", "run", "-u", "1000:1000"]'],
        ['a.py', '["docker", "run", "-u", "node:node"]'],
        ['a.py', '["mysql", "-p"]'],
        ['a.py', '["mysql", "-u", "root", f"-p{password}"]'],
        ['a.py', '["mkdir", "-parents"]'],
      ]),
    ).toEqual([]);
  });
});
