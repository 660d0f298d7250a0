import type { PromotionReport } from '../../prompt/rollout/gates.js';
import {
  type PromptProcess,
  promptProcessesDocument,
  readLiveProcesses,
} from '../../prompt/rollout/prompt-processes.js';
import { type PromptRollout, promptRolloutDocument, readPromptRollout } from '../../prompt/rollout/prompt-rollout.js';
import type { RolloutParts } from './change-rollout.js';
import { readPromotion } from './read-gates.js';

/** The present rollout of the prompt. */
export interface PromptRolloutStatus {
  /** Null: none was ever started, and everybody gets the default of its process. */
  rollout: PromptRollout | null;
  /** What the gates say of a promotion now; null where no slice is running. */
  gates: PromotionReport | null;
  /** The processes that are there, by id, and the variants that each knows, its default one first. */
  processes: ReadonlyMap<string, PromptProcess>;
}

/** Reads the rollout, its gates and the processes; changes nothing. Rejects with the store's error. */
export async function readPromptStatus<Tx>(
  parts: Pick<RolloutParts<Tx>, 'stores' | 'prompts'>,
): Promise<PromptRolloutStatus> {
  const { documents, samples } = parts.stores;
  const [document, processes, now] = await Promise.all([
    documents.read(promptRolloutDocument),
    documents.read(promptProcessesDocument),
    parts.stores.now(),
  ]);
  const rollout = readPromptRollout(document.value);
  const isRunning = rollout?.state === 'running';
  const gates = isRunning ? await readPromotion({ samples, gates: parts.prompts.gates }, rollout, now) : null;
  return { rollout, gates, processes: readLiveProcesses(processes.value, now.getTime()) };
}
