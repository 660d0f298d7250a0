import { nameActor } from '../../foundation/actor.js';
import { checkRequest, type OperatorRequest } from '../operation.js';
import { changeRollout, type RolloutParts } from './change-rollout.js';

/** Gives everybody the baseline again. */
export type RollBackPrompt = OperatorRequest;

/**
 * Ends the slice of the candidate, or takes a promotion back: new jobs get the baseline in every process
 * within 2 seconds, jobs under way keep their variant (PR-6). It latches nothing: the person who did it
 * may start again. `not-running`: nothing is rolled out. Rejects with `PROMPT_ROLLOUT_CONFLICT`.
 */
export async function rollBackPrompt<Tx>(parts: RolloutParts<Tx>, request: RollBackPrompt) {
  checkRequest<RollBackPrompt>('rollBackPrompt', request, {});
  const { actor, reason } = request;
  return changeRollout(parts, { action: 'prompt.rollout.roll_back', actor, reason }, async (present) => {
    if (present === null || present.state === 'rolled_back') return { outcome: 'not-running', next: null };
    const next = { ...present, state: 'rolled_back' as const, by: nameActor(actor), reason, latch: null };
    return { outcome: 'rolled-back', next, payload: { latch: null } };
  });
}
