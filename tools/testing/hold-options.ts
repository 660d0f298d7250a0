// Holds a package to its promise: every function that it exports either refuses an unknown option
// or takes no options at all.
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

/** The functions of one package, by what their options do. */
export interface PackageOptions {
  /** The package's folder. */
  folder: URL;
  /** The modules of the exports map, by their names there: `'.'`, `'./smtp'`. */
  entries: Readonly<Record<string, object>>;
  /**
   * Calls with right options and, mixed into one object of them, the keys given. By the function's
   * name; words behind it say which object, as in `createChangeWatcher timeouts`.
   */
  calls: Readonly<Record<string, (extra: object) => unknown>>;
  /** Exported functions and classes that take no object of options. */
  without: readonly string[];
}

const misspelt = 'misspeltOption';

async function errorOf(work: () => unknown): Promise<unknown> {
  try {
    await work();
  } catch (error) {
    return error;
  }
  return undefined;
}

/** Declares the tests. A new export fails them until it is named in `calls` or `without`. */
export function holdOptions({ folder, entries, calls, without }: PackageOptions): void {
  it('covers every entry of the package', () => {
    const { exports } = JSON.parse(readFileSync(new URL('package.json', folder), 'utf8')) as { exports: object };
    expect(Object.keys(entries).sort()).toEqual(
      Object.keys(exports)
        .filter((entry) => entry !== './package.json')
        .sort(),
    );
  });

  it('covers every function that the package exports', () => {
    const exported = Object.values(entries).flatMap((entry) =>
      Object.entries(entry).filter(([, value]) => typeof value === 'function'),
    );
    const covered = [...Object.keys(calls).map((name) => name.split(' ')[0]), ...without];
    expect([...new Set(covered)].sort()).toEqual([...new Set(exported.map(([name]) => name))].sort());
  });

  it.each(Object.entries(calls))('%s refuses an unknown option', async (_name, call) => {
    expect(String(await errorOf(() => call({})))).not.toContain('unknown option');
    const error = await errorOf(() => call({ [misspelt]: undefined }));
    expect(error).toBeInstanceOf(TypeError);
    expect(String(error)).toMatch(new RegExp(`${misspelt}: unknown option; .*known are \\w`));
  });
}
