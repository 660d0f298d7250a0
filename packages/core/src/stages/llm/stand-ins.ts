import { classifyFailure } from '../../foundation/failures/failure.js';
import type { LlmProvider } from '../../llm/llm-provider.js';
import { bothPaths } from '../job/true-paths.js';
import type { LlmStageOptions, ReviewUnderWay } from './ask-model.js';

/** A provider that failed a review, and why. */
export interface FailedProvider {
  provider: LlmProvider;
  error: unknown;
  code: string;
}

const providerCodes: ReadonlySet<string> = new Set([
  'LLM_QUOTA_EXHAUSTED',
  'LLM_MODEL_NOT_FOUND',
  'LLM_NO_ANSWER',
  'LLM_REPLY_UNREADABLE',
  'AUTH_DENIED',
]);
// `LLM_RATE_LIMITED` is the host's own limit: it spreads requests, it does not move them elsewhere.
const ownCodes =
  /^(LLM_RATE_LIMITED$|EGRESS_|ARTIFACT_|LEASE_|PG_|SQLITE_|STORE_|SHUTDOWN$|GIVEN_BACK$|ABORTED$|RECORD)/;

/** Whether the failure is this provider's alone, so that another one may well answer. */
export function isProviderFault(error: unknown): boolean {
  const { code, category } = classifyFailure(error);
  if (ownCodes.test(code)) return false;
  if (providerCodes.has(code) || code.startsWith('SECRET_')) return true;
  return category === 'network' || category === 'upstream' || category === 'rate_limit';
}

/**
 * The providers that may take a review over from `failed`: the others of the fallback that are left,
 * where every path has one of them that may see it. From inside the house to outside only a provider
 * that the policy names for every path of the change may follow. Empty where nobody may: then the
 * review waits.
 */
export function findStandIns(
  { fallback, policy, isInternal, namesProviders }: LlmStageOptions,
  { truePaths }: ReviewUnderWay,
  left: readonly LlmProvider[],
  failed: LlmProvider,
): readonly LlmProvider[] {
  if (!fallback) return [];
  const everyPath = truePaths.flatMap(bothPaths);
  const isInside = ({ host }: LlmProvider, unknown: boolean): boolean =>
    host === undefined ? unknown : isInternal(host);
  const isNamedForAll = ({ id }: LlmProvider): boolean =>
    namesProviders && policy.permitted([id], everyPath).length > 0;
  const mayFollow = (one: LlmProvider): boolean => isInside(one, false) || isNamedForAll(one);
  const others = left.filter((one) => one !== failed && (!isInside(failed, true) || mayFollow(one)));
  const ids = others.map(({ id }) => id);
  const isCovered = truePaths.every((paths) => policy.permitted(ids, bothPaths(paths)).length > 0);
  return isCovered ? others : [];
}
