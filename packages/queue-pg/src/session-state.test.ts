// Behind a transaction pooler each transaction may have another server connection: nothing of ours
// may rest in a session.
import { readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

/** What would outlive its transaction, with an example each that the rule must find. */
const sessionState = [
  {
    name: 'an advisory lock of the session',
    pattern: /pg_(try_)?advisory_(?!xact_)\w+/,
    example: 'SELECT pg_try_advisory_lock(1)',
  },
  // At the beginning of a statement: the SET of an UPDATE follows its table.
  {
    name: 'SET without LOCAL',
    pattern: /(?:^|[;'"`])\s*SET\s+(?!LOCAL\s|TRANSACTION\s|CONSTRAINTS\s)\w+/,
    example: "'BEGIN; SET x = 1'",
  },
  {
    name: 'set_config for the session',
    pattern: /set_config\((?![^()]*,\s*true\))/,
    example: "set_config('x', 'y', false)",
  },
  { name: 'RESET or DISCARD', pattern: /(?:^|[;'"`])\s*(RESET|DISCARD)\s+\w+/, example: '`RESET ROLE`' },
  {
    name: 'a temporary table',
    // A function's search path names pg_temp last, so that nothing in it is found first.
    pattern: /\bTEMP(ORARY)?\s+(TABLE|VIEW|SEQUENCE)|\bpg_temp\./,
    example: 'CREATE TEMP TABLE x ()',
  },
  {
    name: 'a prepared statement',
    // `EXECUTE format(…)` is PL/pgSQL's own, and prepares nothing that has a name.
    pattern: /(?:^|[;'"`])\s*(PREPARE|DEALLOCATE|EXECUTE)\s+(?!format\()\w+/,
    example: "'PREPARE a AS SELECT 1'",
  },
  {
    name: 'a cursor that outlives its transaction',
    pattern: /\bWITH HOLD\b/,
    example: 'DECLARE c CURSOR WITH HOLD FOR SELECT 1',
  },
  { name: 'the last value of a sequence', pattern: /\b(currval|lastval)\(/, example: "SELECT currval('s')" },
] as const;

const listening = /\b(UN)?LISTEN\b/;

const folder = fileURLToPath(new URL('.', import.meta.url));
/** The sources without their comments, which may speak of what they do not do. */
const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
  .map((file) => ({
    file,
    text: readFileSync(`${folder}/${file}`, 'utf8')
      .replaceAll(/\/\*[\s\S]*?\*\//g, '')
      .replaceAll(/(?<!:)\/\/.*$/gm, ''),
  }));

describe('behind a transaction pooler', () => {
  it.each(sessionState)('WQ-2: no statement leaves $name behind', ({ pattern, example }) => {
    expect(example).toMatch(pattern);
    expect(sources.filter(({ text }) => pattern.test(text)).map(({ file }) => file)).toEqual([]);
  });

  it('WQ-2: what a transaction keeps for itself is no session state', () => {
    const kept = [
      "SELECT pg_advisory_xact_lock(hashtextextended('k', 0))",
      'BEGIN; SET LOCAL synchronous_commit = off',
      "(SELECT set_config('synchronous_commit', 'off', true)) IS NOT NULL",
      "'UPDATE t SET a = 1'",
    ];
    for (const text of kept) expect(sessionState.filter(({ pattern }) => pattern.test(text))).toEqual([]);
  });

  it('WQ-2: one file alone listens, on a client of its own', () => {
    expect(sources.length).toBeGreaterThan(20);
    expect(sources.filter(({ text }) => listening.test(text)).map(({ file }) => basename(file))).toEqual([
      'pg-wake-ups.ts',
    ]);
  });
});
