import { attribute as a } from './attributes.js';

/** A metric as it is: what the OpenTelemetry adapter creates and the reference page prints. */
export interface Instrument {
  name: string;
  kind: 'counter' | 'histogram' | 'gauge';
  /** In the notation of UCUM; durations are seconds. */
  unit: string;
  /** Keys of the attributes that points may have. */
  attributes: readonly string[];
  /** One or two sentences. */
  description: string;
  /** Upper bounds of a histogram's buckets, ascending, in the unit. */
  buckets?: readonly number[];
}

/** Bounds of the messaging conventions: a call of a store or a mail server. */
const callSeconds = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];
/** Bounds of the generative AI conventions: 0.01, doubling to 81.92. */
const inferenceSeconds = Array.from({ length: 14 }, (_, power) => 2 ** power / 100);
/** From a stage that only reads its checkpoint to a review of an hour. */
const workSeconds = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1_800, 3_600];
/** From a first retry to a day in the queue. */
const waitSeconds = [0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1_800, 3_600, 7_200, 14_400, 43_200, 86_400];

type Row = readonly [name: string, unit: string, attributes: readonly string[], description: string];

function counter(...[name, unit, attributes, description]: Row): Instrument {
  return { name, kind: 'counter', unit, attributes, description };
}

function gauge(...[name, unit, attributes, description]: Row): Instrument {
  return { name, kind: 'gauge', unit, attributes, description };
}

/** A histogram of seconds. */
function seconds(buckets: readonly number[], name: string, attributes: readonly string[], description: string) {
  return { name, kind: 'histogram', unit: 's', attributes, description, buckets } satisfies Instrument;
}

const model = [a.llmOperation, a.llmProvider, a.llmModel];
const tokens = [...model, a.llmTokenModality];
const everyProcess = 'Every process tells the same: take the maximum, not the sum.';

/** Jobs and their queue. */
const queueInstruments = {
  jobDuration: seconds(
    workSeconds,
    'criticizer.job.duration',
    [a.kind, a.errorType],
    'From the claim under which a job ended to its end, by this process’s monotonic clock: waits and earlier attempts are not in it.',
  ),
  stageDuration: seconds(
    workSeconds,
    'criticizer.stage.duration',
    [a.kind, a.stage, a.outcome, a.errorType],
    'One run of a stage, its settlement included.',
  ),
  retryDelay: seconds(
    waitSeconds,
    'criticizer.retry.delay',
    [a.reason],
    'How long a failed stage waits before its next attempt.',
  ),
  messagingDuration: seconds(
    callSeconds,
    'messaging.client.operation.duration',
    [a.messagingSystem, a.messagingOperation, a.messagingDestination, a.errorType],
    'Storing jobs (`submit`, `enqueue`), and one attempt to deliver a mail (`send`).',
  ),
  leaseLost: counter('criticizer.lease.lost', '{lease}', [a.loop], 'Leases lost while work was under way.'),
  beatLate: counter(
    'criticizer.heartbeat.late',
    '{heartbeat}',
    [a.loop],
    'Heartbeats more than half a lease late: the event loop was blocked, or the process frozen. It claims nothing until one has succeeded.',
  ),
  leaseRequeued: counter(
    'criticizer.lease.requeued',
    '{lease}',
    [a.kind],
    'Expired leases that this process’s sweeps took back. Claims take back most of them first, and those are not counted; `lostLeases` of a job counts all of its own.',
  ),
  claimFailed: counter('criticizer.claim.failed', '{claim}', [a.loop], 'Claims that the store could not answer.'),
  deadLettered: counter(
    'criticizer.dead_letter.created',
    '{dead_letter}',
    [a.stage, a.errorType],
    'Dead letters, by the code that made them.',
  ),
  outage: gauge(
    'criticizer.outage',
    '1',
    [a.stage, a.server, a.messagingDestination, a.errorType],
    '1 while an outage (a refused credential, an open breaker, the kill switch, a mail server out of reach) parks work of this stage, as this process sees it; 0 when work goes through again. Alert on it.',
  ),
  jobsPruned: counter(
    'criticizer.job.pruned',
    '{job}',
    [],
    'Ended jobs deleted because of their age (`retention.finishedJobsMs`).',
  ),
  queueDue: gauge('criticizer.queue.due', '{job}', [], `Jobs queued and due, over all processes. ${everyProcess}`),
  queueScheduled: gauge('criticizer.queue.scheduled', '{job}', [], 'Jobs queued for later; likewise.'),
  queueRunning: gauge('criticizer.queue.running', '{job}', [], 'Jobs running, expired leases included; likewise.'),
  queueOldestDue: gauge(
    'criticizer.queue.oldest_due',
    's',
    [],
    'How long the job that is due longest has been; 0 without one; likewise. Alert on it.',
  ),
  clockSkew: gauge('criticizer.clock.skew', 's', [], 'Host clock minus store clock (INV-7).'),
} as const;

