import { createCachedRead } from '../../../foundation/time/cached-read.js';
import type { Clock } from '../../../foundation/time/clock.js';
import type { PromptVariant, PromptVariants, VariantSubject } from '../../../prompt/prompt-variant.js';
import {
  isKnownEverywhere,
  type PromptProcess,
  promptProcessesDocument,
  readLiveProcesses,
} from '../../../prompt/rollout/prompt-processes.js';
import {
  isInSlice,
  type PromptRollout,
  promptRolloutDocument,
  readPromptRollout,
} from '../../../prompt/rollout/prompt-rollout.js';
import type { DocumentStore } from '../../../stores/document-store.js';

/** A roll-back reaches the new jobs of every process within so many milliseconds. */
const cacheMs = 2_000;

/** Where the rollout is kept, and what this process knows. */
export interface RolledOutVariantsOptions {
  known: PromptVariants;
  documents: Pick<DocumentStore<never>, 'read'>;
  /** `Stores.now`. */
  storeNow(): Promise<Date>;
  clock: Pick<Clock, 'monotonicMs'>;
}

interface Present {
  rollout: PromptRollout | null;
  live: ReadonlyMap<string, PromptProcess>;
}

/**
 * The variants of this process, chosen by the rollout in the store (PR-4): the candidate for its slice, or
 * for all once it is promoted, and only while every process that is there knows it, so that any of them
 * can take a job over; else the baseline. Without a rollout, and for names that this process does not
 * have, the default one. `choose` rejects with the store's error.
 */
export function createRolledOutVariants(options: RolledOutVariantsOptions): PromptVariants {
  const { known, documents, storeNow, clock } = options;

  async function read(): Promise<Present> {
    const rollout = readPromptRollout((await documents.read(promptRolloutDocument)).value);
    if (rollout === null) return { rollout, live: new Map() };
    const [processes, now] = await Promise.all([documents.read(promptProcessesDocument), storeNow()]);
    return { rollout, live: readLiveProcesses(processes.value, now.getTime()) };
  }
  const readPresent = createCachedRead(read, { cacheMs, clock });

  function findCandidate({ candidate }: PromptRollout, live: Present['live']): PromptVariant | null {
    return isKnownEverywhere(live, candidate) ? known.find(candidate) : null;
  }

  return {
    names: known.names,
    find: (name) => known.find(name),
    async choose(subject: VariantSubject) {
      const { rollout, live } = await readPresent();
      if (rollout === null) return known.choose(subject);
      const isWanted = rollout.state === 'promoted' || (rollout.state === 'running' && isInSlice(rollout, subject));
      const candidate = isWanted ? findCandidate(rollout, live) : null;
      return candidate ?? known.find(rollout.baseline) ?? known.choose(subject);
    },
  };
}
