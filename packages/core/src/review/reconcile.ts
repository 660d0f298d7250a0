/** A model's path, matched to the change's (OUT-8). */
export interface PathIndex {
  /** The path as the review names it, or null where the change has no such file. */
  resolve(file: string): string | null;
}

const ENCODED: Readonly<Record<string, string>> = { '%40': '@', '%23': '#', '%2A': '*', '%2a': '*', '%25': '%' };

/** The form under which two spellings of one depot path meet: `/` separators, no leading `./` or `/`, Perforce's escapes decoded. */
export function normalisePath(path: string): string {
  return path
    .trim()
    .replaceAll('\\', '/')
    .replace(/^(?:\.?\/)+/, '')
    .replace(/%(?:40|23|2A|2a|25)/g, (code) => ENCODED[code] ?? code);
}

/**
 * Indexes `changedFiles`, the names the prompt used. A file resolves exactly, else by its normal form where that names one file only. A name
 * in `aliases` (alias to path) resolves to its path (ruling R15).
 */
export function createPathIndex(changedFiles: readonly string[], aliases: Readonly<Record<string, string>> = {}): PathIndex {
  const exact = new Set(changedFiles);
  const byForm = new Map<string, string | null>();
  for (const path of exact) {
    const form = normalisePath(path);
    byForm.set(form, byForm.has(form) ? null : path);
  }
  return {
    resolve(file) {
      const named = exact.has(file) ? file : (byForm.get(normalisePath(file)) ?? null);
      if (named === null) return null;
      return Object.hasOwn(aliases, named) ? (aliases[named] ?? named) : named;
    },
  };
}
