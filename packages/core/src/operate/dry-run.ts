import type { AuditTrail } from '../audit/audit-trail.js';
import type { ChangeFetcher } from '../changes/change-fetcher.js';
import type { RedactedChange } from '../changes/redacted-change.js';
import type { HostRule } from '../egress/check-host.js';
import { type EgressPlan, planEgress } from '../egress/guarded-exchange.js';
import type { ProviderPolicy } from '../egress/provider-policy.js';
import { redactForLlm } from '../egress/redact-for-llm.js';
import { type Actor, checkActor } from '../foundation/actor.js';
import { checkFields, type OptionShape } from '../foundation/check-options.js';
import { CriticizerError } from '../foundation/errors.js';
import { checkAbortSignal, checkedElsewhere, optional } from '../foundation/option-checks.js';
import type { Redactor } from '../foundation/redactor.js';
import type { LlmProvider } from '../llm/llm-provider.js';
import { strongestMode } from '../llm/mode-ladder.js';
import type { PromptVariant, PromptVariants } from '../prompt/prompt-variant.js';
import type { Settings } from '../settings/settings.js';
import { addContext, type ContextParts } from '../stages/fetch/context/add-context.js';
import { decideFiltered, decideIntake } from '../stages/intake/intake.js';
import { countFiltered, filterChange, type PathFilter } from '../stages/job/path-filter.js';
import { redactFetched } from '../stages/job/redact-fetched.js';
import { listTruePaths } from '../stages/job/true-paths.js';
import { createGuide, type Guide } from '../stages/llm/guidance/guidance.js';
import type { ReviewRules } from '../stages/llm/guidance/review-rules.js';
import { type HistoryParts, loadHistory, type PresentChange } from '../stages/llm/history/load-history.js';
import { findReadBefore, isIncremental, type ReadBefore } from '../stages/llm/history/read-before.js';
import { planReview } from '../stages/llm/plan-review.js';
import type { ProviderShare } from '../stages/llm/provider-shares.js';
import { createReplyRedaction } from '../stages/llm/reply-redaction.js';
import { outputTokens, planChunkRequest } from '../stages/llm/review-request.js';
import { nameSubject } from '../stages/llm/rollout/name-subject.js';
import { shareWithContext } from '../stages/llm/share-context.js';
import type { RateCalibration } from '../stages/llm/token-rates/calibrate-rate.js';
import { chooseRates, readRates } from '../stages/llm/token-rates/choose-rates.js';
import type { Logger } from '../telemetry/logger.js';
import type { SecurityEvents } from '../telemetry/security-events.js';
import { listCheckPaths } from './list-check-paths.js';
import { type DestinationParts, type PlannedDestination, planDestinations } from './plan-destinations.js';
import { recordDryRun } from './record-dry-run.js';

/** The change that a dry run prepares, and does not send. */
export interface DryRunRequest {
  serverId: string;
  number: number;
  /**
   * Who reads what would leave. Recorded as `change.dry_run` before the answer where an audit trail
   * is wired (OPS-1); without an actor nothing is recorded.
   */
  actor?: Actor | undefined;
  signal?: AbortSignal | undefined;
}

/** What a dry run found: the requests, or why there would be none. */
export type DryRun =
  | {
      kind: 'planned';
      /**
       * To models, to the byte: with unchanged settings the review of the next version sends these first. What
       * earlier reviews of a shelf read and need not read again is in none (`review.incremental`).
       */
      requests: readonly EgressPlan[];
      /**
       * Requests that may follow, at most: one for each of `requests`, to the same model, with the
       * findings of its reply and more of the code round them (`review.check`).
       */
      checksAtMost: number;
      /**
       * The same where an earlier version of the change was reviewed: one more for each of `requests`, with
       * its findings that are not reported again (`review.followUps`).
       */
      followUpsAtMost: number;
      /** Every redacted depot path that these may show or name; empty where none can follow. */
      checkPaths: readonly string[];
      withheldPaths: readonly { path: string; reason: string }[];
      /** Every place that the review would send to, models included. */
      destinations: readonly PlannedDestination[];
    }
  | { kind: 'skipped'; reason: string; detail: string };

export interface DryRunOptions extends HostRule, Pick<ContextParts, 'readers' | 'isContextWanted' | 'clock'> {
  fetchers: ReadonlyMap<string, ChangeFetcher>;
  providers: readonly LlmProvider[];
  variants: PromptVariants;
  policy: ProviderPolicy;
  redactor: Redactor;
  /** Of `settings.intake.skipPaths`. */
  filter: PathFilter;
  /** Of `settings.review.rules`. */
  rules: ReviewRules;
  /** Of this process's replies. */
  calibration: RateCalibration;
  settings: Pick<Settings, 'fetch' | 'intake' | 'llm' | 'review'>;
  securityEvents: SecurityEvents;
  /** Where earlier reviews of the change are. Left out: every change is planned as a first version. */
  history?: Omit<HistoryParts, 'clock'> | undefined;
  logger: Pick<Logger, 'warn'>;
  /** Where else a review sends. */
  destinations: Omit<DestinationParts, 'providers' | 'policy' | 'hasCheck' | 'hasFollowUps'>;
  /** Where a run by an actor is recorded. */
  audit?: Pick<AuditTrail<unknown>, 'record'> | undefined;
}

/** Above every version that a job may have. */
const beyondAllVersions = 2 ** 31;

const requestShape: OptionShape<DryRunRequest> = {
  serverId: checkedElsewhere,
  number: checkedElsewhere,
  actor: optional(checkActor),
  signal: optional(checkAbortSignal),
};

