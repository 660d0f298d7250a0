import { attribute as a } from './attributes.js';
import { alertInstruments, auditInstruments } from './audit-instruments.js';
import {
  callSeconds,
  counter,
  everyProcess,
  gauge,
  inferenceSeconds,
  seconds,
  waitSeconds,
  workSeconds,
} from './instrument.js';
import { promptInstruments } from './prompt-instruments.js';
import { retentionInstruments } from './retention-instruments.js';

export type { Instrument } from './instrument.js';

const model = [a.llmOperation, a.llmProvider, a.llmModel];
const tokens = [...model, a.llmTokenModality];

/** Jobs and their queue. */
const queueInstruments = {
  jobDuration: seconds(
    workSeconds,
    'criticizer.job.duration',
    [a.kind, a.errorType],
    'From the claim under which a job ended to its end, by this process’s monotonic clock: waits and earlier attempts are not in it.',
  ),
  jobTotalDuration: seconds(
    waitSeconds,
    'criticizer.job.total_duration',
    [a.kind, a.errorType],
    'From the storing of a job to its end, waits and all attempts included, by this host’s clock less the store’s. Of a review: from its notice to the delivery of every required mail.',
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
  lettersOpen: gauge(
    'criticizer.dead_letter.open',
    '{dead_letter}',
    [a.stage, a.errorType],
    `Open dead letters, by stage and error class; 0 once there is none. ${everyProcess} Alert on it.`,
  ),
  sweepFailed: counter(
    'criticizer.sweep.failed',
    '{sweep}',
    [a.errorType],
    'Duties of a sweep (expired leases, artifacts, retention, reconciliation) that failed; the next sweep tries again.',
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
  mailBacklog: gauge(
    'criticizer.mail.backlog',
    '{mail}',
    [a.status, a.reason],
    `Mails that are not done with, by status and what they wait for; \`unknown\` and \`failed\` wait for an operator. ${everyProcess}`,
  ),
  mailOldest: gauge(
    'criticizer.mail.oldest',
    's',
    [a.status, a.reason],
    'How long ago the oldest of them was stored; likewise. Alert on it.',
  ),
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
  llmCost: counter(
    'criticizer.llm.cost',
    '1',
    model,
    'What replies cost by `llm.budget.prices`, in their currency; nothing for a provider without a price.',
  ),
  findings: counter(
    'criticizer.review.finding',
    '{finding}',
    [a.severity],
    'Findings of finished reviews, withheld secrets included, by effective severity. A stage that runs again after a crash counts again.',
  ),
  redactions: counter(
    'criticizer.redaction',
    '{redaction}',
    [a.rule],
    'Values that redaction hid in fetched changes, by rule. Watch for a sudden drop.',
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

/** Every metric that the packages emit. */
export const instruments = {
  ...queueInstruments,
  ...promptInstruments,
  ...retentionInstruments,
  ...edgeInstruments,
  ...modelInstruments,
  ...auditInstruments,
  ...alertInstruments,
} as const;