/** Mails, and the Perforce servers. */
const edgeInstruments = {
  mailDelivered: counter('criticizer.mail.delivery', '{mail}', [a.outcome], 'Deliveries by how they ended.'),
  mailReconciled: counter(
    'criticizer.mail.reconciliation',
    '{mail}',
    [a.outcome],
    'Mails marked sent that were looked up, by what was found (NOT-8). Alert on `reopened`.',
  ),
  artifactReads: counter(
    'criticizer.artifact.reads',
    '{read}',
    [a.namespace, a.reader, a.outcome],
    'Artifacts read from their store, and attempts. Reads by others than the pipeline are audit events too.',
  ),
  secretAge: gauge(
    'criticizer.secret.age',
    's',
    [a.secret],
    'Age of the current version of a credential, where its source says when it was made. Warn from 80 days, alert at 90 (SEC-5).',
  ),
  changesSeen: counter(
    'criticizer.change.seen',
    '{change}',
    [a.server, a.outcome],
    'Changes that a watcher or a trigger saw, by what became of them.',
  ),
  watchFailed: counter(
    'criticizer.watch.failed',
    '{poll}',
    [a.server, a.errorType],
    'Polls of a watcher that failed, it backs off and tries again; and pages of changes that it read without the rules whose depot is unknown (`P4_OUT_OF_SCOPE`).',
  ),
  watchBehind: gauge(
    'criticizer.watch.behind',
    '{change}',
    [a.server],
    'How far the newest submitted number is ahead of the watcher’s cursor after a poll.',
  ),
  ticketRemaining: gauge(
    'criticizer.p4.ticket.remaining',
    's',
    [a.server],
    'How long the Perforce ticket is still good; 0 once the server refuses it. Alert on it.',
  ),
} as const;

/** Requests to models. */
const modelInstruments = {
  llmFallback: counter(
    'criticizer.llm.fallback',
    '{request}',
    [a.llmProvider, a.errorType],
    'Providers that failed or refused (`LLM_REFUSED`), and that another one of the fallback stood in for.',
  ),
  llmBudgetSpent: counter(
    'criticizer.llm.budget_spent',
    '{request}',
    [a.budget],
    'Requests that a spent budget kept back; what they would have shown is not reviewed. Alert on it.',
  ),
  llmRateWait: counter(
    'criticizer.llm.rate_wait',
    '{request}',
    [a.llmProvider, a.reason],
    'Requests that waited, or were parked, because `llm.rateLimit` had no room (`requests`, `tokens`) or the vendor had asked for a pause (`paused`).',
  ),
  llmDuration: seconds(
    inferenceSeconds,
    'gen_ai.client.inference.duration',
    [...model, a.errorType],
    'One request to a model, guard and record included, failed ones with `error.type`. Its bounds end at 81.92 s, as the convention has them; `criticizer.stage.duration` shows longer reviews.',
  ),
  llmInputTokens: counter(
    'gen_ai.client.inference.usage.input_tokens',
    '{token}',
    tokens,
    'Input tokens that the vendor counted, those from its cache included.',
  ),
  llmOutputTokens: counter(
    'gen_ai.client.inference.usage.output_tokens',
    '{token}',
    tokens,
    'Output tokens, reasoning included.',
  ),
  llmCachedInputTokens: counter(
    'gen_ai.client.inference.usage.cache_read.input_tokens',
    '{token}',
    tokens,
    'The part of the input that came from the vendor’s cache.',
  ),
  llmReasoningTokens: counter(
    'gen_ai.client.inference.usage.reasoning.output_tokens',
    '{token}',
    tokens,
    'The part of the output that was reasoning.',
  ),
} as const;

const audit = [a.destination, a.tenantTier, a.environment, a.schemaVersion];

/** The audit trail; its nine metrics are computed from these by recording rules (AUD-18). */
const auditInstruments = {
  auditWrite: counter(
    'criticizer.audit.write',
    '{event}',
    [...audit, a.outcome],
    'Admin writes that tried to record their event, by how that ended. Alert on `degraded`.',
  ),
  auditRedacted: counter(
    'criticizer.audit.redacted',
    '{event}',
    audit,
    'Recorded events with a field that redaction hid. Watch for a sudden drop.',
  ),
  auditTruncated: counter(
    'criticizer.audit.truncated',
    '{event}',
    audit,
    'Recorded events from which something was cut. Watch for spikes.',
  ),
  auditDelivered: counter('criticizer.audit.delivered', '{delivery}', audit, 'Deliveries that a sink took.'),
  auditRetried: counter(
    'criticizer.audit.retried',
    '{delivery}',
    audit,
    'Deliveries that a sink took at the second attempt or later.',
  ),
  auditDeliveryLatency: seconds(
    waitSeconds,
    'criticizer.audit.delivery.latency',
    audit,
    'From the recording of an event to its delivery, by the host’s clock.',
  ),
  auditBacklog: gauge(
    'criticizer.audit.backlog',
    '{delivery}',
    audit,
    `Deliveries that are pending, waiting for a retry or in progress. ${everyProcess}`,
  ),
  auditDeadLetters: gauge(
    'criticizer.audit.dead_letter.open',
    '{dead_letter}',
    audit,
    'Open dead letters of the audit; likewise. Alert on it.',
  ),
  auditDeadLetterAge: gauge(
    'criticizer.audit.dead_letter.age_max',
    'min',
    audit,
    'Age of the oldest open dead letter of the audit, in minutes; 0 without one; likewise. Alert on it.',
  ),
} as const;

/** Alerts and pagers. */
const alertInstruments = {
  alertFiring: gauge(
    'criticizer.alert.firing',
    '{alert}',
    [a.alertKind, a.errorType],
    `Causes that fire now, whether somebody was paged or not. ${everyProcess}`,
  ),
  alertSourceFailed: counter(
    'criticizer.alert.source_failed',
    '{read}',
    [a.alertSource, a.errorType],
    'Readings of a source of alerts that failed; its alerts stay as they were. Alert on it by another way than a pager of this service.',
  ),
  pagerMessage: counter(
    'criticizer.pager.message',
    '{message}',
    [a.pager, a.pagerAction, a.outcome, a.errorType],
    'Messages to pagers by what became of them; one that was not taken is tried again as long as its alert stands. Alert on `refused`.',
  ),
} as const;

/** Every metric that the packages emit. */
export const instruments = {
  ...queueInstruments,
  ...edgeInstruments,
  ...modelInstruments,
  ...auditInstruments,
  ...alertInstruments,
} as const;
