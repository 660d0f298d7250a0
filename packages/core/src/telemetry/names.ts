/**
 * Every metric and span this SDK emits, once. Durations are seconds, as OpenTelemetry has them;
 * where a semantic convention exists its name stands here, and only here, because those conventions
 * still move.
 */
export const metric = {
  /**
   * Distribution, s, by `criticizer.kind`, `error.type` (absent where it ended well): from the
   * claim under which a job ended to its end.
   */
  jobDuration: 'criticizer.job.duration',
  /** Distribution, s, by `criticizer.kind`, `criticizer.stage`, `criticizer.outcome`. */
  stageDuration: 'criticizer.stage.duration',
  /** Counter, by `criticizer.loop`. */
  leaseLost: 'criticizer.lease.lost',
  /**
   * Counter, by `criticizer.loop`: heartbeats more than half a lease late; the process claims
   * nothing until one has succeeded.
   */
  beatLate: 'criticizer.heartbeat.late',
  /**
   * Counter, by `criticizer.kind`: expired leases that this process's sweeps took back. Claims take
   * back most of them first, unseen; each one is in `lostLeases` of its job.
   */
  leaseRequeued: 'criticizer.lease.requeued',
  /** Counter, by `criticizer.loop`. */
  claimFailed: 'criticizer.claim.failed',
  /** Distribution, s, by `criticizer.reason`. */
  retryDelay: 'criticizer.retry.delay',
  /** Counter, by `criticizer.stage`, `error.type`. */
  deadLettered: 'criticizer.dead_letter.created',
  /**
   * Gauge, 1 or 0, by `criticizer.stage`, `criticizer.server`, `error.type`: an outage parks work
   * here, as this process sees it.
   */
  outage: 'criticizer.outage',
  /** Counter: ended jobs deleted because of their age. */
  jobsPruned: 'criticizer.job.pruned',
  /** Gauge, {job}: queued and due, over all processes. Every process tells the same: take the maximum, not the sum. */
  queueDue: 'criticizer.queue.due',
  /** Gauge, {job}: queued for later; as `queueDue`. */
  queueScheduled: 'criticizer.queue.scheduled',
  /** Gauge, {job}: running, expired leases included; as `queueDue`. */
  queueRunning: 'criticizer.queue.running',
  /** Gauge, s: how long the job that is due longest has been; 0 without one; as `queueDue`. */
  queueOldestDue: 'criticizer.queue.oldest_due',
  /** Counter, by `criticizer.outcome`. */
  mailDelivered: 'criticizer.mail.delivery',
  /** Counter, by `criticizer.outcome`: mails marked sent that were looked up (NOT-8). */
  mailReconciled: 'criticizer.mail.reconciliation',
  /** Gauge, s: host clock minus store clock (INV-7). */
  clockSkew: 'criticizer.clock.skew',
  /** Counter, by `criticizer.server`, `criticizer.outcome`: changes that a watcher or a trigger saw. */
  changesSeen: 'criticizer.change.seen',
  /** Counter, by `criticizer.server`, `error.type`: polls of a watcher that failed. */
  watchFailed: 'criticizer.watch.failed',
  /**
   * Gauge, {change}, by `criticizer.server`: how far the newest submitted number is ahead of the
   * watcher's cursor after a poll.
   */
  watchBehind: 'criticizer.watch.behind',
  /** Gauge, s, by `criticizer.server`: how long the Perforce ticket is still good; 0 once the server refuses it. */
  ticketRemaining: 'criticizer.p4.ticket.remaining',
  /** Counter, by `gen_ai.provider.name`, `error.type`: providers that another one stood in for. */
  llmFallback: 'criticizer.llm.fallback',
  /** Counter, by `criticizer.budget`: requests that a spent budget kept back. */
  llmBudgetSpent: 'criticizer.llm.budget_spent',
  /**
   * Counter, by `gen_ai.provider.name`, `criticizer.reason`: requests that waited, or were parked, for
   * their provider's rate.
   */
  llmRateWait: 'criticizer.llm.rate_wait',
  /** Distribution, s. */
  llmDuration: 'gen_ai.client.operation.duration',
  /** Counter, {token}: input, what the vendor read from its cache included. */
  llmInputTokens: 'gen_ai.client.inference.usage.input_tokens',
  /** Counter, {token}: output, reasoning included. */
  llmOutputTokens: 'gen_ai.client.inference.usage.output_tokens',
  /** Counter, {token}: the part of the input that the vendor read from its cache. */
  llmCachedInputTokens: 'gen_ai.client.inference.usage.cache_read.input_tokens',
  /** Counter, {token}: the part of the output that was spent on reasoning. */
  llmReasoningTokens: 'gen_ai.client.inference.usage.reasoning.output_tokens',
} as const;

/** The counter of each number in a reply's usage. */
export const tokenCounter = {
  inputTokens: metric.llmInputTokens,
  outputTokens: metric.llmOutputTokens,
  cachedInputTokens: metric.llmCachedInputTokens,
  reasoningTokens: metric.llmReasoningTokens,
} as const;

/** Span names. A span ends with the code of the failure, if there was one. */
export const span = {
  /** One run of a stage, by `criticizer.kind`, `criticizer.stage`, `criticizer.outcome`. */
  stage: 'criticizer.stage',
  /** One request to a model, guard and record included, by `gen_ai.provider.name`, `gen_ai.request.model`. */
  llmExchange: 'criticizer.llm.exchange',
} as const;

/** Attribute keys. */
export const attribute = {
  kind: 'criticizer.kind',
  stage: 'criticizer.stage',
  outcome: 'criticizer.outcome',
  reason: 'criticizer.reason',
  loop: 'criticizer.loop',
  server: 'criticizer.server',
  budget: 'criticizer.budget',
  errorType: 'error.type',
  llmProvider: 'gen_ai.provider.name',
  llmModel: 'gen_ai.request.model',
} as const;
