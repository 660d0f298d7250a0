import type { AlertCondition } from '../../alerts/alert-condition.js';
import type { AlertSource } from '../../alerts/alert-source.js';
import { createGroupGauge } from '../../alerts/measure-backlog.js';
import type { AuditTrail } from '../../audit/audit-trail.js';
import { type Actor, nameActor } from '../../foundation/actor.js';
import type { GateReport } from '../../prompt/rollout/gates.js';
import {
  type PromptLatch,
  type PromptRollout,
  promptRolloutDocument,
  readPromptRollout,
} from '../../prompt/rollout/prompt-rollout.js';
import type { DocumentStore } from '../../stores/document-store.js';
import type { Logger } from '../../telemetry/logger.js';
import { attribute, metric } from '../../telemetry/names.js';
import type { Telemetry } from '../../telemetry/telemetry.js';
import { changeRollout, type RolloutParts } from './change-rollout.js';
import { findLastBucketEnd, readWatch } from './read-gates.js';

/** Who rolls back where a gate fails; the audit event names it. */
export const promptGates: Actor = { type: 'system', id: 'prompt-gates' };

/** What the duty works on. */
export interface RolloutWatchOptions<Tx> extends Omit<RolloutParts<Tx>, 'audit'> {
  /** Undefined: the roll-back is made and only logged. */
  audit: AuditTrail<Tx> | undefined;
  logger: Logger;
  telemetry: Telemetry;
}

function toLatch(report: GateReport, now: Date, coolDownMs: number): PromptLatch {
  const { gate, windowMs, candidate, baseline, limit, sample } = report;
  const times = { at: now.toISOString(), coolDownUntil: new Date(now.getTime() + coolDownMs).toISOString() };
  return { gate, ...times, windowMs, candidate, baseline, limit, sample };
}

/** A trail for hosts without one: the roll-back waits for no record. */
function createNoTrail<Tx>(storeId: string): AuditTrail<Tx> {
  return { storeId, record: async () => ({ outcome: 'off', degraded: false, event: null }) };
}

/** The rollout as stored now. */
async function readStored(documents: Pick<DocumentStore<never>, 'read'>): Promise<PromptRollout | null> {
  return readPromptRollout((await documents.read(promptRolloutDocument)).value);
}

/**
 * A duty that evaluates the gates of the running rollout after each bucket of five minutes, and rolls the
 * candidate back where one fails (PR-5, PR-6). Every process does so over the same closed buckets, and the
 * first one writes. The roll-back is recorded, logged as an error, and latched: nothing but a person
 * releases it. Rejects with the store's error; the next turn tries again.
 */
export function createRolloutWatch<Tx>(options: RolloutWatchOptions<Tx>): () => Promise<void> {
  const { stores, prompts, logger, telemetry } = options;
  const audit = options.audit ?? createNoTrail<Tx>(stores.storeId);
  const gateParts = { samples: stores.samples, gates: prompts.gates };
  const showExcess = createGroupGauge(telemetry, metric.promptExcess);
  const showLatch = createGroupGauge(telemetry, metric.promptLatched);
  let evaluatedEndMs = -1;

  async function rollBack(report: GateReport, judged: PromptRollout): Promise<void> {
    const reason = `the gate "${report.gate}" failed`;
    const request = { action: 'prompt.rollout.roll_back', actor: promptGates, reason } as const;
    const done = await changeRollout({ stores, audit, prompts }, request, async (present, now) => {
      // Somebody ended the slice that was judged, or began another one, in the meantime.
      if (present?.state !== 'running' || present.since !== judged.since) return { outcome: 'gone', next: null };
      const latch = toLatch(report, now, prompts.coolDownMs);
      const next = { ...present, state: 'rolled_back' as const, by: nameActor(promptGates), reason, latch };
      return { outcome: 'rolled-back', next, payload: { latch: { ...latch } } };
    });
    if (done.outcome === 'gone') return;
    const { gate, windowMs, candidate, baseline, limit, sample } = report;
    logger.error(
      {
        event: 'prompt.rolled_back',
        ...{ candidate: judged.candidate, baseline: judged.baseline },
        ...{ gate, windowMs, rates: { candidate, baseline, limit }, sample, audit: done.audit },
      },
      'a gate rolled a new prompt back, and only a person releases the latch',
    );
  }

  return async () => {
    const [rollout, now] = await Promise.all([readStored(stores.documents), stores.now()]);
    const latch = rollout?.latch ?? null;
    showLatch(latch === null ? [] : [{ labels: { [attribute.promptGate]: latch.gate }, value: 1 }]);
    if (rollout?.state !== 'running') return showExcess([]);
    const endMs = findLastBucketEnd(now);
    if (endMs === evaluatedEndMs) return;
    const { failure, excess } = await readWatch(gateParts, rollout, now);
    showExcess(excess.map(({ gate, value }) => ({ labels: { [attribute.promptGate]: gate }, value })));
    if (failure !== null) await rollBack(failure, rollout);
    evaluatedEndMs = endMs;
  };
}

/** What the pagers are called for: a latch that nobody has released (PR-5, PR-6). */
export function createRolloutAlerts(documents: Pick<DocumentStore<never>, 'read'>): AlertSource {
  return {
    name: 'prompt-rollout',
    async read() {
      const latch = (await readStored(documents))?.latch ?? null;
      if (latch === null) return [];
      const condition: AlertCondition = {
        ...{ kind: 'prompt.rolled_back', code: 'PROMPT_ROLLED_BACK', severity: 'error', place: { gate: latch.gate } },
        text: 'A gate rolled a new prompt back, and its latch waits for a person.',
      };
      return [condition];
    },
  };
}
