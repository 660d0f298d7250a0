/**
 * Every metric and span this SDK emits, once. Durations are seconds, as OpenTelemetry has them; where a semantic convention exists its name
 * stands here, and only here, because those conventions still move.
 */
export const metric = {
  /** Distribution, s, by `criticizer.kind`, `error.type`. */
  jobDuration: 'criticizer.job.duration',
  /** Distribution, s, by `criticizer.kind`, `criticizer.stage`, `criticizer.outcome`. */
  stageDuration: 'criticizer.stage.duration',
  /** Counter, by `criticizer.loop`. */
  leaseLost: 'criticizer.lease.lost',
  /** Counter, by `criticizer.loop`. */
  claimFailed: 'criticizer.claim.failed',
  /** Distribution, s, by `criticizer.reason`. */
  retryDelay: 'criticizer.retry.delay',
  /** Counter, by `criticizer.stage`, `error.type`. */
  deadLettered: 'criticizer.dead_letter.created',
  /** Counter, by `criticizer.outcome`. */
  mailDelivered: 'criticizer.mail.delivery',
  /** Gauge, s: host clock minus store clock (INV-7). */
  clockSkew: 'criticizer.clock.skew',
  /** Distribution, s. */
  llmDuration: 'gen_ai.client.operation.duration',
  /** Distribution, {token}, by `gen_ai.token.type`. */
  llmTokens: 'gen_ai.client.token.usage',
} as const;

/** Attribute keys. */
export const attribute = {
  kind: 'criticizer.kind',
  stage: 'criticizer.stage',
  outcome: 'criticizer.outcome',
  reason: 'criticizer.reason',
  loop: 'criticizer.loop',
  errorType: 'error.type',
  llmProvider: 'gen_ai.provider.name',
  llmModel: 'gen_ai.request.model',
  llmTokenType: 'gen_ai.token.type',
} as const;
