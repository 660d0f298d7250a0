import type { Clock } from '../../../foundation/time/clock.js';
import type { Random } from '../../../foundation/time/random.js';
import { addProcess, announceEveryMs, promptProcessesDocument } from '../../../prompt/rollout/prompt-processes.js';
import type { DocumentStore } from '../../../stores/document-store.js';

/** Tries against other processes that write at the same time; the next turn tries again. */
const maxTries = 5;

/** What this process says of itself, and where. */
export interface AnnounceProcessOptions {
  documents: Pick<DocumentStore<never>, 'read' | 'write'>;
  storeNow(): Promise<Date>;
  /** Names of its variants, the default one first. */
  names: readonly string[];
  clock: Pick<Clock, 'monotonicMs'>;
  random: Random;
}

/**
 * A duty that writes, once a minute, which prompt variants this process knows and can read (PR-4). A
 * process that does not is taken for gone after five minutes. Rejects with the store's error.
 */
export function createProcessAnnouncer(options: AnnounceProcessOptions): () => Promise<void> {
  const { documents, storeNow, names, clock, random } = options;
  const id = random.uuid();
  let dueAtMs = clock.monotonicMs();
  return async () => {
    if (clock.monotonicMs() < dueAtMs) return;
    for (let tries = 0; tries < maxTries; tries++) {
      const [{ value, version }, now] = await Promise.all([documents.read(promptProcessesDocument), storeNow()]);
      const next = addProcess(value, id, names, now);
      if ((await documents.write(promptProcessesDocument, version, next)).outcome === 'conflict') continue;
      dueAtMs = clock.monotonicMs() + announceEveryMs;
      return;
    }
  };
}
