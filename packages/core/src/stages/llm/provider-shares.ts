import type { RedactedChange } from '../../changes/redacted-change.js';
import type { ProviderPolicy } from '../../egress/provider-policy.js';
import type { LlmProvider } from '../../llm/llm-provider.js';
import type { TruePaths } from '../job/change-snapshot.js';
import { bothPaths } from '../job/true-paths.js';

/** What one provider reviews of a change. */
export interface ProviderShare {
  provider: LlmProvider;
  /**
   * The change as this provider may see it: without its description and jobs where a path of it is
   * kept from the provider.
   */
  change: RedactedChange;
  /** By place in the change. */
  files: ReadonlySet<number>;
  /** Files whose paths this provider may see, by place in the change. */
  named: ReadonlySet<number>;
}

export interface ShareOptions {
  /** In order of preference; none: nobody reviews anything. */
  providers: readonly LlmProvider[];
  policy: ProviderPolicy;
  change: RedactedChange;
  /** In the change's order, unredacted: for the policy alone. */
  truePaths: readonly TruePaths[];
}

/**
 * Which provider reviews which files (EGR-2). The first provider that may see every path reviews
 * the whole change. Where there is none, each file that has text goes to the first provider that
 * may see it, under both its names. Nobody may decide by path who reads the description, so a
 * provider that does not see all paths gets neither that nor the jobs, and of the other files those
 * names that it may see. Where a file has no provider at all, the
 * first provider gets the whole change: `guardedExchange` then rejects it with
 * `EGRESS_PROVIDER_DENIED`, which parks the job.
 */
export function shareChange({ providers, policy, change, truePaths }: ShareOptions): readonly ProviderShare[] {
  const choose = (paths: readonly string[]): LlmProvider | undefined => {
    const [permitted] = policy.permitted(
      providers.map((provider) => provider.id),
      paths,
    );
    return providers.find((provider) => provider.id === permitted);
  };
  const [first] = providers;
  if (first === undefined) return [];
  const all = new Set(change.files.keys());
  const whole = (provider: LlmProvider): readonly ProviderShare[] => [{ provider, change, files: all, named: all }];
  const forAll = choose(truePaths.flatMap(bothPaths));
  if (forAll !== undefined) return whole(forAll);
  const files = new Map<LlmProvider, Set<number>>();
  for (const [index, { skipped, hunks }] of change.files.entries()) {
    if (skipped !== null || hunks.length === 0) continue;
    const paths = truePaths[index];
    const provider = paths === undefined ? undefined : choose(bothPaths(paths));
    if (provider === undefined) return whole(first);
    files.set(provider, (files.get(provider) ?? new Set()).add(index));
  }
  if (files.size === 0) return whole(first);
  const undescribed: RedactedChange = { ...change, description: '', jobs: [] };
  return providers.flatMap((provider) => {
    const own = files.get(provider);
    if (own === undefined) return [];
    const isNamed = (file: number): boolean => {
      const paths = truePaths[file];
      return paths !== undefined && policy.permitted([provider.id], bothPaths(paths)).length > 0;
    };
    return [{ provider, change: undescribed, files: own, named: new Set([...all].filter(isNamed)) }];
  });
}
