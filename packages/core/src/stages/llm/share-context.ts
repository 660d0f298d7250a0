import { type RedactedContext, withholdContext } from '../../changes/change-context.js';
import type { RedactedChange } from '../../changes/redacted-change.js';
import type { HostRule } from '../../egress/check-host.js';
import type { ProviderPolicy } from '../../egress/provider-policy.js';
import type { LlmProvider } from '../../llm/llm-provider.js';
import type { Settings } from '../../settings/settings.js';
import type { TruePaths } from '../job/change-snapshot.js';
import { type ProviderShare, type ShareOptions, shareChange } from './provider-shares.js';

/** What decides which context a provider sees. */
export interface ContextRule extends Pick<HostRule, 'isInternal'> {
  policy: ProviderPolicy;
  settings: { review: Pick<Settings['review'], 'context'> };
}

/** The context that a provider may see: on a host that is not known to be inside, at most what public ones may. */
export function chooseContextLevel(
  { isInternal, settings: { review } }: Pick<ContextRule, 'isInternal' | 'settings'>,
  { host }: Pick<LlmProvider, 'host'>,
): Settings['review']['context']['level'] {
  const { level, publicHosts } = review.context;
  const isInside = host !== undefined && isInternal(host);
  return isInside || level === 'hunks' || publicHosts === 'wide' ? level : 'sections';
}

/** True where a provider may see other files than the change's own at all (GRD-4). */
export function maySeeContext(
  rule: Pick<ContextRule, 'isInternal' | 'settings'>,
  provider: Pick<LlmProvider, 'host'>,
): boolean {
  return chooseContextLevel(rule, provider) === 'wide';
}

/**
 * The context of a change for one provider: a piece whose file the provider may not see by policy
 * keeps its place and holds nothing (EGR-2), all of them where its host gets no context.
 * `truePaths` of the change's files, then of its pieces.
 */
export function contextFor(
  rule: ContextRule,
  provider: LlmProvider,
  { files, context = [] }: RedactedChange,
  truePaths: readonly TruePaths[],
): readonly RedactedContext[] {
  const isShown = maySeeContext(rule, provider);
  return withholdContext(context, (place) => {
    const path = truePaths[files.length + place]?.path;
    return !isShown || path === undefined || !rule.policy.permits(provider.id, path);
  });
}

/** `shareChange` by the change's own files; each share has the context that its provider may see. */
export function shareWithContext(options: ShareOptions & ContextRule): readonly ProviderShare[] {
  const { change, truePaths } = options;
  const shares = shareChange({ ...options, truePaths: truePaths.slice(0, change.files.length) });
  if (change.context === undefined) return shares;
  return shares.map((share) => ({
    ...share,
    change: { ...share.change, context: contextFor(options, share.provider, change, truePaths) },
  }));
}
