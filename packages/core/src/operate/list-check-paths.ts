import type { TruePaths } from '../stages/job/change-snapshot.js';
import { pathsInRequest } from '../stages/job/true-paths.js';
import type { ProviderShare } from '../stages/llm/provider-shares.js';

/**
 * Redacted depot paths that checks of these shares may show besides those of the requests that are
 * checked: every file that the provider reviews, and every piece from outside the change that it may see.
 */
function listShownPaths({ change, files }: ProviderShare, truePaths: readonly TruePaths[]): readonly string[] {
  const withText = [...files].filter((at) => {
    const file = change.files[at];
    return file?.skipped === null && file.hunks.length > 0;
  });
  const found = (change.context ?? []).flatMap(({ text }, place) => (text === '' ? [] : [place]));
  return pathsInRequest(change, truePaths, {
    index: 0,
    count: 1,
    estimatedTokens: 0,
    files: withText.map((file) => ({ file, hunks: [] })),
    context: { level: 'wide', lines: [], found, extents: [] },
  }).redactedPaths;
}

/** Every path that the checks of a plan may show or name, each once, sorted. */
export function listCheckPaths(
  shares: Iterable<ProviderShare>,
  requests: readonly { paths: readonly string[] }[],
  truePaths: readonly TruePaths[],
): readonly string[] {
  const shown = [...shares].flatMap((share) => listShownPaths(share, truePaths));
  return [...new Set([...requests.flatMap(({ paths }) => paths), ...shown])].sort();
}