/**
 * The way of a review up to the first byte, with the same parts: the change is read, nothing of it
 * is stored and no connection to a model is opened (EGR-3). A run by an actor is audited.
 */
export function createDryRun(options: DryRunOptions): (request: DryRunRequest) => Promise<DryRun> {
  const { audit } = options;
  return async (request) => {
    checkFields('dryRun: request', request, requestShape);
    if (typeof request?.serverId !== 'string') throw new TypeError('dryRun: serverId: expected text');
    if (!Number.isSafeInteger(request.number) || request.number < 1)
      throw new TypeError('dryRun: number: expected a whole number from 1');
    const run = await prepare(options, request);
    if (request.actor !== undefined && audit !== undefined) await recordDryRun(audit, request.actor, request, run);
    return run;
  };
}

/** What the next version would not send again (`review.incremental`): by the newest review of the change. */
async function findRead(
  options: DryRunOptions,
  asked: Omit<PresentChange, 'replyRedaction'> & {
    whole: RedactedChange;
    signal: AbortSignal;
    shares: readonly ProviderShare[];
    variant: PromptVariant;
    guide: Guide;
  },
): Promise<ReadBefore> {
  const { history, redactor, logger, settings, clock } = options;
  const { whole, change, truePaths, signal, shares, ...how } = asked;
  if (history === undefined || !isIncremental(settings.review, change.kind, {})) return new Map();
  const request = { changelistId: change.changelistId, reviewVersion: beyondAllVersions, signal, logger };
  const replyRedaction = createReplyRedaction(redactor, whole);
  const past = await loadHistory({ ...history, clock }, request, { change, truePaths, replyRedaction });
  return findReadBefore(past, change, shares, { ...options, ...how });
}

async function prepare(options: DryRunOptions, request: DryRunRequest): Promise<DryRun> {
  const { fetchers, providers, policy, redactor, filter, settings, securityEvents } = options;
  const { serverId, number, signal = new AbortController().signal } = request;
  const fetcher = fetchers.get(serverId);
  if (fetcher === undefined)
    throw new CriticizerError('SERVER_UNKNOWN', `No change fetcher is wired for the server "${serverId}".`, {
      category: 'not_found',
    });
  const outcome = await fetcher.fetch(number, { limits: settings.fetch, signal, isScanOnly: filter.skips });
  if (outcome.kind === 'skipped') return { kind: 'skipped', reason: outcome.reason, detail: outcome.detail };
  const skip = decideIntake(outcome.change, settings.intake, filter);
  if (skip !== null) return { kind: 'skipped', ...skip };
  const { change: wide } = await addContext(outcome.change, options, signal);
  const whole = redactFetched(redactor, wide);
  const secrets = Object.values(whole.redactions).reduce((sum, times) => sum + times, 0);
  const nothingLeft = decideFiltered(countFiltered(outcome.change, filter), secrets);
  if (nothingLeft !== null) return { kind: 'skipped', ...nothingLeft };
  const truePaths = listTruePaths(wide);
  const change = filterChange(whole, truePaths, filter);
  const context = { securityEvents, changelistId: change.changelistId };
  // Redacting the redacted changes nothing; it is how text outside an artifact is minted.
  const [snapshot] = redactForLlm({
    redactor,
    texts: [{ name: 'snapshot', text: JSON.stringify(change) }],
    ...context,
  }).pieces;
  if (snapshot === undefined)
    throw new CriticizerError('REDACTION_FAILED', 'Nothing was redacted.', { category: 'policy' });
  const variant = await options.variants.choose(nameSubject(change, truePaths));
  const guide = createGuide(change, truePaths, options.rules);
  const rates = readRates(chooseRates({ ...options, change, template: variant.template }));
  const shares = shareWithContext({ ...options, change, truePaths });
  const readBefore = await findRead(options, { whole, change, truePaths, signal, shares, variant, guide });
  const plan = planReview(shares, { ...options, variant, guide, rates, readBefore });
  const parts = {
    context,
    signal,
    snapshot: snapshot.text,
    truePaths,
    variant,
    guide,
    policy,
    redactor,
    isInternal: options.isInternal,
    namesProviders: options.namesProviders,
  };
  const requests: EgressPlan[] = [];
  for (const { share, chunk } of plan.chunks) {
    const mode = strongestMode(share.provider.modes);
    const maxOutputTokens = outputTokens(share.provider, settings.llm);
    const asked = { share, chunk, mode, maxOutputTokens, settings: settings.llm };
    requests.push(await planEgress(planChunkRequest({ ...parts, ...asked })));
  }
  const withheldPaths = change.files.flatMap((file) =>
    file.skipped === null ? [] : [{ path: file.displayPath ?? file.path, reason: file.skipped }],
  );
  const unsent = plan.unsent.map(({ file }) => ({
    path: change.files[file]?.displayPath ?? change.files[file]?.path ?? '',
    reason: 'budget',
  }));
  const hasCheck = variant.check !== undefined && settings.review.check !== 'off';
  const hasFollowUps = variant.check !== undefined && settings.review.followUps;
  const sending = { ...options.destinations, providers, policy, hasCheck, hasFollowUps };
  const destinations = await planDestinations(sending, outcome.change, requests, signal);
  const asked = new Set(plan.chunks.map(({ share }) => share));
  const checks = {
    checksAtMost: hasCheck ? requests.length : 0,
    followUpsAtMost: hasFollowUps ? requests.length : 0,
    checkPaths: hasCheck || hasFollowUps ? listCheckPaths(asked, requests, truePaths) : [],
  };
  return { kind: 'planned', requests, ...checks, withheldPaths: [...withheldPaths, ...unsent], destinations };
}
