import { classifyFailure } from '../../foundation/failure.js';
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
const ownCodes = /^(EGRESS_|ARTIFACT_|LEASE_|PG_|SQLITE_|STORE_|SHUTDOWN$|GIVEN_BACK$|ABORTED$|RECORD)/;

/** Whether the failure is this provider's alone, so that another one may well answer. */
export function isProviderFault(error: unknown): boolean {
  const { code, category } = classifyFailure(error);
  if (ownCodes.test(code)) return false;
  if (providerCodes.has(code) || code.startsWith('SECRET_')) return true;
  return category === 'network' || category === 'upstream' || category === 'rate_limit';
}

/**
 * Who may take a review over from `failed`: the others of the fallback that are left and may see
 * every path between them. Never from inside the house to outside unless the policy names the
 * provider. Empty where nobody may: then the review waits.
 */
export function findStandIns(
  { fallback, policy, isInternal, namesProviders }: LlmStageOptions,
  { truePaths }: ReviewUnderWay,
  left: readonly LlmProvider[],
  failed: LlmProvider,
): readonly LlmProvider[] {
  if (!fallback) return [];
  const isInside = ({ host }: LlmProvider, unknown: boolean): boolean =>
    host === undefined ? unknown : isInternal(host);
  const mayLeave = namesProviders || !isInside(failed, true);
  const others = left.filter((one) => one !== failed && (mayLeave || isInside(one, false)));
  const ids = others.map(({ id }) => id);
  const isCovered = truePaths.every((paths) => policy.permitted(ids, bothPaths(paths)).length > 0);
  return isCovered ? others : [];
}
