import { mayReach } from '../../egress/policy-reach.js';
import type { Settings } from '../../settings/settings.js';

/**
 * Throws `TypeError` where a setting names a provider that is not wired or limits one twice, and
 * where a rule prefers one that the policy keeps from all its paths (EGR-2).
 */
export function checkProviderNames({ egress, llm, review }: Settings, providers: readonly { id: string }[]): void {
  const wired = providers.map(({ id }) => id);
  const limited = llm.rateLimit.perMinute.map(({ provider }) => provider);
  const named: readonly (readonly [string, readonly string[]])[] = [
    ['egress.policy', (egress.policy ?? []).flatMap((rule) => rule.providers)],
    ['llm.rateLimit.perMinute', limited],
    ['review.rules', review.rules.flatMap(({ provider }) => provider ?? [])],
  ];
  for (const [setting, ids] of named) {
    const unwired = ids.filter((id) => !wired.includes(id));
    if (unwired.length > 0)
      throw new TypeError(`settings.${setting}: no provider ${unwired.join(', ')}; wired are ${wired.join(', ')}`);
  }
  const twice = limited.find((id, at) => limited.indexOf(id) !== at);
  if (twice !== undefined)
    throw new TypeError(`settings.llm.rateLimit.perMinute: ${twice} stands twice; expected one row for a provider`);
  checkReach(egress.policy, review.rules);
}

function checkReach(policy: Settings['egress']['policy'], rules: Settings['review']['rules']): void {
  if (policy === null) return;
  for (const [at, { provider, paths }] of rules.entries()) {
    if (provider !== undefined && !mayReach(policy, provider, paths))
      throw new TypeError(
        `settings.review.rules.${at}.provider: egress.policy lets ${provider} see none of ${paths.join(', ')}`,
      );
  }
}
