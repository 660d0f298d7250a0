import { attribute as a, metric } from './names.js';
import type { Telemetry } from './telemetry.js';

// A counter that was never added to is absent, and a rule over an absent series never fires.

function zeroLoopCounters(telemetry: Telemetry, loop: string): void {
  for (const name of [metric.leaseLost, metric.beatLate, metric.claimFailed])
    telemetry.count(name, 0, { [a.loop]: loop });
}

/** Adds 0 to the counters of a queue whose attributes are known at the start. */
export function zeroQueueCounters(
  telemetry: Telemetry,
  kinds: readonly { kind: string; stages: readonly { name: string }[] }[],
): void {
  zeroLoopCounters(telemetry, 'jobs');
  telemetry.count(metric.jobsPruned, 0);
  for (const { kind, stages } of kinds) {
    telemetry.count(metric.leaseRequeued, 0, { [a.kind]: kind });
    for (const { name } of stages) telemetry.count(metric.deadLettered, 0, { [a.stage]: name });
  }
}

const deliveries = ['sent', 'recovered', 'skipped', 'retrying', 'waiting', 'failed', 'held', 'cancelled', 'lease-lost'];
const reconciliations = ['verified', 'unverified', 'reopened', 'lease-lost'];
const rateWaits = ['requests', 'tokens', 'paused'];

/** Adds 0 to the counters of mails and models whose attributes are known at the start. */
export function zeroReviewCounters(telemetry: Telemetry, providers: readonly { id: string; model: string }[]): void {
  zeroLoopCounters(telemetry, 'mail');
  for (const outcome of deliveries) telemetry.count(metric.mailDelivered, 0, { [a.outcome]: outcome });
  for (const outcome of reconciliations) telemetry.count(metric.mailReconciled, 0, { [a.outcome]: outcome });
  for (const { id, model } of providers) {
    for (const reason of rateWaits) telemetry.count(metric.llmRateWait, 0, { [a.llmProvider]: id, [a.reason]: reason });
    const labels = { [a.llmOperation]: 'chat', [a.llmProvider]: id, [a.llmModel]: model, [a.llmTokenModality]: 'text' };
    telemetry.count(metric.llmInputTokens, 0, labels);
    telemetry.count(metric.llmOutputTokens, 0, labels);
  }
}
