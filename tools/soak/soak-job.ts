// The job of the soak: small, one or two stages, and between them every way a settlement can go.
// What a job does follows from its number.
import { setTimeout as sleep } from 'node:timers/promises';
import { CriticizerError, type JobKind } from '@criticizer/core';
import type { StageContext, StageOutcome } from '@criticizer/core/queue';
import { z } from 'zod';

export const soakKinds = { kept: 'soak', deleted: 'soak-deleted' } as const;

export const soakPayload = z.object({
  n: z.number().int(),
  seed: z.number().int(),
  /** No failures and no waits: only a fault can then keep a job from its end. */
  plain: z.boolean(),
  /** A long job works for this many milliseconds and lives by its heartbeats. */
  longMs: z.number(),
  /**
   * Share of the jobs that work for `longMs` once a lease of theirs was lost: the late write of who
   * lost it meets a running job.
   */
  longAfterLoss: z.number().min(0).max(1),
});
export type SoakPayload = z.infer<typeof soakPayload>;

export interface JobPlan {
  stages: 1 | 2;
  /** Commits a checkpoint before the work of the first stage. */
  checkpoint: boolean;
  /** Waits once, without spending an attempt. */
  waits: boolean;
  /** Attempts of the second stage that fail. */
  failures: number;
  end: 'done' | 'dead-letter';
  workMs: number;
  /** The same once a lease was lost. */
  workAfterLossMs: number;
}

/** Uniform in [0, 1), the same for the same arguments. */
function chance(seed: number, n: number, salt: number): number {
  let h = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(n + 1, 0xc2b2ae35) ^ Math.imul(salt + 1, 0x27d4eb2f);
  h = Math.imul(h ^ (h >>> 16), 0x45d9f3b);
  h = Math.imul(h ^ (h >>> 15), 0x2c1b3c6d);
  return ((h ^ (h >>> 16)) >>> 0) / 2 ** 32;
}

export function planOf({ n, seed, plain, longMs, longAfterLoss }: SoakPayload): JobPlan {
  const at = (salt: number): number => chance(seed, n, salt);
  const stages = at(0) < 0.2 ? 1 : 2;
  const workMs = at(5) < 0.002 ? longMs : 1 + Math.floor(at(6) * 12);
  return {
    stages,
    checkpoint: at(1) < 0.2,
    waits: !plain && at(2) < 0.05,
    failures: plain || stages === 1 ? 0 : at(3) < 0.06 ? 1 : at(3) < 0.08 ? 2 : 0,
    end: !plain && at(4) < 0.02 ? 'dead-letter' : 'done',
    workMs,
    workAfterLossMs: at(7) < longAfterLoss ? longMs : workMs,
  };
}

/** What a handler reports to the ledger outside the queue's database. */
export interface HandlerLog {
  /** An effect outside the database, which no transaction can tie to the settlement. */
  called(n: number): void;
}

async function prepare(
  { payload, job, outputs, checkpoint, signal }: StageContext<SoakPayload>,
  log: HandlerLog,
): Promise<StageOutcome> {
  const plan = planOf(payload);
  if (plan.checkpoint && outputs()['step'] === undefined) await checkpoint({ outputs: { step: 'made' } });
  if (plan.waits && outputs()['waited'] === undefined) {
    await checkpoint({ outputs: { waited: 'once' } });
    return { kind: 'wait', delayMs: 20, reason: 'soak' };
  }
  await sleep(job.lostLeases > 0 ? plan.workAfterLossMs : plan.workMs, undefined, { signal });
  return plan.stages === 1 ? finish(payload, plan, log) : { kind: 'next' };
}

async function deliver({ payload, job, signal }: StageContext<SoakPayload>, log: HandlerLog): Promise<StageOutcome> {
  const plan = planOf(payload);
  if ((job.attempts['deliver'] ?? 0) <= plan.failures)
    throw new CriticizerError('SOAK_TRANSIENT', 'Planned to fail.', { category: 'network' });
  await sleep(job.lostLeases > 0 ? plan.workAfterLossMs : Math.min(plan.workMs, 10), undefined, { signal });
  return finish(payload, plan, log);
}

function finish({ n }: SoakPayload, plan: JobPlan, log: HandlerLog): StageOutcome {
  log.called(n);
  if (plan.end === 'dead-letter')
    throw new CriticizerError('SOAK_TERMINAL', 'Planned to end here.', { category: 'validation' });
  return { kind: 'done', result: { n } };
}

export function soakJobKinds(log: HandlerLog): JobKind<unknown>[] {
  return Object.values(soakKinds).map((kind) => ({
    kind,
    payload: soakPayload,
    deleteCompleted: kind === soakKinds.deleted,
    stages: [
      { name: 'prepare', run: (context) => prepare(context as StageContext<SoakPayload>, log) },
      { name: 'deliver', run: (context) => deliver(context as StageContext<SoakPayload>, log) },
    ],
  }));
}
