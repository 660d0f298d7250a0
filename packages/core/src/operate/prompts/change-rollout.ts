import { CriticizerError } from '../../foundation/errors.js';
import type { JsonObject } from '../../foundation/json.js';
import {
  type PromptRollout,
  promptRolloutDocument,
  readPromptRollout,
  writePromptRollout,
} from '../../prompt/rollout/prompt-rollout.js';
import type { Settings } from '../../settings/settings.js';
import {
  type Operated,
  type Operation,
  type OperatorParts,
  type OperatorRequest,
  performOperation,
} from '../operation.js';

/** What the verbs over the rollout work on. */
export interface RolloutParts<Tx> extends Pick<OperatorParts<Tx>, 'audit'> {
  stores: Pick<OperatorParts<Tx>['stores'], 'storeId' | 'transaction' | 'documents' | 'samples' | 'now'>;
  prompts: Settings['prompts'];
}

/** What a verb makes of the present rollout. */
export interface RolloutChange<Outcome> {
  outcome: Outcome;
  /** What is stored from now on; null: nothing is changed. */
  next: PromptRollout | null;
  /** What the event holds besides the sides and the reason. */
  payload?: JsonObject | undefined;
}

/** The actions of `adminActions` over the rollout. */
export type RolloutAction = `prompt.rollout.${'start' | 'promote' | 'roll_back' | 'release'}`;

/** Tries against others who write at the same time. */
const maxTries = 3;

/**
 * Changes the rollout by compare-and-set, and records it (PR-4). `decide` gets the present rollout,
 * null where there is none, and is called again where somebody else wrote. Rejects with
 * `PROMPT_ROLLOUT_CONFLICT` when others win three times, with what `decide` throws and the store's error.
 */
export async function changeRollout<Tx, Outcome extends string>(
  parts: RolloutParts<Tx>,
  request: OperatorRequest & { action: RolloutAction },
  decide: (present: PromptRollout | null, now: Date) => Promise<RolloutChange<Outcome>>,
): Promise<Operated<Outcome> & { rollout: PromptRollout | null }> {
  const { action, actor, reason } = request;
  const { documents } = parts.stores;
  for (let tries = 0; tries < maxTries; tries++) {
    const [{ value, version }, now] = await Promise.all([documents.read(promptRolloutDocument), parts.stores.now()]);
    const present = readPromptRollout(value);
    const { outcome, next, payload } = await decide(present, now);
    if (next === null) return { outcome, audit: 'none', rollout: present };
    const { baseline, candidate } = next;
    const operation: Operation<Tx, { outcome: 'written' | 'conflict' }> = {
      ...{ action, targetType: 'prompt_rollout', targetId: promptRolloutDocument, actor, reason },
      payload: { baseline, candidate, ...payload },
      change: (tx) => documents.write(promptRolloutDocument, version, writePromptRollout(next), { tx }),
      hasChanged: (written) => written.outcome === 'written',
    };
    const done = await performOperation(parts, operation);
    if (done.outcome.outcome === 'written') return { outcome, audit: done.audit, rollout: next };
  }
  throw new CriticizerError('PROMPT_ROLLOUT_CONFLICT', 'others keep writing the rollout of the prompt', {
    category: 'conflict',
  });
}
