import type { Change } from '../../changes/change.js';
import { withholdContext } from '../../changes/change-context.js';
import type { RedactedChange } from '../../changes/redacted-change.js';
import { compileDepotRules, type DepotRule, type DepotRuleMatcher } from '../../egress/depot-pattern.js';
import type { TruePaths } from './change-snapshot.js';
import { isSkipPathPreset, skipPathPresets } from './skip-path-presets.js';

/** Which files of a change are kept from the model, whatever their content (`intake.skipPaths`). */
export interface PathFilter {
  /** True where the file is kept from the model. Takes the true depot path. */
  skips(depotPath: string): boolean;
}

/**
 * Compiles `intake.skipPaths`: names of presets and Perforce patterns, a leading `-` for paths that
 * are reviewed all the same. As in a protections table the last one that matches decides. Case is
 * ignored: a server that ignores it stores `Foo.META` too, and no model sees more for it. Throws
 * `TypeError` for a name that is no preset and for a pattern that could match nothing.
 */
export function createPathFilter(skipPaths: readonly string[]): PathFilter {
  const rules = skipPaths.map((entry) => {
    if (isSkipPathPreset(entry)) return { paths: skipPathPresets[entry], isSkipped: true };
    const isSkipped = !entry.startsWith('-');
    const pattern = isSkipped ? entry : entry.slice(1);
    if (!pattern.startsWith('//'))
      throw new TypeError(
        `settings.intake.skipPaths: ${JSON.stringify(entry)}: expected ${Object.keys(skipPathPresets).join(', ')}, or a pattern such as "//depot/dir/..." or "-//depot/dir/..."`,
      );
    return { paths: [pattern], isSkipped };
  });
  const { lastMatch } = compileRules(rules);
  return { skips: (path) => rules[lastMatch(path)]?.isSkipped === true };
}

function compileRules(rules: readonly DepotRule[]): DepotRuleMatcher {
  try {
    return compileDepotRules(rules, false);
  } catch (error) {
    throw error instanceof TypeError ? new TypeError(`settings.intake.skipPaths: ${error.message}`) : error;
  }
}

/** Places of the files with text that the filter keeps from the model. */
function findFiltered(
  files: readonly Pick<RedactedChange['files'][number], 'skipped' | 'hunks'>[],
  paths: readonly TruePaths[],
  filter: PathFilter,
): ReadonlySet<number> {
  const places = [...files.entries()].flatMap(([at, { skipped, hunks }]) => {
    const path = paths[at]?.path;
    return skipped === null && hunks.length > 0 && path !== undefined && filter.skips(path) ? [at] : [];
  });
  return new Set(places);
}

/**
 * The redacted change as the model may see it: files that the filter skips have no text and count
 * as `filtered`, and context in such files is withheld. What was redacted in them stays counted.
 * `truePaths` in the change's order, its context's after its files': an alias says nothing to a
 * pattern.
 */
export function filterChange(
  change: RedactedChange,
  truePaths: readonly TruePaths[],
  filter: PathFilter,
): RedactedChange {
  const filtered = findFiltered(change.files, truePaths, filter);
  const context = filterContext(change, truePaths, filter);
  if (filtered.size === 0) return context === undefined ? change : { ...change, context };
  const files = change.files.map((file, at) => {
    if (!filtered.has(at)) return file;
    const { newText: _newText, ...rest } = file;
    return { ...rest, skipped: 'filtered' as const, hunks: [] };
  });
  return { ...change, files, ...(context === undefined ? {} : { context }) };
}

/** The context without the files that the filter skips; undefined where there is none. */
function filterContext(
  { files, context }: RedactedChange,
  truePaths: readonly TruePaths[],
  filter: PathFilter,
): RedactedChange['context'] {
  return context && withholdContext(context, (place) => filter.skips(truePaths[files.length + place]?.path ?? ''));
}

/** What the filter keeps from the model. */
export interface FilteredFiles {
  /** Files with text that it keeps from the model, `unscanned` ones among them. */
  filtered: number;
  /** Those that the limits of the fetch left no room for: they are not scanned for secrets. */
  unscanned: number;
  /** No other file has text. */
  isAll: boolean;
}

/** Counts the files that the filter keeps from the model. */
export function countFiltered(change: Change, filter: PathFilter): FilteredFiles {
  const scanned = findFiltered(change.files, change.files, filter).size;
  const unscanned = change.files.filter(({ skipped }) => skipped === 'unscanned').length;
  const withText = change.files.filter(({ skipped, hunks }) => skipped === null && hunks.length > 0).length;
  const filtered = scanned + unscanned;
  return { filtered, unscanned, isAll: filtered > 0 && scanned === withText };
}
