import { nameActor } from '../../foundation/actor.js';
import { CriticizerError } from '../../foundation/errors.js';
import type { JsonObject } from '../../foundation/json.js';
import { checkBoolean, optional } from '../../foundation/option-checks.js';
import type { GateReport } from '../../prompt/rollout/gates.js';
import { checkRequest, type OperatorRequest } from '../operation.js';
import { changeRollout, type RolloutParts } from './change-rollout.js';
import { readPromotion } from './read-gates.js';

/** Makes the candidate what everybody gets. */
export interface PromotePrompt extends OperatorRequest {
  /** Promotes also where the gates do not say yes; the event holds what they say. Default false. */
  force?: boolean | undefined;
}

/** A gate as the event holds it. */
function describeGate({ gate, verdict, candidate, baseline, limit, sample }: GateReport): JsonObject {
  return { gate, verdict, candidate, baseline, limit, sample };
}

/**
 * Promotes the candidate of the running rollout where every gate passes over the whole time of its slice:
 * what the gates do not know yet holds (PR-4). Rejects with `PROMPT_GATES_HOLD` where one fails or does
 * not know; `force` goes beyond. `not-running`: there is no slice. Rejects with `PROMPT_ROLLOUT_CONFLICT`
 * and the store's error.
 */
export async function promotePrompt<Tx>(parts: RolloutParts<Tx>, request: PromotePrompt) {
  checkRequest<PromotePrompt>('promotePrompt', request, { force: optional(checkBoolean) });
  const { actor, reason, force = false } = request;
  const gateParts = { samples: parts.stores.samples, gates: parts.prompts.gates };
  return changeRollout(parts, { action: 'prompt.rollout.promote', actor, reason }, async (present, now) => {
    if (present?.state !== 'running') return { outcome: 'not-running', next: null };
    const { outcome: verdict, reports } = await readPromotion(gateParts, present, now);
    const gates = reports.map(describeGate);
    if (verdict !== 'ready' && !force)
      throw new CriticizerError('PROMPT_GATES_HOLD', 'The gates do not say that this prompt may be promoted.', {
        category: 'conflict',
        details: { verdict, gates },
      });
    const next = { ...present, state: 'promoted' as const, by: nameActor(actor), reason };
    return { outcome: 'promoted', next, payload: { verdict, forced: verdict !== 'ready', gates } };
  });
}
