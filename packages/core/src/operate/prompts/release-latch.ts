import { nameActor } from '../../foundation/actor.js';
import { checkBoolean, optional } from '../../foundation/option-checks.js';
import { checkRequest, type OperatorRequest } from '../operation.js';
import { changeRollout, type RolloutParts } from './change-rollout.js';

/** Allows a candidate again that a gate rolled back. */
export interface ReleasePromptLatch extends OperatorRequest {
  /** Releases it also before the cool-down ends. Default false. */
  overrideCoolDown?: boolean | undefined;
}

/**
 * Releases the latch of a gate, which nothing but a person does (PR-6); its alert ends. The candidate stays
 * rolled back until `startPromptRollout`. `cooling-down`: `prompts.coolDownMs` have not passed.
 * `not-latched`: no gate rolled anything back. Rejects with `PROMPT_ROLLOUT_CONFLICT`.
 */
export async function releasePromptLatch<Tx>(parts: RolloutParts<Tx>, request: ReleasePromptLatch) {
  checkRequest<ReleasePromptLatch>('releasePromptLatch', request, { overrideCoolDown: optional(checkBoolean) });
  const { actor, reason, overrideCoolDown = false } = request;
  return changeRollout(parts, { action: 'prompt.rollout.release', actor, reason }, async (present, now) => {
    if (present === null || present.latch === null) return { outcome: 'not-latched', next: null };
    const isCooling = now.getTime() < Date.parse(present.latch.coolDownUntil);
    if (isCooling && !overrideCoolDown) return { outcome: 'cooling-down', next: null };
    const next = { ...present, by: nameActor(actor), reason, latch: null };
    return { outcome: 'released', next, payload: { gate: present.latch.gate, overrodeCoolDown: isCooling } };
  });
}
