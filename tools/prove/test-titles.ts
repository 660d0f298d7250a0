// Finds the tests of a requirement by their titles: `it('WQ-6: …')`, or `it('WQ-6 INV-2: …')` for
// two at once (a comma between is fine).
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { listFiles } from '../list-files.js';

const id = '[A-Z][A-Z0-9]*-\\d+';
const title = new RegExp(`['"\`](${id}(?:,? ${id})*): `, 'g');
const isSuite = (file: string): boolean => /^packages\/[^/]+\/src\/testing\//.test(file) && !file.endsWith('.test.ts');

/** The IDs with which a string of this source text starts. */
export function titledIds(source: string): Set<string> {
  return new Set([...source.matchAll(title)].flatMap(([, ids = '']) => ids.split(/,? /)));
}

/** Matches a test's full name (suites and title, joined by spaces) where one of its parts starts with the ID. */
export function titlePattern(...ids: readonly string[]): RegExp {
  const one = ids.map((i) => i.replace('-', '\\-')).join('|');
  return new RegExp(`(?:^|\\s)(?:${id},? )*(?:${one})(?:,? ${id})*: `);
}

export interface TestFiles {
  /** Every `*.test.ts`, from the root of the repository. */
  all: readonly string[];
  /** ID to the test files that run a test of it: by a title of their own, or through a contract suite they call. */
  byId: ReadonlyMap<string, ReadonlySet<string>>;
}

/** Reads all test files, and the suites under `src/testing`, whose titles count for the test files that call them. */
export function findTests(root: string): TestFiles {
  const sources = new Map(
    ['packages', 'examples', 'tools']
      .flatMap((folder) => listFiles(root, folder, '.ts'))
      .map((file) => [file, readFileSync(join(root, file), 'utf8')]),
  );
  const all = [...sources.keys()].filter((file) => file.endsWith('.test.ts') && !file.startsWith('tools/'));
  const byId = new Map<string, Set<string>>();
  const add = (ids: Iterable<string>, files: readonly string[]): void => {
    for (const i of ids) byId.set(i, new Set([...(byId.get(i) ?? []), ...files]));
  };
  for (const [file, source] of sources) {
    const ids = titledIds(source);
    if (ids.size === 0 || file.startsWith('tools/')) continue;
    if (file.endsWith('.test.ts')) add(ids, [file]);
    else if (isSuite(file)) add(ids, callers(file, sources, all));
  }
  return { all, byId };
}

/** The test files that reach the suite: by one of its exports, or by an export of a testing file that calls it. */
function callers(suite: string, sources: ReadonlyMap<string, string>, tests: readonly string[]): string[] {
  const names = new Set<string>();
  const visit = (file: string): void => {
    for (const [, name = ''] of (sources.get(file) ?? '').matchAll(/export (?:async )?function (\w+)/g)) {
      if (names.has(name)) continue;
      names.add(name);
      for (const other of sources.keys())
        if (isSuite(other) && !other.endsWith('/index.ts') && mentions(other, name)) visit(other);
    }
  };
  const mentions = (file: string, name: string): boolean => new RegExp(`\\b${name}\\b`).test(sources.get(file) ?? '');
  visit(suite);
  return tests.filter((file) => [...names].some((name) => mentions(file, name)));
}
