import { CriticizerError } from '../foundation/errors.js';
import type { Redactor } from '../foundation/redactor.js';
import type { Clock } from '../foundation/time/clock.js';
import type { Random } from '../foundation/time/random.js';
import { systemClock } from '../foundation/time/system-clock.js';
import { checkTurns } from '../llm/check-turns.js';
import type { LlmProvider, LlmReply, LlmRequest, PreparedLlmRequest } from '../llm/llm-provider.js';
import type { EgressLog, NewEgressRecord } from '../stores/egress-log.js';
import { appendEgress } from './append-egress.js';
import { blockEgress, type EgressContext } from './block-egress.js';
import { checkHost, type HostRule } from './check-host.js';
import { checkEgress, checkProvenance, type EgressVerdict } from './egress-guard.js';
import type { KillSwitch } from './kill-switch.js';
import { prepareRequest } from './prepare-request.js';
import type { ProviderPolicy } from './provider-policy.js';

/** One request and all that decides about it. */
export interface EgressPlanOptions extends EgressContext, HostRule {
  provider: LlmProvider;
  request: LlmRequest;
  redactor: Redactor;
  policy: ProviderPolicy;
  /** Every depot path whose content or name is in the request, unredacted: for the policy alone, stored nowhere. */
  depotPaths: readonly string[];
  /** The same as they stand in the request, redacted: for the record. */
  redactedPaths: readonly string[];
  /** By rule: `counts` of `redactForLlm`. */
  redactions: Readonly<Record<string, number>>;
  /** Of the prompt variant that made the request: for the record. */
  versions: { promptVersion: string; schemaVersion: string };
  scanTimeoutMs?: number | undefined;
  /** How long the provider may prepare the request. Milliseconds, default 10,000. */
  prepareTimeoutMs?: number | undefined;
  signal: AbortSignal;
  clock?: Pick<Clock, 'monotonicMs' | 'sleep'> | undefined;
}

/** What would leave, to the byte (EGR-3). */
export interface EgressPlan extends EgressVerdict {
  provider: string;
  model: string;
  promptVersion: string;
  schemaVersion: string;
  /** Host and port. */
  host: string;
  url: string;
  headers: Readonly<Record<string, string>>;
  body: string;
  paths: readonly string[];
  redactions: Readonly<Record<string, number>>;
  rulesVersion: string;
  policyHash: string;
}

export interface GuardedExchangeOptions<Tx> extends EgressPlanOptions {
  jobId: string;
  changelistId: string;
  reviewVersion: number;
  killSwitch: KillSwitch;
  log: EgressLog<Tx>;
  random: Pick<Random, 'uuid'>;
  /** Of the exchange itself, from connecting to the last byte. Milliseconds. */
  timeoutMs: number;
  /** Runs when all else is done, right before the bytes leave; where it rejects nothing is sent. */
  beforeSend?: (() => Promise<void>) | undefined;
}

export interface GuardedReply {
  reply: LlmReply;
  plan: EgressPlan;
  /** Id of the egress record. */
  recordId: string;
}

async function prepareChecked(options: EgressPlanOptions): Promise<{ prepared: PreparedLlmRequest; plan: EgressPlan }> {
  const { provider, request, policy, signal, clock = systemClock, prepareTimeoutMs = 10_000 } = options;
  if (policy.permitted([provider.id], options.depotPaths).length === 0) {
    const error = blockEgress('provider_not_permitted', options, { provider: provider.id });
    // A job without a permitted provider waits for one (EGR-2).
    throw new CriticizerError('EGRESS_PROVIDER_DENIED', error.message, {
      category: 'policy',
      parks: true,
      details: error.details,
    });
  }
  checkTurns('request.turns', request.turns);
  checkProvenance(options);
  const prepared = await prepareRequest(provider, request, { signal, timeoutMs: prepareTimeoutMs, clock });
  const verdict = checkEgress({ ...options, prepared, timeoutMs: options.scanTimeoutMs });
  // After the guard: what names the host is free of secrets.
  checkHost(options, prepared.url);
  const { version: rulesVersion, policyHash } = options.redactor.rules;
  const plan: EgressPlan = {
    ...verdict,
    provider: provider.id,
    model: prepared.model,
    promptVersion: options.versions.promptVersion,
    schemaVersion: options.versions.schemaVersion,
    host: new URL(prepared.url).host,
    url: prepared.url,
    headers: prepared.headers,
    body: prepared.body,
    paths: [...options.redactedPaths],
    redactions: options.redactions,
    rulesVersion,
    policyHash,
  };
  return { prepared, plan };
}

/**
 * The dry run (EGR-3): policy, preparation and guard as for a real exchange, no connection, no
 * credential, no record. Rejects as the exchange would: `EGRESS_BLOCKED`,
 * `EGRESS_POLICY_MISSING`, `EGRESS_PROVIDER_DENIED`, `LLM_PREPARE_TIMEOUT`.
 */
export async function planEgress(options: EgressPlanOptions): Promise<EgressPlan> {
  return (await prepareChecked(options)).plan;
}

async function appendRecord<Tx>(options: GuardedExchangeOptions<Tx>, plan: EgressPlan): Promise<string> {
  const record: NewEgressRecord = {
    id: options.random.uuid(),
    destination: 'llm',
    content: 'code',
    messageKey: null,
    jobId: options.jobId,
    changelistId: options.changelistId,
    reviewVersion: options.reviewVersion,
    provider: plan.provider,
    host: plan.host,
    model: plan.model,
    promptVersion: plan.promptVersion,
    schemaVersion: plan.schemaVersion,
    paths: plan.paths,
    bytes: plan.bytes,
    bodySha256: plan.bodySha256,
    redactions: plan.redactions,
    rulesVersion: plan.rulesVersion,
    policyHash: plan.policyHash,
  };
  await appendEgress(options.log, record);
  return record.id;
}

/**
 * The one way to a model: provider policy (EGR-2), kill switch (EGR-4), preparation, guard
 * (RED-10), host (EGR-2), record committed (EGR-1), `beforeSend`, kill switch again as these may have
 * waited, then exactly one `send`. Whatever fails before that, nothing was sent. Throws
 * `EGRESS_PROVIDER_DENIED`, `EGRESS_BLOCKED`, `EGRESS_POLICY_MISSING`, `EGRESS_KILLED`,
 * `EGRESS_KILL_SWITCH_UNREADABLE`, `LLM_PREPARE_TIMEOUT`, `EGRESS_UNRECORDED`, the signal's reason, and
 * what `beforeSend` and the provider throw.
 */
export async function guardedExchange<Tx>(options: GuardedExchangeOptions<Tx>): Promise<GuardedReply> {
  const { provider, killSwitch, signal, timeoutMs } = options;
  signal.throwIfAborted();
  await killSwitch.check(provider.id);
  const { prepared, plan } = await prepareChecked(options);
  const recordId = await appendRecord(options, plan);
  await options.beforeSend?.();
  await killSwitch.check(provider.id);
  signal.throwIfAborted();
  return { reply: await provider.send(prepared, { signal, timeoutMs }), plan, recordId };
}
