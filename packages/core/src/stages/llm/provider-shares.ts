import type { RedactedChange } from '../../changes/redacted-change.js';
import type { ProviderPolicy } from '../../egress/provider-policy.js';
import type { LlmProvider } from '../../llm/llm-provider.js';
import type { TruePaths } from '../job/change-snapshot.js';
import { bothPaths } from '../job/true-paths.js';
import type { ReviewRules } from './guidance/review-rules.js';

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
  /** Which provider a file is preferably reviewed by. */
  rules: Pick<ReviewRules, 'findProvider'>;
}

type Choose = (paths: readonly string[]) => LlmProvider | undefined;

/** By file with text: the provider that the rules prefer, where it is here and may see the file. */
function listPreferred({
  providers,
  policy,
  change,
  truePaths,
  rules,
}: ShareOptions): ReadonlyMap<number, LlmProvider> {
  return new Map(
    change.files.flatMap(({ skipped, hunks }, index): [number, LlmProvider][] => {
      const paths = truePaths[index];
      if (paths === undefined || skipped !== null || hunks.length === 0) return [];
      const id = rules.findProvider(paths.path);
      const provider = id === undefined ? undefined : providers.find((one) => one.id === id);
      return provider !== undefined && policy.permitted([provider.id], bothPaths(paths)).length > 0
        ? [[index, provider]]
        : [];
    }),
  );
}

/** Files with text by their provider; null where one of them has none. */
function assignFiles(
  { change, truePaths }: ShareOptions,
  choose: Choose,
  preferred: ReadonlyMap<number, LlmProvider>,
): ReadonlyMap<LlmProvider, ReadonlySet<number>> | null {
  const files = new Map<LlmProvider, Set<number>>();
  for (const [index, { skipped, hunks }] of change.files.entries()) {
    if (skipped !== null || hunks.length === 0) continue;
    const paths = truePaths[index];
    const provider = preferred.get(index) ?? (paths === undefined ? undefined : choose(bothPaths(paths)));
    if (provider === undefined) return null;
    files.set(provider, (files.get(provider) ?? new Set()).add(index));
  }
  return files;
}

/**
 * Which provider reviews which files (EGR-2). A file that a rule prefers a provider for goes to it
 * where it may see the file, under both its names. The first provider that may see every path
 * reviews the rest. Where there is none, each file that has text goes to the first provider that
 * may see it. Nobody may decide by path who reads the description, so a provider that may not see
 * every path gets neither that nor the jobs, and of the other files those names that it may see.
 * Where a file has no provider at all, the first provider gets the whole change:
 * `guardedExchange` then rejects it with `EGRESS_PROVIDER_DENIED`, which parks the job.
 */
export function shareChange(options: ShareOptions): readonly ProviderShare[] {
  const { providers, policy, change, truePaths } = options;
  const ids = providers.map(({ id }) => id);
  const choose: Choose = (paths) => {
    const [permitted] = policy.permitted(ids, paths);
    return providers.find(({ id }) => id === permitted);
  };
  const [first] = providers;
  if (first === undefined) return [];
  const all = new Set(change.files.keys());
  const whole = (provider: LlmProvider): readonly ProviderShare[] => [{ provider, change, files: all, named: all }];
  const everyPath = truePaths.flatMap(bothPaths);
  const forAll = choose(everyPath);
  const preferred = listPreferred(options);
  if (forAll !== undefined && preferred.size === 0) return whole(forAll);
  const files = assignFiles(options, forAll === undefined ? choose : () => forAll, preferred);
  if (files === null || files.size === 0) return whole(first);
  const undescribed: RedactedChange = { ...change, description: '', jobs: [] };
  return providers.flatMap((provider): ProviderShare[] => {
    const own = files.get(provider);
    if (own === undefined) return [];
    if (policy.permitted([provider.id], everyPath).length > 0) return [{ provider, change, files: own, named: all }];
    const isNamed = (file: number): boolean => {
      const paths = truePaths[file];
      return paths !== undefined && policy.permitted([provider.id], bothPaths(paths)).length > 0;
    };
    return [{ provider, change: undescribed, files: own, named: new Set([...all].filter(isNamed)) }];
  });
}
