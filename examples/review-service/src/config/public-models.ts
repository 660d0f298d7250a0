// Models outside the house: what may go there, and what a day may cost, are said before the start.
import type { SettingsInput } from '@criticizer/core';
import { createInternalHosts, mayReach } from '@criticizer/core/llm';
import { createAllowList } from '@criticizer/p4';
import type { SettingsEnvironment } from './environment.js';
import type { ModelConfiguration } from './model-variables.js';
import { UsageError } from './usage-error.js';

type Budget = NonNullable<NonNullable<SettingsInput['llm']>['budget']>;
type Egress = NonNullable<SettingsInput['egress']>;

/** Says of a host of a model whether it is inside the house, by these settings. */
export function readInternalHosts({ egress }: SettingsInput): (host: string) => boolean {
  return createInternalHosts(egress?.internalHosts ?? []);
}

/** Limits and prices of the file, completed by the environment. */
function completeBudget(budget: Budget, models: readonly ModelConfiguration[], env: SettingsEnvironment): Budget {
  const { LLM_DAILY_REQUESTS: requests, LLM_DAILY_COST: cost } = env;
  const listed = new Set(budget.prices?.map(({ provider }) => provider));
  const prices = models.flatMap(({ id, price }) =>
    price === null || listed.has(id)
      ? []
      : [{ provider: id, inputPerMillion: price.input, outputPerMillion: price.output }],
  );
  return {
    ...budget,
    perDay: {
      ...budget.perDay,
      ...(requests === undefined ? {} : { requests }),
      ...(cost === undefined ? {} : { cost }),
    },
    prices: [...(budget.prices ?? []), ...prices],
  };
}

const isSet = (limit: number | null | undefined): boolean => limit !== null && limit !== undefined;

function findBudgetMistakes({ perDay, prices }: Budget, outside: readonly ModelConfiguration[]): string[] {
  const { cost, requests, inputTokens, outputTokens } = perDay ?? {};
  const hosts = outside.map(({ host }) => host).join(', ');
  if (outside.length > 0 && ![cost, requests, inputTokens, outputTokens].some(isSet))
    return [
      `LLM_DAILY_REQUESTS: is missing, and LLM_DAILY_COST too: ${hosts} is outside the house; say what 24 hours may take`,
    ];
  const unpriced = outside.filter(({ id }) => !prices?.some(({ provider }) => provider === id));
  return isSet(cost)
    ? unpriced.map(
        ({ prefix }) => `${prefix}PRICE_INPUT: is missing: without a price no cost counts for LLM_DAILY_COST`,
      )
    : [];
}

function findPathMistakes(
  { policy }: Egress,
  { LLM_PUBLIC_PATHS: paths }: SettingsEnvironment,
  outside: readonly ModelConfiguration[],
): string[] {
  const hasPolicy = policy !== undefined && policy !== null;
  const hosts = outside.map(({ host }) => host).join(', ');
  if (paths === undefined && !hasPolicy && outside.length > 0)
    return [
      `LLM_PUBLIC_PATHS: is missing: ${hosts} is outside the house; name the depot paths that may go there, or the host in INTERNAL_HOSTS`,
    ];
  if (paths !== undefined && hasPolicy)
    return ['LLM_PUBLIC_PATHS: is set beside egress.policy of SETTINGS_FILE: unset one of them'];
  return [];
}

/** Providers that the file names and that are none of the models, and limits that stand twice. */
function findNameMistakes({ egress, llm, review }: SettingsInput, models: readonly ModelConfiguration[]): string[] {
  const known = models.map(({ id }) => id);
  const limited = (llm?.rateLimit?.perMinute ?? []).map(({ provider }) => provider);
  const named: Readonly<Record<string, readonly string[]>> = {
    'egress.policy': (egress?.policy ?? []).flatMap(({ providers }) => providers),
    'llm.rateLimit.perMinute': limited,
    'review.rules': (review?.rules ?? []).flatMap(({ provider }) => provider ?? []),
    'llm.budget.prices': (llm?.budget?.prices ?? []).map(({ provider }) => provider),
  };
  const unknown = Object.entries(named).flatMap(([setting, ids]) =>
    [...new Set(ids)]
      .filter((id) => !known.includes(id))
      .map((id) => `SETTINGS_FILE: ${setting} names ${id}; the models are ${known.join(', ') || 'none'}`),
  );
  const twice = new Set(limited.filter((id, at) => limited.indexOf(id) !== at));
  return [...unknown, ...[...twice].map((id) => `SETTINGS_FILE: llm.rateLimit.perMinute has ${id} twice`)];
}

/** Rules of the file that prefer a model which may see none of their paths. */
function findReachMistakes({ review }: SettingsInput, policy: Egress['policy']): string[] {
  if (policy === undefined || policy === null) return [];
  return (review?.rules ?? []).flatMap(({ provider, paths }, at) =>
    provider === undefined || mayReach(policy, provider, paths)
      ? []
      : [`SETTINGS_FILE: review.rules.${at} names ${provider}, which may see none of its paths`],
  );
}

function findPatternMistakes(paths: readonly string[] | undefined): string[] {
  if (paths === undefined) return [];
  try {
    createAllowList({ allow: paths });
    return [];
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return [error.message.replace('allowList.allow', 'LLM_PUBLIC_PATHS')];
  }
}

/** Inside all paths, outside the named ones. */
function buildPolicy(
  paths: readonly string[],
  all: readonly ModelConfiguration[],
  outside: readonly ModelConfiguration[],
): Egress['policy'] {
  const inside = all.filter((model) => !outside.includes(model));
  return [
    { paths: ['//...'], providers: inside.map(({ id }) => id) },
    { paths: [...paths], providers: all.map(({ id }) => id) },
  ];
}

/**
 * Settings with what the environment says of models outside the house: which paths may go there,
 * and what 24 hours may take. Both are required there. Throws `UsageError`, a line for each mistake.
 */
export function completeModelSettings(
  settings: SettingsInput,
  models: readonly ModelConfiguration[],
  env: SettingsEnvironment,
): SettingsInput {
  const egress = {
    ...settings.egress,
    internalHosts: [...(settings.egress?.internalHosts ?? []), ...env.INTERNAL_HOSTS],
  };
  const isInternal = readInternalHosts({ egress });
  const outside = models.filter(({ host }) => !isInternal(host));
  const budget = completeBudget(settings.llm?.budget ?? {}, models, env);
  const { LLM_PUBLIC_PATHS: paths } = env;
  const mistakes = [
    ...findPatternMistakes(paths),
    ...findPathMistakes(egress, env, outside),
    ...findNameMistakes(settings, models),
    ...findBudgetMistakes(budget, outside),
  ];
  if (mistakes.length > 0) throw new UsageError(mistakes);
  const policy = paths === undefined || outside.length === 0 ? egress.policy : buildPolicy(paths, models, outside);
  const unreached = findReachMistakes(settings, policy);
  if (unreached.length > 0) throw new UsageError(unreached);
  return {
    ...settings,
    egress: policy === undefined ? egress : { ...egress, policy },
    llm: { ...settings.llm, budget },
  };
}
